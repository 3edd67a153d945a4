// Functions of the runtime that compiled CPU kernels may call by name (printing, assertions). Free of MLIR and LLVM.
#pragma once

#include <string_view>

namespace triton::cpu {

/// Makes `address` known under `name` to every kernel linked from now on. Thread-safe.
void registerRuntimeSymbol(std::string_view name, void *address);
/// The address, or null.
void *findRuntimeSymbol(std::string_view name);

} // namespace triton::cpu
