#include "base/TensorMapParameter.h"

#include "base/DescriptorType.h"
#include "base/LoadedKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::base {

using Kind = LaunchExpression::Kind;

namespace {

struct KindText {
  Kind kind;
  llvm::StringLiteral text;
  unsigned operands;
};

constexpr KindText kindTexts[] = {
    {Kind::Argument, "arg:", 0},       {Kind::Constant, "const:", 0}, {Kind::Add, "add", 2},
    {Kind::Subtract, "sub", 2},        {Kind::Multiply, "mul", 2},    {Kind::Divide, "div", 2},
    {Kind::SignExtend32, "sext32", 1},
};

const KindText &textOf(Kind kind) { return kindTexts[unsigned(kind)]; }

bool hasValue(Kind kind) { return textOf(kind).operands == 0; }

int64_t divide(int64_t left, int64_t right) {
  if (right == 0)
    throw LaunchError("division by zero");
  return right == -1 ? int64_t(-uint64_t(left)) : left / right; // of the smallest number, too
}

int64_t combine(Kind kind, int64_t left, int64_t right) {
  switch (kind) {
  case Kind::Add:
    return int64_t(uint64_t(left) + uint64_t(right));
  case Kind::Subtract:
    return int64_t(uint64_t(left) - uint64_t(right));
  case Kind::Multiply:
    return int64_t(uint64_t(left) * uint64_t(right));
  default:
    return divide(left, right);
  }
}

} // namespace

int64_t readSlot(uint64_t slot, const ElementType &type) {
  unsigned bits = type.isPointer() ? 64 : bitWidth(type.scalar);
  if (!type.isPointer() && kind(type.scalar) == ScalarKind::Signed)
    return llvm::SignExtend64(slot, bits);
  return int64_t(slot & llvm::maskTrailingOnes<uint64_t>(bits));
}

bool LaunchExpression::isValid(std::size_t argumentCount) const {
  std::size_t depth = 0;
  for (const Step &step : steps) {
    unsigned operands = textOf(step.kind).operands;
    if (depth < operands || (step.kind == Kind::Argument && (step.value < 0 || uint64_t(step.value) >= argumentCount)))
      return false;
    depth = depth - operands + 1;
  }
  return depth == 1;
}

int64_t LaunchExpression::evaluate(std::span<const uint64_t> slots, std::span<const RuntimeArgument> arguments) const {
  llvm::SmallVector<int64_t, 8> stack;
  for (const Step &step : steps) {
    if (step.kind == Kind::Argument) {
      stack.push_back(readSlot(slots[std::size_t(step.value)], arguments[std::size_t(step.value)].type));
    } else if (step.kind == Kind::Constant) {
      stack.push_back(step.value);
    } else if (step.kind == Kind::SignExtend32) {
      stack.back() = int32_t(stack.back());
    } else {
      int64_t right = stack.pop_back_val();
      stack.back() = combine(step.kind, stack.back(), right);
    }
  }
  return stack.back();
}

std::string LaunchExpression::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(
      steps, out,
      [&](const Step &step) {
        out << textOf(step.kind).text;
        if (hasValue(step.kind))
          out << step.value;
      },
      " ");
  return text;
}

std::optional<LaunchExpression> LaunchExpression::parse(std::string_view text) {
  LaunchExpression expression;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text).split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::size_t argumentCount = 0;
  for (llvm::StringRef word : words) {
    const auto *found = llvm::find_if(kindTexts, [&](const KindText &known) {
      return hasValue(known.kind) ? word.starts_with(known.text) : word == known.text;
    });
    if (found == std::end(kindTexts))
      return std::nullopt;
    Step step{found->kind};
    if (hasValue(step.kind) && word.drop_front(found->text.size()).getAsInteger(10, step.value))
      return std::nullopt;
    if (step.kind == Kind::Argument && step.value >= 0)
      argumentCount = std::max(argumentCount, std::size_t(step.value) + 1);
    expression.steps.push_back(step);
  }
  if (!expression.isValid(argumentCount))
    return std::nullopt;
  return expression;
}

std::string checkTensorMap(const TensorMapParameter &map, std::size_t argumentCount) {
  if (map.element == ScalarType::Void || map.element == ScalarType::Int1)
    return "its elements are " + std::string(longName(map.element));
  std::size_t rank = map.shape.size();
  if (rank < 1 || rank > DescriptorType::maximumRank)
    return "it has " + std::to_string(rank) + " dimensions; there are 1 to " +
           std::to_string(DescriptorType::maximumRank);
  if (map.strides.size() != rank - 1)
    return "it has " + std::to_string(map.strides.size()) + " strides for " + std::to_string(rank) +
           " dimensions; all but the last have one";
  if (map.box.size() != rank)
    return "its box has " + std::to_string(map.box.size()) + " extents for " + std::to_string(rank) + " dimensions";
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, map.swizzleBytes))
    return "its swizzle is over " + std::to_string(map.swizzleBytes) + " bytes; there are 0, 32, 64 and 128";
  if (map.roundsToTF32 && map.element != ScalarType::Float32)
    return "rounding to tf32 needs fp32 elements, not " + std::string(shortName(map.element));
  if (map.fp4Padded && (bitWidth(map.element) != 8 || map.swizzleBytes != 128 || map.padsWithNaN))
    return "padded floats of 4 bits are pairs in elements of 8 bits, with a swizzle of 128 bytes and zeros outside, "
           "not " +
           std::string(shortName(map.element));
  auto isValid = [&](const LaunchExpression &expression) { return expression.isValid(argumentCount); };
  if (!isValid(map.base) || !llvm::all_of(map.shape, isValid) || !llvm::all_of(map.strides, isValid))
    return "an expression is malformed or names an argument beyond the " + std::to_string(argumentCount) +
           " of the kernel";
  return "";
}

} // namespace triton::base
