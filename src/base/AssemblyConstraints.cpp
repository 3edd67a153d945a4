#include "base/AssemblyConstraints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/FormatVariadic.h"

using namespace triton;

static bool isMemory(const llvm::InlineAsm::ConstraintInfo &constraint) {
  return llvm::any_of(constraint.Codes,
                      [](llvm::StringRef code) { return llvm::is_contained({"m", "o", "V", "Q", "<", ">"}, code); });
}

/// Whether codes of several letters, `@2Rs` and `^Rs`, have all of them, as LLVM's parser expects.
static bool hasWholeCodes(llvm::StringRef constraints) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    size_t letters = 0;
    if (constraints[i] == '^')
      letters = 2;
    else if (constraints[i] == '@') {
      if (++i == constraints.size() || !llvm::isDigit(constraints[i]) || constraints[i] == '0')
        return false;
      letters = size_t(constraints[i] - '0');
    }
    if (i + letters >= constraints.size() && letters > 0)
      return false;
    i += letters;
  }
  return true;
}

static std::string describe(size_t results, size_t operands) {
  return llvm::formatv("{0} result{1} and {2} operand{3}", results, results == 1 ? "" : "s", operands,
                       operands == 1 ? "" : "s")
      .str();
}

std::string base::problemInConstraints(llvm::StringRef constraints, size_t results, size_t operands,
                                       bool isForProcessor) {
  llvm::InlineAsm::ConstraintInfoVector parsed;
  if (hasWholeCodes(constraints))
    parsed = llvm::InlineAsm::ParseConstraints(constraints);
  if (parsed.empty())
    return llvm::formatv("the constraints `{0}` cannot be read; they are a list such as `=r,r`", constraints).str();
  size_t outputs = 0, inputs = 0, clobbers = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : parsed) {
    bool isOutput = constraint.Type == llvm::InlineAsm::isOutput, isInput = constraint.Type == llvm::InlineAsm::isInput;
    if (constraint.isIndirect || constraint.Type == llvm::InlineAsm::isLabel ||
        ((isOutput || !isForProcessor) && isMemory(constraint)))
      return llvm::formatv("the constraints `{0}` pass memory or labels; only registers and constants are passed",
                           constraints)
          .str();
    if ((isOutput && inputs + clobbers > 0) || (isInput && clobbers > 0))
      return llvm::formatv("the constraints `{0}` have another order than results, operands, clobbers", constraints)
          .str();
    outputs += isOutput;
    inputs += isInput;
    clobbers += !isOutput && !isInput;
  }
  if (outputs == results && inputs == operands)
    return {};
  return llvm::formatv("the constraints `{0}` name {1}, but the assembly has {2}", constraints,
                       describe(outputs, inputs), describe(results, operands))
      .str();
}
