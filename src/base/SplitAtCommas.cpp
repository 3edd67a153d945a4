#include "base/SplitAtCommas.h"

namespace triton::base {

llvm::SmallVector<llvm::StringRef> splitAtCommas(llvm::StringRef text, llvm::StringRef opening,
                                                 llvm::StringRef closing) {
  llvm::SmallVector<llvm::StringRef> parts;
  char quote = 0;
  int depth = 0;
  size_t begin = 0;
  for (size_t index = 0; index < text.size(); ++index) {
    char letter = text[index];
    if (quote)
      quote = letter == quote ? 0 : quote;
    else if (letter == '"' || letter == '\'')
      quote = letter;
    else if (opening.contains(letter))
      ++depth;
    else if (closing.contains(letter))
      --depth;
    if (letter != ',' || quote || depth > 0)
      continue;
    parts.push_back(text.slice(begin, index).trim());
    begin = index + 1;
  }
  if (llvm::StringRef last = text.drop_front(begin).trim(); !last.empty())
    parts.push_back(last);
  return parts;
}

llvm::SmallVector<llvm::StringRef> splitSignature(llvm::StringRef text) { return splitAtCommas(text, "([<", ")]>"); }

} // namespace triton::base
