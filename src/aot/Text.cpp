#include "aot/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace triton;

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
