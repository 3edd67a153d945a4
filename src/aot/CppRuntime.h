// The parts of generated C++ that do not depend on the kernel.
#pragma once

#include <string>

namespace triton::aot {

/// The types that the headers of all kernels share; a program may include several of them.
std::string cppSharedTypes();

/// What a source has for the code of an operator on a device of any kind.
std::string cppDeviceTypes();

/// What the sources below have in common.
std::string cppDriverLoading();

/// How a source loads CUDA's driver and code, with what tensor maps need if `hasTensorMaps`.
std::string cppCudaRuntime(bool hasTensorMaps);

/// How a source loads HIP's library and code.
std::string cppHipRuntime();

} // namespace triton::aot
