// The header and the source of a kernel in C++, with the code of each of its variants for each of its targets.
#pragma once

#include "aot/CppKernel.h"
#include "aot/Generate.h"

namespace triton::aot {

/// ".h" and ".cpp"; the latter includes `headerName`. Throws Error when a kernel needs what a call from C++ cannot give
/// it, or when two targets are the same.
std::vector<GeneratedFile> generateCpp(const CppKernel &kernel, const std::vector<CppTarget> &targets,
                                       const std::string &headerName);

} // namespace triton::aot
