#include "simulator/amdgpu/AssemblyText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::simulator::amdgpu {

std::string removeComments(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    if (text.starts_with(";") || text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      std::size_t end = text.find("*/", 2);
      text = end == llvm::StringRef::npos ? "" : text.substr(end + 2);
      result += ' ';
    } else {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

/// The text before the first of these characters outside brackets, which is taken from `text` with it.
static llvm::StringRef takeUntil(llvm::StringRef &text, llvm::StringRef separators) {
  unsigned depth = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    depth += text[end] == '[' || text[end] == '(';
    depth -= depth != 0 && (text[end] == ']' || text[end] == ')');
    if (depth == 0 && separators.contains(text[end]))
      break;
  }
  llvm::StringRef taken = text.take_front(end);
  text = text.drop_front(std::min(end + 1, text.size()));
  return taken.trim();
}

static AssemblyOperand parseOperand(llvm::StringRef text) {
  AssemblyOperand operand;
  bool isNumber = text.size() > 1 && (llvm::isDigit(text[1]) || text[1] == '.');
  if ((!isNumber && text.consume_front("-")) || (text.starts_with("neg(") && text.ends_with(")"))) {
    operand.isNegated = true;
    if (text.consume_front("neg("))
      text = text.drop_back();
  }
  if (text.size() > 2 && text.starts_with("|") && text.ends_with("|")) {
    operand.isAbsolute = true;
    text = text.drop_front().drop_back();
  } else if (text.starts_with("abs(") && text.ends_with(")")) {
    operand.isAbsolute = true;
    text = text.drop_front(4).drop_back();
  }
  operand.name = text.trim();
  return operand;
}

static AssemblyInstruction parseLine(llvm::StringRef line) {
  AssemblyInstruction instruction{line, takeUntil(line, " \t"), {}, {}};
  for (llvm::StringRef encoding : {"_e32", "_e64"})
    instruction.name.consume_back(encoding);
  line = line.ltrim();
  while (!line.empty()) {
    llvm::StringRef part = takeUntil(line, ",");
    instruction.operands.push_back(parseOperand(takeUntil(part, " \t")));
    for (part = part.ltrim(); !part.empty(); part = part.ltrim())
      instruction.modifiers.push_back(takeUntil(part, " \t"));
  }
  return instruction;
}

std::vector<AssemblyInstruction> parseAssembly(llvm::StringRef text) {
  std::vector<AssemblyInstruction> instructions;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (!(line = line.trim()).empty())
      instructions.push_back(parseLine(line));
  return instructions;
}

llvm::SmallVector<unsigned, 3> AssemblyInstruction::list(llvm::StringRef modifier, unsigned count,
                                                         unsigned otherwise) const {
  llvm::SmallVector<unsigned, 3> numbers(count, otherwise);
  for (llvm::StringRef text : modifiers) {
    if (!text.consume_front(modifier) || !text.consume_front(":["))
      continue;
    llvm::SmallVector<llvm::StringRef, 3> parts;
    text.drop_back().split(parts, ',');
    for (auto [number, part] : llvm::zip(numbers, parts))
      number = part.trim() == "1";
  }
  return numbers;
}

} // namespace triton::simulator::amdgpu
