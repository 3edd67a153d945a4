// The one reader of JSON. LLVM's own goes as deep as the text does, and so past the end of the stack.
#pragma once

#include "llvm/Support/JSON.h"

namespace triton::base {

/// What no text of this project needs to be nested.
constexpr unsigned maximumJsonDepth = 200;

/// The value that the text is; an error also for one that is nested deeper than `maximumJsonDepth`.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace triton::base
