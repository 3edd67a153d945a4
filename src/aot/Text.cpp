#include "aot/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace triton;

std::vector<std::string> aot::splitAtCommas(llvm::StringRef text, llvm::StringRef opening, llvm::StringRef closing) {
  std::vector<std::string> parts(1);
  char quote = 0;
  int depth = 0;
  for (char c : text) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (opening.contains(c))
      ++depth;
    else if (closing.contains(c))
      --depth;
    if (c == ',' && !quote && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string &part : parts)
    part = llvm::StringRef(part).trim().str();
  return parts;
}

std::string aot::instantiate(llvm::StringRef text, llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> values) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split('$');
    result += before;
    if (rest.empty())
      return result;
    auto [name, after] = rest.split('$');
    const auto *value = llvm::find_if(values, [&](const auto &entry) { return entry.first == name; });
    assert(value != values.end() && "a template names a value that it does not get");
    result += value->second;
    text = after;
  }
}
