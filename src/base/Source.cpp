#include "base/Source.h"

#include <algorithm>

namespace triton::base {

Source::Source(std::string fileName, std::string text, unsigned firstLine, unsigned columnOffset)
    : name(std::move(fileName)), contents(std::move(text)), firstLine(firstLine), columnOffset(columnOffset) {
  lineStarts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i) {
    bool isLineEnd =
        contents[i] == '\n' || (contents[i] == '\r' && (i + 1 == contents.size() || contents[i + 1] != '\n'));
    if (isLineEnd)
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
  }
}

std::shared_ptr<Source> Source::create(std::string fileName, std::string text, unsigned firstLine,
                                       unsigned columnOffset) {
  return std::shared_ptr<Source>(new Source(std::move(fileName), std::move(text), firstLine, columnOffset));
}

size_t Source::lineIndex(uint32_t offset) const {
  return std::upper_bound(lineStarts.begin(), lineStarts.end(), offset) - lineStarts.begin() - 1;
}

unsigned Source::columnInText(uint32_t offset) const {
  uint32_t begin = lineStarts[lineIndex(offset)];
  auto isCharacterStart = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  llvm::StringRef before = text().slice(begin, std::min<size_t>(offset, contents.size()));
  return static_cast<unsigned>(std::count_if(before.begin(), before.end(), isCharacterStart)) + 1;
}

Location Source::location(uint32_t offset) const {
  return {firstLine + static_cast<unsigned>(lineIndex(offset)), columnInText(offset) + columnOffset};
}

llvm::StringRef Source::lineAt(uint32_t offset, uint32_t *lineBegin) const {
  size_t index = lineIndex(offset);
  uint32_t begin = lineStarts[index];
  size_t end = index + 1 < lineStarts.size() ? lineStarts[index + 1] : contents.size();
  if (lineBegin)
    *lineBegin = begin;
  return text().slice(begin, end).rtrim("\r\n");
}

} // namespace triton::base
