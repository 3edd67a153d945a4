// The C source of a kernel of this processor, which holds the kernel as assembly.
#pragma once

#include "aot/CTypes.h"

#include "base/CompiledKernel.h"

namespace triton::aot {

/// The features of a processor that code for `arch` tests for: as compilers of C name them on x86-64, as LLVM names
/// them on AArch64, where "aarch64" is the first and "sve-bits-256" is a length of registers. Throws Error.
std::vector<std::string> testedFeatures(const std::string &arch);

/// Whether the code needs the tiles of AMX, for which a process needs the system's permission.
bool usesTiles(const base::CompiledKernel &kernel);

/// What code for `arch` that uses tiles tests for besides; "amx-tile", which includes the permission, is the last.
std::vector<std::string> testedTileFeatures(const std::string &arch);

/// The symbols of others that the kernel's object code uses. Throws Error when nothing but this library has one.
std::vector<std::string> importedSymbols(const Specification &specification, const base::CompiledKernel &kernel);

/// Throws Error when the kernel calls what only this library has.
std::string writeCpuSource(const Specification &specification, const base::CompiledKernel &kernel,
                           const AotBackend &words);

} // namespace triton::aot
