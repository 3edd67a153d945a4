#include "language_server/LineTable.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

LineTable::LineTable(llvm::StringRef text) : text(text), starts({0}) {
  for (size_t at = text.find_first_of("\r\n"); at != llvm::StringRef::npos; at = text.find_first_of("\r\n", at)) {
    at += text.substr(at).starts_with("\r\n") ? 2 : 1;
    starts.push_back(static_cast<uint32_t>(at));
  }
}

/// How many units of UTF-16 the character has whose first byte this is; 0 for its other bytes.
static int unitsOf(char byte) {
  auto value = static_cast<unsigned char>(byte);
  if ((value & 0xC0) == 0x80)
    return 0;
  return value >= 0xF0 ? 2 : 1;
}

lsp::Position LineTable::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, text.size());
  auto line = llvm::upper_bound(starts, offset) - starts.begin() - 1;
  int units = 0;
  for (char byte : text.slice(starts[line], offset))
    units += unitsOf(byte);
  return {static_cast<int>(line), units};
}

uint32_t LineTable::offset(lsp::Position position) const {
  if (position.line < 0 || position.character < 0)
    return 0;
  auto line = static_cast<size_t>(position.line);
  if (line >= starts.size())
    return static_cast<uint32_t>(text.size());
  uint32_t at = starts[line];
  int units = 0;
  for (; at < text.size() && text[at] != '\n' && text[at] != '\r'; ++at) {
    units += unitsOf(text[at]);
    if (units > position.character)
      break;
  }
  return at;
}

base::SourceRange LineTable::range(const lsp::Range &range) const {
  uint32_t begin = offset(range.start);
  return {begin, std::max(begin, offset(range.end))};
}

void applyChange(std::string &text, const lsp::TextDocumentContentChangeEvent &change) {
  if (!change.range) {
    text = change.text;
    return;
  }
  base::SourceRange range = LineTable(text).range(*change.range);
  text.replace(range.begin, range.end - range.begin, change.text);
}

} // namespace triton::language_server
