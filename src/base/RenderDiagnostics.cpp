// How a diagnostic looks on a terminal.
#include "base/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

namespace triton::base {

namespace {

constexpr unsigned tabWidth = 4;
/// Longer lines are cut to a window of this many columns around the place.
constexpr unsigned maximumColumns = 120;
constexpr llvm::StringLiteral cutMark = "...";

/// One character of a source line as it is printed.
struct Cell {
  std::string shown;
  unsigned columns;
  uint32_t offset; ///< of its first byte in the line
};

/// Tabs become spaces; what a terminal could not show becomes a replacement character.
llvm::SmallVector<Cell, 128> layOut(llvm::StringRef line) {
  llvm::SmallVector<Cell, 128> cells;
  unsigned column = 0;
  for (size_t at = 0; at < line.size();) {
    size_t length = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(line[at]));
    llvm::StringRef bytes = line.substr(at, length);
    auto *cursor = reinterpret_cast<const llvm::UTF8 *>(bytes.data());
    bool isLegal = llvm::isLegalUTF8Sequence(cursor, cursor + bytes.size());
    int width = isLegal ? llvm::sys::unicode::columnWidthUTF8(bytes) : -1;
    Cell cell{bytes.str(), static_cast<unsigned>(std::max(width, 0)), static_cast<uint32_t>(at)};
    if (line[at] == '\t') {
      cell.columns = tabWidth - column % tabWidth;
      cell.shown.assign(cell.columns, ' ');
    } else if (width < 0) {
      cell.shown = "\xEF\xBF\xBD";
      cell.columns = 1;
    }
    column += cell.columns;
    cells.push_back(std::move(cell));
    at += isLegal ? length : 1;
  }
  return cells;
}

/// Prints the line that holds the start of `range`, and `^~~~` under the part of the range on that line.
void renderExcerpt(llvm::raw_ostream &stream, const Source &source, SourceRange range) {
  uint32_t lineBegin = 0;
  llvm::StringRef line = source.lineAt(range.begin, &lineBegin);
  llvm::SmallVector<Cell, 128> cells = layOut(line);
  uint32_t markBegin = std::min<uint32_t>(range.begin - lineBegin, line.size());
  uint32_t markEnd = std::min<uint32_t>(std::max(range.end, range.begin + 1) - lineBegin, line.size());

  // Where the marked part is in columns.
  unsigned total = 0, first = 0, last = 0;
  for (const Cell &cell : cells) {
    if (cell.offset < markBegin)
      first += cell.columns;
    if (cell.offset < markEnd)
      last += cell.columns;
    total += cell.columns;
  }
  unsigned windowBegin = 0, windowEnd = total;
  if (total > maximumColumns) {
    windowBegin = first > maximumColumns / 3 ? first - maximumColumns / 3 : 0;
    windowEnd = windowBegin + maximumColumns;
  }

  unsigned column = 0, indent = 0;
  if (windowBegin != 0) {
    stream << cutMark;
    indent = cutMark.size();
  }
  for (const Cell &cell : cells) {
    if (column >= windowBegin && column + cell.columns <= windowEnd)
      stream << cell.shown;
    else if (column >= windowBegin)
      break;
    column += cell.columns;
  }
  if (windowEnd < total)
    stream << cutMark;
  stream << '\n';

  last = std::min(last, windowEnd);
  stream.indent(indent + first - windowBegin) << '^';
  for (unsigned i = first + 1; i < last; ++i)
    stream << '~';
  stream << '\n';
}

llvm::StringRef label(DiagnosticClass diagnosticClass) {
  switch (diagnosticClass) {
  case DiagnosticClass::Note:
    return "note";
  case DiagnosticClass::Remark:
    return "remark";
  case DiagnosticClass::Warning:
    return "warning";
  case DiagnosticClass::Error:
  case DiagnosticClass::UnsupportedConstruct:
  case DiagnosticClass::StaticAssertion:
    return "error";
  }
  llvm_unreachable("unknown class");
}

/// Readers of error messages, such as those of exceptions, take a NUL for the end.
std::string withoutNul(llvm::StringRef text) {
  std::string shown;
  for (char c : text)
    c == '\0' ? shown += "\\0" : shown += c;
  return shown;
}

void renderMessage(llvm::raw_ostream &stream, const DiagnosticInfo &info, const Source *source, SourceRange range,
                   llvm::StringRef message) {
  if (source) {
    Location location = source->location(range);
    stream << source->fileName() << ':' << location.line << ':' << location.column << ": ";
  }
  stream << label(info.diagnosticClass) << ": " << withoutNul(message) << '\n';
  if (source)
    renderExcerpt(stream, *source, range);
}

} // namespace

void Diagnostic::render(llvm::raw_ostream &stream) const {
  renderMessage(stream, *info, source.get(), range, message);
  if (!fix.empty())
    stream << "help: " << withoutNul(fix) << '\n';
  for (const DiagnosticNote &note : notes)
    renderMessage(stream, *note.info, note.source.get(), note.range, note.message);
}

} // namespace triton::base
