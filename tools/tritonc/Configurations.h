// The configurations of `@triton.autotune`, as far as a kernel's text shows them.
#pragma once

#include "triton/triton.h"

#include "llvm/Support/JSON.h"

namespace tritonc {

/// {"text", "values", "num_warps", "num_stages"} for each `triton.Config(...)` that the decorator lists: how the text
/// writes it, the constants by the names of their parameters, and the options that it gives. Those that only Python
/// makes, such as in a loop, are left out.
llvm::json::Array configurationsOf(const triton::Kernel &kernel);

} // namespace tritonc
