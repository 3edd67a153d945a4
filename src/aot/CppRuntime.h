// The parts of generated C++ that do not depend on the kernel.
#pragma once

#include <string>

namespace triton::aot {

/// The types that the headers of all kernels share; a program may include several of them.
std::string cppSharedTypes();

/// How a source loads CUDA's driver and code, with what tensor maps need if `hasTensorMaps`.
std::string cppCudaRuntime(bool hasTensorMaps);

} // namespace triton::aot
