// An explanation (Explanation.h) as text for people: what `tritonc explain` and `kernel.explain` show.
#pragma once

#include "llvm/Support/JSON.h"

#include <string>

namespace triton::compiler {

std::string explanationText(const llvm::json::Object &explanation);

} // namespace triton::compiler
