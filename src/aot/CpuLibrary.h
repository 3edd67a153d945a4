// The machine code of a kernel of this processor as a shared library, which the loader of a system can load.
#pragma once

#include "aot/Specification.h"

#include "base/CompiledKernel.h"

#include <string>

namespace triton::aot {

/// A shared library of ELF with the kernel's function, which needs only the C library and its mathematical functions.
/// Follows from the kernel alone, byte for byte. Throws Error when the kernel calls what only this library has.
std::string linkCpuLibrary(const Specification &specification, const base::CompiledKernel &kernel);

/// The features that the processor must have, with those of tiles if they are used, separated by commas, as compilers
/// of C name them. Throws Error.
std::string requiredFeatures(const std::string &arch, bool withTiles);

} // namespace triton::aot
