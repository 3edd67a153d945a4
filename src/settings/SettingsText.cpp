#include "settings/SettingsText.h"

#include "settings/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::settings {

using base::SourceRange;

namespace {

class EntryReader {
public:
  EntryReader(const base::Source &source, llvm::StringRef text, bool isComment)
      : source(source), text(text), isComment(isComment) {}

  std::vector<Entry> read() {
    std::string kernel;
    skipLines();
    while (position < text.size()) {
      if (next() == '[' && !isComment)
        kernel = readTable();
      else
        entries.push_back(readEntry(kernel));
      endEntry();
    }
    return std::move(entries);
  }

private:
  char next() const { return position < text.size() ? text[position] : '\n'; }
  SourceRange from(uint32_t begin) const { return {begin, position}; }

  void skipBlanks() {
    while (next() == ' ' || next() == '\t' || next() == '\r')
      ++position;
    if (next() == '#')
      while (position < text.size() && next() != '\n')
        ++position;
  }

  void skipLines() {
    for (skipBlanks(); position < text.size() && next() == '\n'; skipBlanks())
      ++position;
  }

  [[noreturn]] void refuse(const std::string &expected) {
    bool isEnd = next() == '\n';
    uint32_t begin = position;
    while (!isEnd && position < text.size() && !llvm::isSpace(next()) && next() != ',')
      ++position;
    position = std::max(position, isEnd ? begin : begin + 1);
    std::string found = isEnd ? "the line ends" : "`" + text.slice(begin, position).str() + "` stands";
    base::throwError(diagnostics::Unexpected, source, from(begin), found, expected);
  }

  void take(char letter, const std::string &expected) {
    skipBlanks();
    if (next() != letter)
      refuse(expected);
    ++position;
  }

  void endEntry() {
    skipBlanks();
    if (isComment && next() == ',')
      ++position;
    else if (next() != '\n')
      refuse(isComment ? "a comma or the end of the line" : "the end of the line");
    skipLines();
  }

  std::string readName() {
    skipBlanks();
    if (next() == '"' || next() == '\'')
      return readText().text;
    uint32_t begin = position;
    while (llvm::isAlnum(next()) || next() == '_' || next() == '-')
      ++position;
    if (position == begin)
      refuse("a name");
    return text.slice(begin, position).str();
  }

  /// `[kernel.NAME]`; the kernel.
  std::string readTable() {
    uint32_t begin = position++;
    std::string table = readName(), kernel;
    skipBlanks();
    if (next() == '.') {
      ++position;
      kernel = readName();
    }
    take(']', "`]`");
    if (table != "kernel" || kernel.empty())
      base::throwError(diagnostics::UnknownTable, source, from(begin), text.slice(begin, position).str());
    return kernel;
  }

  Entry readEntry(const std::string &kernel) {
    Entry entry;
    entry.kernel = kernel;
    skipBlanks();
    uint32_t begin = position;
    entry.name = readName();
    entry.nameRange = from(begin);
    for (const Entry &earlier : entries)
      if (earlier.name == entry.name && earlier.kernel == kernel)
        base::throwError(diagnostics::GivenTwice, source, entry.nameRange, entry.name);
    take('=', "`=`");
    skipBlanks();
    begin = position;
    if (next() == '[')
      readList(entry);
    else if (next() == '"' || next() == '\'')
      entry.texts.push_back(readText());
    else
      entry.number = readNumber();
    entry.valueRange = from(begin);
    return entry;
  }

  int64_t readNumber() {
    uint32_t begin = position;
    if (next() == '-' || next() == '+')
      ++position;
    while (llvm::isDigit(next()))
      ++position;
    int64_t number = 0;
    llvm::StringRef digits = text.slice(begin, position);
    digits.consume_front("+");
    if (digits.getAsInteger(10, number)) {
      position = begin;
      refuse("a number, a text in quotes or a list of texts");
    }
    return number;
  }

  QuotedText readText() {
    char quote = next();
    QuotedText read;
    uint32_t begin = ++position;
    for (; next() != quote; ++position) {
      if (next() == '\n')
        refuse(quote == '"' ? "`\"`" : "`'`");
      if (next() == '\\' && quote == '"') {
        read.hasEscapes = true;
        ++position;
        if (next() != '"' && next() != '\\')
          refuse("`\"` or `\\` behind `\\`");
      }
      read.text += next();
    }
    read.range = from(begin);
    ++position;
    return read;
  }

  void readList(Entry &entry) {
    ++position;
    for (skipLines(); next() != ']'; skipLines()) {
      if (next() != '"' && next() != '\'')
        refuse("a text in quotes or `]`");
      entry.texts.push_back(readText());
      skipLines();
      if (next() == ',')
        ++position;
      else if (next() != ']')
        refuse("a comma or `]`");
    }
    ++position;
  }

  const base::Source &source;
  llvm::StringRef text;
  bool isComment;
  uint32_t position = 0;
  std::vector<Entry> entries;
};

} // namespace

std::vector<Entry> readEntries(const base::Source &source, llvm::StringRef text, bool isComment) {
  return EntryReader(source, text, isComment).read();
}

} // namespace triton::settings
