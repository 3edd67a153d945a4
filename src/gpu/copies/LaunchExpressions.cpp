#include "gpu/copies/LaunchExpressions.h"
#include "ir/AttributeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;

namespace triton::ttg {

namespace {

constexpr std::size_t longestText = 400; ///< more than any program computes an extent from

uint64_t largestPower(uint64_t value) { return value & -value; }

BlockArgument asKernelArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<tt::FuncOp>(argument.getOwner()->getParentOp()) ? argument : BlockArgument();
}

LaunchValue ofArgument(BlockArgument argument) {
  auto function = cast<tt::FuncOp>(argument.getOwner()->getParentOp());
  LaunchValue value{"arg:" + std::to_string(argument.getArgNumber()), 1, {}};
  if (auto known = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tt::divisibilityAttribute))
    value.divisibility = std::max<uint64_t>(1, largestPower(uint64_t(known.getInt())));
  if (isa<tt::PointerType>(argument.getType()))
    value.pointer = argument;
  return value;
}

LaunchValue ofConstant(int64_t number) {
  constexpr uint64_t ofZero = uint64_t(1) << 32; // a multiple of all that matters
  return {"const:" + std::to_string(number), number == 0 ? ofZero : largestPower(uint64_t(number)), {}};
}

struct Binary {
  llvm::StringRef name;
  bool isProduct = false, isSum = false;
};

std::optional<Binary> findBinary(Operation *op) {
  if (isa<arith::AddIOp>(op))
    return Binary{"add", false, true};
  if (isa<arith::SubIOp>(op))
    return Binary{"sub", false, true};
  if (isa<arith::MulIOp>(op))
    return Binary{"mul", true, false};
  if (isa<arith::DivSIOp>(op))
    return Binary{"div"};
  return std::nullopt;
}

std::optional<LaunchValue> ofPointerSum(tt::AddPtrOp sum) {
  std::optional<LaunchValue> base = findLaunchValue(sum.getPtr()), offset = findLaunchValue(sum.getOffset());
  auto pointer = dyn_cast<tt::PointerType>(sum.getType());
  if (!base || !offset || !pointer)
    return std::nullopt;
  unsigned bits = pointer.getPointeeType().isIntOrFloat() ? pointer.getPointeeType().getIntOrFloatBitWidth() : 64;
  uint64_t bytes = std::max(1u, bits / 8);
  base->text += " " + offset->text + " const:" + std::to_string(bytes) + " mul add";
  base->divisibility = std::gcd(base->divisibility, offset->divisibility * bytes);
  return base;
}

uint64_t divisibilityOfQuotient(const LaunchValue &dividend, Value divisor) {
  APInt constant;
  if (!matchPattern(divisor, m_ConstantInt(&constant)) || !constant.isStrictlyPositive())
    return 1;
  uint64_t parts = constant.getZExtValue();
  return dividend.divisibility % parts == 0 ? dividend.divisibility / parts : 1;
}

std::optional<LaunchValue> ofOperation(Operation *op) {
  if (auto extension = dyn_cast<arith::ExtSIOp>(op))
    return findLaunchValue(extension.getIn());
  if (auto sum = dyn_cast<tt::AddPtrOp>(op))
    return ofPointerSum(sum);
  std::optional<Binary> binary = findBinary(op);
  if (!binary)
    return std::nullopt;
  std::optional<LaunchValue> left = findLaunchValue(op->getOperand(0)), right = findLaunchValue(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  left->text += " " + right->text + " " + binary->name.str();
  left->divisibility = binary->isProduct ? left->divisibility * right->divisibility
                       : binary->isSum   ? std::gcd(left->divisibility, right->divisibility)
                                         : divisibilityOfQuotient(*left, op->getOperand(1));
  left->divisibility = std::min<uint64_t>(left->divisibility, uint64_t(1) << 32);
  if (op->getResult(0).getType().isInteger(32))
    left->text += " sext32";
  return left;
}

} // namespace

std::optional<LaunchValue> findLaunchValue(Value value) {
  if (BlockArgument argument = asKernelArgument(value))
    return ofArgument(argument);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ofConstant(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  std::optional<LaunchValue> found = op ? ofOperation(op) : std::nullopt;
  return found && found->text.size() <= longestText ? found : std::nullopt;
}

std::optional<LaunchValue> findPointerArgument(Value pointer) {
  while (auto sum = pointer.getDefiningOp<tt::AddPtrOp>())
    pointer = sum.getPtr();
  BlockArgument argument = asKernelArgument(pointer);
  return argument ? std::optional(ofArgument(argument)) : std::nullopt;
}

std::string nameOfArgument(BlockArgument argument) {
  // A descriptor that the launch passes is `x`, its parts `x.base` and others.
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return name.getName().getValue().split('.').first.str();
  return "argument " + std::to_string(argument.getArgNumber());
}

} // namespace triton::ttg
