// The tensor maps of a kernel as a bundle has them.
#pragma once

#include "base/CompiledKernel.h"

#include <cstdint>
#include <vector>

namespace triton::aot {

/// The words that include/triton/bundle.h describes, of all maps; none for most kernels. Throws Error when a launch
/// could not compute a map from what a reader of bundles has.
std::vector<int64_t> writeTensorMapWords(const base::CompiledKernel &kernel);

} // namespace triton::aot
