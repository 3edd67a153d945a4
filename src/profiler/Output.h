// The formats in which profiles are written.
#pragma once

#include "profiler/Mode.h"
#include "profiler/PhaseData.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace triton::profiling {

/// The tree of calls, and what is known of the devices. With the lock of the data.
llvm::json::Value hatchetOutput(PhaseData &data, const llvm::json::Object &devices);
/// Events with their times, for chrome://tracing and Perfetto. With the lock of the data.
llvm::json::Value chromeTraceOutput(PhaseData &data);

std::string toMessagePack(const llvm::json::Value &value);

/// The text or bytes of a file. Throws std::invalid_argument where the data do not have this form.
std::string render(PhaseData &data, const llvm::json::Object &devices, OutputFormat format);

/// Writes a file whole or not at all. Throws std::runtime_error.
void writeFile(const std::string &path, const std::string &contents);

} // namespace triton::profiling
