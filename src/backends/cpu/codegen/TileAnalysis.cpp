#include "backends/cpu/codegen/TileAnalysis.h"

#include "ir/AttributeNames.h"
#include "ir/Dialect.h"
#include "ir/Reached.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace triton::cpu {

static constexpr int64_t largestDivisor = 1 << 20;

static int64_t powerOfTwoIn(int64_t value) {
  return value == 0 ? largestDivisor : std::min<int64_t>(value & -value, largestDivisor);
}

bool isElementwise(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tt::IntToPtrOp, tt::PtrToIntOp, tt::BitcastOp, tt::FpToFpOp, tt::ClampFOp, tt::PreciseSqrtOp,
             tt::PreciseDivFOp, tt::MulhiUIOp, tt::AddPtrOp, tt::ExternElementwiseOp>(op);
}

bool isShapeChange(Operation *op) { return isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::TransOp>(op); }

std::optional<int64_t> operandDimension(Operation *op, int64_t dim) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](tt::ExpandDimsOp expand) -> std::optional<int64_t> {
        int64_t axis = expand.getAxis();
        if (dim == axis)
          return std::nullopt;
        return dim < axis ? dim : dim - 1;
      })
      .Case([&](tt::BroadcastOp broadcast) -> std::optional<int64_t> {
        if (broadcast.getSrc().getType().getShape()[dim] == 1)
          return std::nullopt;
        return dim;
      })
      .Case([&](tt::TransOp trans) -> std::optional<int64_t> { return trans.getOrder()[dim]; })
      .Default([](Operation *) { return std::nullopt; });
}

LaneForm TileAnalysis::laneForm(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getShape()[dim] == 1)
    return {LaneForm::Kind::Uniform};
  if (isMaterialized(tensor))
    return {};
  auto [known, isNew] = forms.try_emplace({tensor, dim});
  if (!isNew)
    return known->second;
  LaneForm form = computeForm(tensor, dim);
  forms[{tensor, dim}] = form;
  return form;
}

LaneForm TileAnalysis::computeForm(Value tensor, int64_t dim) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return {};
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return {LaneForm::Kind::Affine, 1};
  if (isShapeChange(op)) {
    std::optional<int64_t> source = operandDimension(op, dim);
    return source ? laneForm(op->getOperand(0), *source) : LaneForm{LaneForm::Kind::Uniform};
  }
  if (auto split = dyn_cast<tt::SplitOp>(op))
    return laneForm(split.getSrc(), dim);
  // Poison is a constant, too, whose attribute has no elements.
  Attribute constant;
  if (matchPattern(tensor, m_Constant(&constant)))
    return {isa<SplatElementsAttr>(constant) ? LaneForm::Kind::Uniform : LaneForm::Kind::General};
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    bool uniform = laneForm(load.getPtr(), dim).kind == LaneForm::Kind::Uniform;
    for (Value operand : {load.getMask(), load.getOther()})
      uniform &= !operand || laneForm(operand, dim).kind == LaneForm::Kind::Uniform;
    return {uniform ? LaneForm::Kind::Uniform : LaneForm::Kind::General};
  }
  if (!isElementwise(op))
    return {};
  LaneForm form = computeElementwiseForm(op, dim);
  for (Value operand : op->getOperands())
    form.isOfChunks |= laneForm(operand, dim).isOfChunks;
  return form;
}

/// The value of an integer constant, which is a scalar or a splat.
static std::optional<int64_t> constantValue(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  if (auto splat = value.getDefiningOp<tt::SplatOp>())
    return constantValue(splat.getSrc());
  return std::nullopt;
}

LaneForm TileAnalysis::computeElementwiseForm(Operation *op, int64_t dim) {
  using Kind = LaneForm::Kind;
  SmallVector<LaneForm, 3> in;
  for (Value operand : op->getOperands())
    in.push_back(laneForm(operand, dim));
  if (llvm::all_of(in, [](LaneForm form) { return form.kind == Kind::Uniform; }))
    return {Kind::Uniform};
  auto linear = [&](unsigned i) { return in[i].kind == Kind::Uniform || in[i].kind == Kind::Affine; };
  // Steps wrap around as the elements do.
  auto step = [&](unsigned i) { return uint64_t(in[i].step); };
  auto affine = [](uint64_t step) { return LaneForm{step == 0 ? Kind::Uniform : Kind::Affine, int64_t(step)}; };
  auto isPrefixLike = [&](unsigned i) { return in[i].kind == Kind::Uniform || in[i].kind == Kind::Prefix; };
  return llvm::TypeSwitch<Operation *, LaneForm>(op)
      .Case<arith::AddIOp, tt::AddPtrOp>(
          [&](auto) -> LaneForm { return linear(0) && linear(1) ? affine(step(0) + step(1)) : LaneForm{}; })
      .Case([&](arith::SubIOp) -> LaneForm { return linear(0) && linear(1) ? affine(step(0) - step(1)) : LaneForm{}; })
      .Case([&](arith::MulIOp mul) -> LaneForm {
        std::optional<int64_t> left = constantValue(mul.getLhs()), right = constantValue(mul.getRhs());
        if (linear(0) && right)
          return affine(step(0) * uint64_t(*right));
        return linear(1) && left ? affine(step(1) * uint64_t(*left)) : LaneForm{};
      })
      .Case([&](arith::ShLIOp shift) -> LaneForm {
        std::optional<int64_t> amount = constantValue(shift.getRhs());
        return linear(0) && amount && *amount >= 0 && *amount < 63 ? affine(step(0) << *amount) : LaneForm{};
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](auto) -> LaneForm {
        bool isWide = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth() >= 32;
        return isWide && linear(0) && (isa<arith::TruncIOp>(op) || !mayWrap(op->getOpOperand(0))) ? in[0] : LaneForm{};
      })
      .Case<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>([&](auto) -> LaneForm {
        bool aligned = in[0].kind == Kind::Affine && in[0].step == 1 && in[1].kind == Kind::Uniform &&
                       divisor(op->getOperand(0), dim) >= chunk && divisor(op->getOperand(1)) >= chunk &&
                       isNonNegative(op->getOperand(0));
        if (!aligned)
          return {};
        bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
        return {isRemainder ? Kind::Affine : Kind::Uniform, isRemainder ? 1 : 0, /*isOfChunks=*/true};
      })
      .Case([&](arith::CmpIOp compare) -> LaneForm {
        unsigned index = in[0].kind == Kind::Uniform ? 1 : 0;
        bool isPrefix = in[index].kind == Kind::Affine && in[index].step == 1 && in[1 - index].kind == Kind::Uniform &&
                        comparesAsPrefix(compare, index);
        return {isPrefix ? Kind::Prefix : Kind::General};
      })
      .Case([&](arith::AndIOp) -> LaneForm {
        bool isMask = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
        return {isMask && isPrefixLike(0) && isPrefixLike(1) ? Kind::Prefix : Kind::General};
      })
      .Case<tt::BitcastOp>([&](auto cast) -> LaneForm {
        return isa<tt::PointerType>(getElementTypeOrSelf(cast.getType())) ? in[0] : LaneForm{};
      })
      .Default([](Operation *) { return LaneForm{}; });
}

/// Divisors that the program states: those of arguments, and `tl.multiple_of` on the defining operation.
static int64_t statedDivisor(Value value, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function)
      return 1;
    auto stated = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tt::divisibilityAttribute);
    return stated ? powerOfTwoIn(stated.getInt()) : 1;
  }
  Attribute stated = value.getDefiningOp()->getDiscardableAttr(tt::divisibilityAttribute);
  if (auto number = dyn_cast_if_present<IntegerAttr>(stated))
    return powerOfTwoIn(number.getInt());
  if (auto numbers = dyn_cast_if_present<DenseIntElementsAttr>(stated))
    if (std::max<int64_t>(dim, 0) < numbers.getNumElements() && (dim >= 0 || !isa<RankedTensorType>(value.getType())))
      return powerOfTwoIn((*(numbers.value_begin<APInt>() + std::max<int64_t>(dim, 0))).getSExtValue());
  return 1;
}

int64_t TileAnalysis::divisor(Value value, int64_t dim) {
  auto [known, isNew] = divisors.try_emplace({value, dim}, 1);
  if (!isNew)
    return known->second;
  int64_t result = std::max(statedDivisor(value, dim), computeDivisor(value, dim));
  divisors[{value, dim}] = result;
  return result;
}

int64_t TileAnalysis::computeDivisor(Value value, int64_t dim) {
  if (std::optional<int64_t> constant = constantValue(value))
    return powerOfTwoIn(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return 1;
    return std::min(divisor(loop.getLowerBound()), divisor(loop.getStep()));
  }
  Operation *op = value.getDefiningOp();
  if (isMaterialized(value))
    return 1;
  auto of = [&](unsigned i) { return divisor(op->getOperand(i), dim); };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](tt::MakeRangeOp range) -> int64_t {
        return dim == 0 ? std::min(powerOfTwoIn(range.getStart()), chunk) : 1;
      })
      .Case([&](tt::SplatOp splat) { return divisor(splat.getSrc()); })
      .Case<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp>([&](auto) -> int64_t {
        std::optional<int64_t> source = dim < 0 ? std::nullopt : operandDimension(op, dim);
        return divisor(op->getOperand(0), source.value_or(-1));
      })
      .Case<arith::AddIOp, arith::SubIOp, tt::AddPtrOp>([&](auto) { return std::min(of(0), of(1)); })
      .Case([&](arith::SelectOp) { return std::min(of(1), of(2)); })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) { return std::min(of(0), of(1)); })
      .Case([&](arith::MulIOp) { return std::min(of(0) * of(1), largestDivisor); })
      .Case([&](arith::ShLIOp shift) -> int64_t {
        std::optional<int64_t> amount = constantValue(shift.getRhs());
        return amount && *amount >= 0 && *amount < 20 ? std::min(of(0) << *amount, largestDivisor) : of(0);
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](auto) { return of(0); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return std::min(of(0), of(1)); })
      .Default([](Operation *) -> int64_t { return 1; });
}

/// Whether `value` is not negative if all values that are appended to `operands` are not.
static bool keepsNonNegative(Value value, SmallVectorImpl<Value> &operands) {
  if (std::optional<int64_t> constant = constantValue(value))
    return *constant >= 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument != loop.getInductionVar())
      return false;
    operands.push_back(loop.getLowerBound());
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (isa<tt::MakeRangeOp, tt::GetProgramIdOp, tt::GetNumProgramsOp, arith::ExtUIOp>(op))
    return true;
  // Divisors are assumed to be positive, as in Triton's own analysis, because the sign of a difference, such as the
  // size of a group of programs, is often not known.
  bool divides = isa<arith::RemSIOp, arith::DivSIOp>(op);
  llvm::append_range(operands, op->getOperands().take_front(divides ? 1 : op->getNumOperands()));
  return divides || isShapeChange(op) ||
         isa<arith::AddIOp, arith::MulIOp, arith::ExtSIOp, arith::MinSIOp, arith::ShLIOp>(op);
}

bool TileAnalysis::isNonNegative(Value value) { return holdsForAllReached(value, keepsNonNegative); }

static unsigned operationCost(Operation *op) {
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp>(op) ? 1 : 16;
  if (isa<arith::DivFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(op))
    return 6;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 24;
  if (isa<tt::ExternElementwiseOp>(op))
    return 16;
  return isa<tt::FpToFpOp>(op) ? 6 : 1;
}

unsigned TileAnalysis::cost(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  if (!type || !op || isMaterialized(tensor))
    return type ? 1 : 0;
  auto [known, isNew] = costs.try_emplace(tensor, 0);
  if (!isNew)
    return known->second;
  bool isFree = isa<arith::ConstantOp, tt::MakeRangeOp>(op);
  for (int64_t dim = 0; dim < type.getRank() && !isFree; ++dim) {
    LaneForm form = laneForm(tensor, dim);
    isFree = form.kind == LaneForm::Kind::Affine || form.kind == LaneForm::Kind::Prefix;
  }
  unsigned total = 0;
  if (!isFree) {
    total = isShapeChange(op) ? 0 : operationCost(op);
    for (Value operand : op->getOperands())
      total = std::min(total + cost(operand), 1000u);
  }
  costs[tensor] = total;
  return total;
}

bool TileAnalysis::readsMemory(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!isa<RankedTensorType>(tensor.getType()) || !op || isMaterialized(tensor))
    return false;
  if (isa<tt::LoadOp>(op))
    return true;
  auto known = reads.find(tensor);
  if (known != reads.end())
    return known->second;
  bool result = llvm::any_of(op->getOperands(), [&](Value operand) { return readsMemory(operand); });
  reads[tensor] = result;
  return result;
}

bool TileAnalysis::dependsOn(Value tensor, Value mask) {
  if (tensor == mask)
    return true;
  Operation *op = tensor.getDefiningOp();
  if (!isa<RankedTensorType>(tensor.getType()) || !op || isMaterialized(tensor))
    return false;
  auto [known, isNew] = dependences.try_emplace({tensor, mask}, false);
  if (!isNew)
    return known->second;
  bool result = llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, mask); });
  dependences[{tensor, mask}] = result;
  return result;
}

Value findBasePointer(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isShapeChange(op) && !isa<tt::AddPtrOp, tt::BitcastOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
  bool isArgument = isa<FunctionOpInterface>(cast<BlockArgument>(pointer).getOwner()->getParentOp());
  return isArgument ? pointer : Value();
}

bool haveSameBase(Value pointer, Value other) {
  Value base = findBasePointer(pointer), otherBase = findBasePointer(other);
  return !base || !otherBase || base == otherBase;
}

} // namespace triton::cpu
