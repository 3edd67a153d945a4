#include "base/MlirText.h"

#include "llvm/ADT/StringExtras.h"

using namespace triton;

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-'; }

/// The position behind the string that begins at `at`.
static std::size_t skipString(llvm::StringRef text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
  return at + 1;
}

static bool startsWithWord(llvm::StringRef text, llvm::StringRef word) {
  return text.starts_with(word) && (text.size() == word.size() || !isNamePart(text[word.size()]));
}

static bool isArrayOfIndex(llvm::StringRef text) {
  if (!startsWithWord(text, "array"))
    return false;
  text = text.drop_front(llvm::StringRef("array").size()).ltrim();
  return text.consume_front("<") && startsWithWord(text.ltrim(), "index");
}

std::optional<std::size_t> base::findUnparsableArray(llvm::StringRef text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = skipString(text, at);
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (isNamePart(text[at])) {
      if (isArrayOfIndex(text.substr(at)))
        return at;
      at = std::min(text.find_if_not(isNamePart, at), text.size());
    } else {
      ++at;
    }
  }
  return std::nullopt;
}
