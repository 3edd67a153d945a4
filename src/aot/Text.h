// Texts of the command line and of generated files.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace triton::aot {

/// Calls `replace` with each identifier of `text` that is not part of a number; the result takes its place.
template <typename Replace> std::string replaceIdentifiers(llvm::StringRef text, Replace replace) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || static_cast<signed char>(c) < 0; };
  std::string result;
  while (!text.empty()) {
    std::size_t length = text.take_while(isWord).size();
    llvm::StringRef word = text.take_front(length == 0 ? 1 : length);
    result += length == 0 || llvm::isDigit(word.front()) ? word.str() : replace(word);
    text = text.drop_front(word.size());
  }
  return result;
}

/// `text` with each `$NAME$` replaced by the value of NAME. Every name must have one.
std::string instantiate(llvm::StringRef text, llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> values);

} // namespace triton::aot
