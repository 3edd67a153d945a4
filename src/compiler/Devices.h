// The devices of this machine, by backend. Free of MLIR so that bindings and the public API can include it.
#pragma once

#include "base/ArgumentRanges.h"
#include "base/DeviceDriver.h"
#include "base/DeviceGroup.h"
#include "base/Environment.h"
#include "base/LanguageOptions.h"
#include "base/Target.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace triton::compiler {

/// The driver of the backend's devices; null for a backend that has none.
const base::DeviceDriver *deviceDriver(std::string_view backend);

/// Whether this build generates code for targets of that backend.
bool hasBackend(std::string_view backend);

/// Backend::argumentRanges; none for a backend that does not exist.
base::ArgumentRanges argumentRanges(std::string_view backend, const std::string &arch);

/// The driver of the GPUs of this machine. Where there are none, asking it says why.
const base::DeviceDriver &gpuDriver();

/// Simulated devices that reach each other's memory.
std::shared_ptr<base::DeviceGroup> makeDeviceGroup(unsigned count);

/// Reads a target as users write it: "cpu"; "cuda" and "hip", which are the current device; "cuda:90"; "hip:gfx942";
/// "sim:cuda:90". Throws
/// LaunchError when a necessary driver is missing. The compilation checks whether the backend exists.
base::Target parseTarget(std::string_view text);

/// What the kernel language depends on when it is compiled for the target in this environment. Throws CompilationError
/// when the backend does not exist.
base::LanguageOptions languageOptions(const base::Target &target, const base::Environment &environment);

/// How products of m x k with k x n elements read their second operand, see backends::Backend::operandPacking: columns
/// of a panel, and rows of a group. Throws LaunchError, which says what is wrong with architecture or type.
std::pair<int64_t, int64_t> operandPacking(std::string_view backend, const std::string &arch, std::string_view type,
                                           std::array<int64_t, 3> mnk);

/// Adds a folder in which the tools and files of the backend's vendor may be, to be searched after the usual ones.
void addToolkitDirectory(std::string_view backend, const std::string &path);

/// The path of a tool of the backend's vendor. Throws LaunchError, which says where it was looked for.
std::string findTool(std::string_view backend, const std::string &name);

} // namespace triton::compiler
