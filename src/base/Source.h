// The text of a kernel file and positions in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace triton::base {

/// Byte offsets into the text of one Source: [begin, end).
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const SourceRange &) const = default;
  /// The smallest range that covers both.
  static SourceRange cover(SourceRange first, SourceRange second) {
    return {std::min(first.begin, second.begin), std::max(first.end, second.end)};
  }
};

/// A position as editors count: both from 1, the column in characters (not bytes).
struct Location {
  unsigned line = 0;
  unsigned column = 0;

  bool operator==(const Location &) const = default;
};

/// A buffer of source text. Immutable once parsed; always held by shared pointers, because diagnostics and functions
/// keep it alive.
class Source : public std::enable_shared_from_this<Source> {
public:
  /// `firstLine` is the number, in the file, of the text's first line; `columnOffset` is how many characters were cut
  /// off the start of every line (a dedented function).
  static std::shared_ptr<Source> create(std::string fileName, std::string text, unsigned firstLine = 1,
                                        unsigned columnOffset = 0);

  const std::string &fileName() const { return name; }
  llvm::StringRef text() const { return contents; }
  llvm::StringRef text(SourceRange range) const { return text().slice(range.begin, range.end); }

  /// The position of a byte, in terms of the file that the text was taken from.
  Location location(uint32_t offset) const;
  Location location(SourceRange range) const { return location(range.begin); }
  /// The line that holds the byte, without its line end, and the offset of the line's first byte.
  llvm::StringRef lineAt(uint32_t offset, uint32_t *lineBegin = nullptr) const;
  /// The number of characters of the line that are at most at this byte; the first is 1 (without the column offset).
  unsigned columnInText(uint32_t offset) const;

  /// What a parser made of the text. It lives as long as the text.
  class Parsed {
  public:
    virtual ~Parsed() = default;
  };
  /// Null before parsing.
  const Parsed *parsed() const { return parsedForm.get(); }
  void setParsed(std::unique_ptr<const Parsed> parsed) { parsedForm = std::move(parsed); }

private:
  Source(std::string fileName, std::string text, unsigned firstLine, unsigned columnOffset);
  /// Index into lineStarts of the line that holds the byte.
  size_t lineIndex(uint32_t offset) const;

  std::string name;
  std::string contents;
  unsigned firstLine;
  unsigned columnOffset;
  std::vector<uint32_t> lineStarts;
  std::unique_ptr<const Parsed> parsedForm;
};

} // namespace triton::base
