#include "backends/nvidia/DefineNegation.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::nvidia {

/// The replacement of an instruction, without the end of its line; empty for all other instructions.
static std::string replacementOf(llvm::StringRef instruction) {
  auto [name, operands] = instruction.trim().split(' ');
  if (name != "neg.s32" && name != "neg.s64" && name != "abs.s32" && name != "abs.s64")
    return "";
  llvm::StringRef bits = name.take_back(2);
  auto [result, operand] = operands.trim().rtrim(';').split(", ");
  if (name.starts_with("neg"))
    return llvm::formatv("\tnot.b{0} \t{1}, {2};\n\tadd.s{0} \t{1}, {1}, 1;", bits, result, operand).str();
  // A separate register, because the result may be in the operand's register.
  return llvm::formatv("\t{{ .reg .b{0} \t%negated;\n\tnot.b{0} \t%negated, {2};\n\tadd.s{0} \t%negated, %negated, 1;\n"
                       "\tmax.s{0} \t{1}, %negated, {2}; }",
                       bits, result, operand)
      .str();
}

std::string defineNegation(llvm::StringRef ptx) {
  std::string text;
  text.reserve(ptx.size() + ptx.size() / 64);
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (std::string replacement = replacementOf(line); !replacement.empty())
      text += replacement;
    else
      text += line;
    if (line.size() < ptx.size())
      text += '\n';
    ptx = rest;
  }
  return text;
}

} // namespace triton::nvidia
