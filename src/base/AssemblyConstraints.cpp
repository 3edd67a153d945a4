#include "base/AssemblyConstraints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/FormatVariadic.h"

using namespace triton;

static bool isMemory(const llvm::InlineAsm::ConstraintInfo &constraint, bool isForProcessor) {
  // `Q` is a class of registers on x86, and `p` an address in one.
  return llvm::any_of(constraint.Codes, [&](llvm::StringRef code) {
    return llvm::is_contained({"m", "o", "V", "<", ">"}, code) || ((code == "Q" || code == "p") && !isForProcessor);
  });
}

/// How many letters the code at the beginning of `item` has, as LLVM's parser expects them: `@2Rs` and `^Rs` say that
/// they have several. 0 where it does not say how many.
static size_t lettersOfCode(llvm::StringRef item) {
  if (item.front() == '^')
    return 3;
  if (item.front() != '@')
    return 1;
  bool hasCount = item.size() > 1 && llvm::isDigit(item[1]) && item[1] != '0';
  return hasCount ? 2 + size_t(item[1] - '0') : 0;
}

bool base::hasWholeConstraints(llvm::StringRef constraints) {
  llvm::SmallVector<llvm::StringRef> items;
  constraints.split(items, ',');
  for (llvm::StringRef item : items)
    while (!item.empty()) {
      size_t letters = lettersOfCode(item);
      if (letters == 0 || letters > item.size())
        return false;
      item = item.drop_front(letters);
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
  if (hasWholeConstraints(constraints))
    parsed = llvm::InlineAsm::ParseConstraints(constraints);
  if (parsed.empty() && !constraints.empty())
    return llvm::formatv("the constraints `{0}` cannot be read; they are a list such as `=r,r`", constraints).str();
  size_t outputs = 0, inputs = 0, clobbers = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : parsed) {
    bool isOutput = constraint.Type == llvm::InlineAsm::isOutput, isInput = constraint.Type == llvm::InlineAsm::isInput;
    if (constraint.isIndirect || constraint.Type == llvm::InlineAsm::isLabel ||
        ((isOutput || !isForProcessor) && isMemory(constraint, isForProcessor)))
      return llvm::formatv("the constraints `{0}` pass memory or labels; only registers and constants are passed",
                           constraints)
          .str();
    if ((isOutput && inputs + clobbers > 0) || (isInput && clobbers > 0))
      return llvm::formatv("the constraints `{0}` have another order than results, operands, clobbers; write them as "
                           "in `=r,r,~{{memory}`",
                           constraints)
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

std::string base::problemInOperands(llvm::StringRef text, size_t count) {
  while (!(text = text.drop_until([](char letter) { return letter == '$'; })).empty()) {
    text = text.drop_front();
    if (text.consume_front("$")) // a dollar sign
      continue;
    text.consume_front("{");
    llvm::StringRef number = text.take_while(llvm::isDigit);
    size_t place = 0;
    if (number.empty() || (!number.getAsInteger(10, place) && place < count))
      continue;
    std::string known = count == 0   ? "none"
                        : count == 1 ? "`$0` alone"
                                     : llvm::formatv("`$0` to `${0}`", count - 1).str();
    return llvm::formatv("the text names the operand `${0}`, and the assembly has {1}", number, known).str();
  }
  return {};
}
