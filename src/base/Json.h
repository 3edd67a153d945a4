// The one reader of JSON: LLVM's own goes as deep as the text does, and so past the end of the stack. And its texts.
#pragma once

#include "llvm/Support/JSON.h"

namespace triton::base {

/// What no text of this project needs to be nested.
constexpr unsigned maximumJsonDepth = 200;

/// The value that the text is; an error also for one that is nested deeper than `maximumJsonDepth`.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// The text as JSON may hold it: LLVM's own function converts also what needs no repair, twice.
std::string validText(llvm::StringRef text);

} // namespace triton::base
