// The part of a C++ source that loads and launches one signature's code for a GPU.
#pragma once

#include "aot/CTypes.h"

#include "base/CompiledKernel.h"

namespace triton::aot {

/// The functions `F_load` and `F`, which the name of the specification's function stands for. Throws Error when the
/// kernel needs what a call from C++ cannot give it.
std::string writeCppGpuFunctions(const Specification &specification, const base::CompiledKernel &kernel);

} // namespace triton::aot
