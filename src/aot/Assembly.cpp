#include "aot/Assembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace triton::aot {
namespace {

using llvm::StringRef;

bool isSymbolCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

StringRef withoutComment(StringRef line, StringRef comment) {
  bool quoted = false;
  for (auto [index, c] : llvm::enumerate(line)) {
    if (c == '"' && (index == 0 || line[index - 1] != '\\'))
      quoted = !quoted;
    if (!quoted && line.drop_front(index).starts_with(comment))
      return line.take_front(index).rtrim();
  }
  return line.rtrim();
}

/// Those that would speak of the file that the text becomes a part of.
bool describesFile(StringRef line) {
  static constexpr StringRef directives[] = {".file", ".ident", ".addrsig", ".addrsig_sym", ".cfi_sections", ".loc"};
  StringRef word = line.ltrim().take_while(isSymbolCharacter);
  return llvm::is_contained(directives, word) || line.contains(".note.GNU-stack");
}

bool holdsText(StringRef line) {
  StringRef word = line.ltrim().take_while(isSymbolCharacter);
  return word == ".ascii" || word == ".asciz" || word == ".string" || word == ".section";
}

/// The symbol that a line defines: `name:`, `name = value`, `.set name, value`, `.comm name, size`; empty for none.
StringRef definedSymbol(StringRef line) {
  StringRef symbol = line.take_while(isSymbolCharacter);
  StringRef rest = line.drop_front(symbol.size()).ltrim();
  if (!symbol.empty() && (rest.starts_with(":") || rest.starts_with("=")))
    return symbol;
  StringRef text = line.ltrim();
  for (StringRef directive : {".set", ".comm", ".lcomm"})
    if (text.consume_front(directive) && !text.empty() && llvm::isSpace(text.front()))
      return text.ltrim().take_while(isSymbolCharacter);
  return "";
}

/// Every symbol of the line that `renamed` has, under its new name.
std::string renameSymbols(StringRef line, const AssemblySyntax &syntax, const llvm::StringSet<> &renamed,
                          StringRef prefix, StringRef entry, StringRef entryName) {
  std::string result;
  // Instructions do not name the entry, which does not call itself.
  bool mayNameEntry = syntax.marksRegisters || line.ltrim().starts_with(".") || !definedSymbol(line).empty();
  if (definedSymbol(line).empty()) { // The first word is that of an instruction or a directive.
    std::size_t end = line.find_first_not_of(" \t");
    end = line.find_first_of(" \t", end);
    result = line.take_front(end).str();
    line = line.drop_front(std::min(end, line.size()));
  }
  while (!line.empty()) {
    StringRef word = line.take_while(isSymbolCharacter);
    // A register or a number is not a symbol.
    bool isSymbol =
        !word.empty() && renamed.contains(word) && !StringRef(result).ends_with("%") && (mayNameEntry || word != entry);
    if (word.empty())
      word = line.take_front(1);
    line = line.drop_front(word.size());
    if (!isSymbol)
      result += word;
    else if (word == entry)
      result += entryName;
    else
      result += ((word.starts_with(".L") ? ".L" : "") + prefix + "_" + word.drop_while([](char c) {
                  return c == '.';
                })).str();
  }
  return result;
}

} // namespace

std::string embedAssembly(StringRef text, const AssemblySyntax &syntax, StringRef prefix, StringRef entry,
                          StringRef entryName, llvm::ArrayRef<std::string> imported) {
  llvm::SmallVector<StringRef> lines;
  llvm::StringSet<> renamed;
  for (const std::string &symbol : imported)
    renamed.insert(symbol);
  for (StringRef line : llvm::split(text, '\n')) {
    line = withoutComment(line, syntax.comment);
    // A definition in the same file is not weak.
    if (line.empty() || describesFile(line) || line.ltrim().starts_with(".weak"))
      continue;
    lines.push_back(line);
    if (StringRef symbol = definedSymbol(line); !symbol.empty())
      renamed.insert(symbol);
  }
  std::string result = "\t.pushsection .text\n\t.hidden " + entryName.str() + "\n";
  for (StringRef line : lines)
    result += (holdsText(line) ? line.str() : renameSymbols(line, syntax, renamed, prefix, entry, entryName)) + "\n";
  return result + "\t.popsection\n";
}

} // namespace triton::aot
