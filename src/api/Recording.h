// Compilations that people look at, for tools that are built with the library.
#pragma once

#include "triton/triton.h"

#include "base/CompiledKernel.h"

#include <atomic>
#include <memory>
#include <span>

namespace llvm::json {
class Object;
}
namespace triton::base {
struct CompilationRecord;
struct Environment;
} // namespace triton::base

namespace triton::api {

/// Compiles anew and notes what the compilation does. On a GPU's target the result has the artifact "explain", too. The
/// kernel is not loaded. Throws Error, as Kernel::compile does.
std::shared_ptr<const base::CompiledKernel> compileRecorded(const Kernel &kernel, const LaunchOptions &options,
                                                            std::span<const Argument> arguments,
                                                            base::CompilationRecord &record,
                                                            const std::atomic<bool> *isAbandoned = nullptr);

/// Compiles anew in this environment, notes what the compilation does, and launches the kernel. The text `ttir`, unless
/// it is empty, is compiled in place of the kernel's source. Throws Error, with `record` as far as the compilation
/// came.
void launchRecorded(const Kernel &kernel, const LaunchOptions &options, std::span<const Argument> arguments,
                    const base::Environment &environment, base::CompilationRecord &record,
                    const std::string &ttir = "");

/// Launches a kernel on a simulated GPU. `memoryMap` gets what it accesses, also when the launch finds errors in the
/// kernel and throws Error (docs/explorer.md). It stays empty when nothing ran.
void launchMapped(const Kernel &kernel, const LaunchOptions &options, std::span<const Argument> arguments,
                  llvm::json::Object &memoryMap, const std::atomic<bool> &isAbandoned);

} // namespace triton::api
