// The rules rest on one lemma: at positions that are multiples of g, a value is divisible by AxisFacts::at(g).
#include "analysis/AxisRules.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::analysis {

/// Larger divisibilities do not help, and products of two do not overflow.
static constexpr int64_t largestDivisor = int64_t(1) << 30;

int64_t powerOfTwoPart(int64_t value) {
  return value == 0 ? largestDivisor : std::min(largestDivisor, int64_t(1) << llvm::countr_zero(uint64_t(value)));
}

static int64_t multiplyDivisors(int64_t left, int64_t right) { return std::min(largestDivisor, left * right); }

/// Combines two operands of the same shape axis by axis.
template <typename Rule> static AxisInfo combineAxes(const AxisInfo &left, const AxisInfo &right, Rule rule) {
  AxisInfo result;
  for (auto [a, b] : llvm::zip_equal(left.axes, right.axes)) {
    AxisFacts facts = rule(a, b);
    facts.step = a.step;
    result.axes.push_back(facts);
  }
  return result;
}

template <typename Rule> static AxisInfo mapAxes(const AxisInfo &source, Rule rule) {
  return combineAxes(source, source, [&](const AxisFacts &facts, const AxisFacts &) { return rule(facts); });
}

static AxisFacts addFacts(const AxisFacts &a, const AxisFacts &b) {
  int64_t contiguity = std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
  return {contiguity, std::min(a.at(contiguity), b.at(contiguity)), std::min(a.constancy, b.constancy)};
}

static AxisInfo inferAdd(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = combineAxes(a, b, addFacts);
  result.isNonNegative = a.isNonNegative && b.isNonNegative;
  return result;
}

static AxisInfo inferAddPtr(const AxisInfo &pointer, const AxisInfo &offset) {
  return combineAxes(pointer, offset, [](const AxisFacts &a, AxisFacts b) {
    b.divisibility = multiplyDivisors(b.divisibility, a.step);
    b.step = a.step;
    return addFacts(a, b);
  });
}

static AxisInfo inferSub(const AxisInfo &a, const AxisInfo &b) {
  return combineAxes(a, b, [](const AxisFacts &a, const AxisFacts &b) -> AxisFacts {
    int64_t contiguity = std::min(a.contiguity, b.constancy);
    return {contiguity, std::min(a.at(contiguity), b.at(contiguity)),
            std::max(std::min(a.constancy, b.constancy), std::min(a.contiguity, b.contiguity))};
  });
}

static AxisInfo inferMul(const AxisInfo &a, const AxisInfo &b) {
  if (b.constant == 1)
    return a;
  if (a.constant == 1)
    return b;
  AxisInfo result = combineAxes(a, b, [](const AxisFacts &a, const AxisFacts &b) -> AxisFacts {
    return {1, multiplyDivisors(a.at(1), b.at(1)), std::min(a.constancy, b.constancy)};
  });
  result.isNonNegative = a.isNonNegative && b.isNonNegative;
  return result;
}

/// The size of groups in which `a` runs through a stretch that starts at a multiple of the size, while `b` is a single
/// multiple of it. All values of `a` in the group have the same quotient by `b` and are on the same side of it.
static int64_t alignedRun(const AxisFacts &a, const AxisFacts &b) {
  return std::min({a.contiguity, b.constancy, a.divisibility, b.at(1)});
}

/// A signed division truncates towards zero, which breaks groups of negative dividends. The divisor of a scalar is
/// assumed to be a count, and therefore positive, because program ids are split into coordinates in this way.
static AxisInfo inferDiv(Type type, const AxisInfo &a, const AxisInfo &b, bool isUnsigned) {
  if (b.constant == 1)
    return a;
  bool floors = isUnsigned || a.isNonNegative;
  AxisInfo result = combineAxes(a, b, [&](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    int64_t divisibility = 1;
    if (b.constant && *b.constant > 0 && llvm::isPowerOf2_64(uint64_t(*b.constant)) && x.contiguity == 1)
      divisibility = std::max<int64_t>(1, x.divisibility / *b.constant);
    return {1, divisibility, std::max(std::min(x.constancy, y.constancy), floors ? alignedRun(x, y) : 1)};
  });
  result.isNonNegative = a.isNonNegative && (b.isNonNegative || !isa<RankedTensorType>(type));
  return result;
}

static AxisInfo inferRem(const AxisInfo &a, const AxisInfo &b, bool isUnsigned) {
  bool floors = isUnsigned || a.isNonNegative;
  AxisInfo result = combineAxes(a, b, [&](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    int64_t contiguity = floors ? alignedRun(x, y) : 1;
    return {contiguity, std::min(x.at(contiguity), y.at(1)), std::min(x.constancy, y.constancy)};
  });
  result.isNonNegative = a.isNonNegative;
  return result;
}

static AxisInfo inferShiftLeft(const AxisInfo &a, const AxisInfo &count) {
  int64_t factor = count.constant && *count.constant >= 0 && *count.constant < 31 ? int64_t(1) << *count.constant : 1;
  AxisInfo result = combineAxes(a, count, [&](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    return {1, multiplyDivisors(x.at(1), factor), std::min(x.constancy, y.constancy)};
  });
  result.isNonNegative = a.isNonNegative;
  return result;
}

static AxisInfo inferShiftRight(const AxisInfo &a, const AxisInfo &count) {
  int64_t divisor = count.constant && *count.constant >= 0 && *count.constant < 31 ? int64_t(1) << *count.constant : 1;
  AxisInfo result = combineAxes(a, count, [&](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    int64_t run = count.constant ? std::min({x.contiguity, x.divisibility, divisor}) : 1;
    int64_t divisibility = count.constant ? std::max<int64_t>(1, x.at(1) / divisor) : 1;
    return {1, divisibility, std::max(std::min(x.constancy, y.constancy), run)};
  });
  result.isNonNegative = a.isNonNegative;
  return result;
}

/// The low bits of a stretch that starts at a multiple of 2^s are a stretch; its high bits are constant.
static AxisInfo inferAnd(const AxisInfo &a, const AxisInfo &b) {
  const AxisInfo &value = a.constant ? b : a, &mask = a.constant ? a : b;
  bool keepsLow = mask.constant && *mask.constant >= 0 && llvm::isPowerOf2_64(uint64_t(*mask.constant) + 1);
  bool keepsHigh = mask.constant && *mask.constant < 0 && llvm::isPowerOf2_64(-uint64_t(*mask.constant));
  AxisInfo result = combineAxes(value, mask, [&](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    int64_t constancy = std::min(x.constancy, y.constancy);
    if (keepsLow) {
      int64_t contiguity = std::min({x.contiguity, x.divisibility, powerOfTwoPart(*mask.constant + 1)});
      return {contiguity, x.at(contiguity), constancy};
    }
    int64_t divisibility = std::max(x.at(1), y.at(1));
    if (keepsHigh)
      constancy = std::max(constancy, std::min({x.contiguity, x.divisibility, powerOfTwoPart(*mask.constant)}));
    return {1, divisibility, constancy};
  });
  result.isNonNegative = a.isNonNegative || b.isNonNegative;
  return result;
}

static AxisInfo inferOr(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = combineAxes(a, b, [](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    return {1, std::min(x.at(1), y.at(1)), std::min(x.constancy, y.constancy)};
  });
  result.isNonNegative = a.isNonNegative && b.isNonNegative;
  return result;
}

/// Compared with a multiple of the run's size, either all of a run is below or none is; `<=` differs at the run's first
/// value.
static AxisInfo inferCompare(arith::CmpIPredicate predicate, const AxisInfo &a, const AxisInfo &b) {
  using Predicate = arith::CmpIPredicate;
  bool leftRuns = predicate == Predicate::slt || predicate == Predicate::sge || predicate == Predicate::ult ||
                  predicate == Predicate::uge;
  bool rightRuns = predicate == Predicate::sgt || predicate == Predicate::sle || predicate == Predicate::ugt ||
                   predicate == Predicate::ule;
  return combineAxes(a, b, [&](const AxisFacts &x, const AxisFacts &y) -> AxisFacts {
    int64_t constancy = std::min(x.constancy, y.constancy);
    if (leftRuns)
      constancy = std::max(constancy, alignedRun(x, y));
    if (rightRuns)
      constancy = std::max(constancy, alignedRun(y, x));
    return {1, 1, constancy};
  });
}

static AxisInfo inferSelect(const AxisInfo &condition, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = AxisInfo::join(a, b);
  if (condition.axes.size() != a.axes.size() || condition.constant)
    return result; // A scalar decides for all elements.
  for (auto [facts, decides, x, y] : llvm::zip_equal(result.axes, condition.axes, a.axes, b.axes)) {
    facts.contiguity = std::min(facts.contiguity, decides.constancy);
    facts.divisibility = std::min(x.at(facts.contiguity), y.at(facts.contiguity));
    facts.constancy = std::min(facts.constancy, decides.constancy);
  }
  return result;
}

static AxisInfo inferMinMax(const AxisInfo &a, const AxisInfo &b, bool isMax) {
  AxisInfo result = AxisInfo::join(a, b);
  result.constant = std::nullopt;
  result.isNonNegative = isMax ? a.isNonNegative || b.isNonNegative : a.isNonNegative && b.isNonNegative;
  return result;
}

/// Keeps only the stretches that start at multiples of their length.
static AxisInfo inferAlignedRuns(const AxisInfo &source) {
  return mapAxes(source, [](const AxisFacts &facts) -> AxisFacts {
    int64_t contiguity = std::min(facts.contiguity, facts.divisibility);
    return {contiguity, facts.at(contiguity), facts.constancy};
  });
}

/// Zero extension splits a stretch where it passes from -1 to 0, which aligned stretches do not.
static AxisInfo inferZeroExtend(const AxisInfo &source, Type sourceType) {
  if (source.isNonNegative)
    return source;
  AxisInfo result = inferAlignedRuns(source);
  result.isNonNegative = true;
  if (source.constant)
    result.constant = int64_t(llvm::APInt(64, uint64_t(*source.constant))
                                  .zextOrTrunc(getElementTypeOrSelf(sourceType).getIntOrFloatBitWidth())
                                  .getZExtValue());
  return result;
}

/// Indices are 32 bits wide and are assumed not to overflow. Narrower numbers wrap, but aligned stretches do not cross
/// the end of the range.
static AxisInfo inferSignExtend(const AxisInfo &source, Type sourceType) {
  if (source.isNonNegative || getElementTypeOrSelf(sourceType).getIntOrFloatBitWidth() >= 32)
    return source;
  AxisInfo result = inferAlignedRuns(source);
  result.constant = source.constant;
  return result;
}

/// The same bits counted in other units: stretches remain if the units are equal.
static AxisInfo inferReinterpret(const AxisInfo &source, int64_t step) {
  AxisInfo result;
  for (const AxisFacts &facts : source.axes) {
    int64_t contiguity = facts.step == step ? facts.contiguity : 1;
    result.axes.push_back({contiguity, facts.at(contiguity), facts.constancy, step});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The largest number that is known to divide every value, from whichever axis gives it.
static int64_t divisorOfAll(const AxisInfo &info) {
  int64_t divisor = 1;
  for (const AxisFacts &facts : info.axes)
    divisor = std::max(divisor, facts.at(1));
  return divisor;
}

static AxisInfo inferSplat(Type type, const AxisInfo &scalar) {
  AxisInfo result;
  result.constant = scalar.constant;
  result.isNonNegative = scalar.isNonNegative;
  const AxisFacts &facts = scalar.axes.front();
  for (int64_t extent : cast<RankedTensorType>(type).getShape())
    result.axes.push_back({1, facts.divisibility, extent, facts.step});
  return result;
}

static AxisInfo inferRange(tt::MakeRangeOp range) {
  AxisInfo result;
  result.isNonNegative = int32_t(range.getStart()) >= 0;
  result.axes.push_back({powerOfTwoPart(int64_t(range.getEnd()) - int64_t(range.getStart())),
                         powerOfTwoPart(int32_t(range.getStart())), 1});
  return result;
}

static AxisInfo inferExpandDims(unsigned axis, const AxisInfo &source) {
  AxisInfo result = source;
  result.axes.insert(result.axes.begin() + axis, {1, divisorOfAll(source), 1, source.axes.front().step});
  return result;
}

static AxisInfo inferBroadcast(tt::BroadcastOp op, const AxisInfo &source) {
  AxisInfo result = source;
  auto from = cast<RankedTensorType>(op.getSrc().getType()), to = cast<RankedTensorType>(op.getType());
  for (auto [facts, sourceExtent, extent] : llvm::zip_equal(result.axes, from.getShape(), to.getShape()))
    if (sourceExtent != extent)
      facts = {1, facts.at(1), extent, facts.step};
  return result;
}

static AxisInfo inferTranspose(tt::TransOp op, const AxisInfo &source) {
  AxisInfo result = source;
  for (auto [axis, from] : llvm::enumerate(op.getOrder()))
    result.axes[axis] = source.axes[from];
  return result;
}

/// Elements before which dimension `index` advances by one, in row-major order.
static int64_t strideOf(llvm::ArrayRef<int64_t> shape, std::size_t index) {
  int64_t stride = 1;
  for (int64_t extent : shape.drop_front(index + 1))
    stride *= extent;
  return stride;
}

/// A dimension of the result that starts where a dimension of the source starts runs along it, as far as both reach.
static AxisInfo inferReshape(tt::ReshapeOp op, const AxisInfo &source) {
  auto from = cast<RankedTensorType>(op.getSrc().getType()).getShape(),
       to = cast<RankedTensorType>(op.getType()).getShape();
  AxisInfo result;
  result.constant = source.constant;
  result.isNonNegative = source.isNonNegative;
  for (std::size_t target = 0; target < to.size(); ++target) {
    AxisFacts facts{1, divisorOfAll(source), 1, source.axes.front().step};
    for (std::size_t axis = 0; axis < from.size() && !op.getAllowReorder(); ++axis) {
      if (from[axis] == 1 || strideOf(from, axis) != strideOf(to, target))
        continue;
      const AxisFacts &along = source.axes[axis];
      facts.contiguity = std::min(along.contiguity, to[target]);
      facts.divisibility = along.at(facts.contiguity);
      facts.constancy = std::min(along.constancy, to[target]);
    }
    if (source.constant)
      facts.constancy = to[target];
    result.axes.push_back(facts);
  }
  return result;
}

/// Operations without a special rule: equal operands give equal results.
static AxisInfo inferElementwise(Operation *op, llvm::ArrayRef<const AxisInfo *> operands) {
  AxisInfo result = AxisInfo::unknown(op->getResult(0).getType());
  if (!op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op) || operands.empty())
    return result;
  for (auto [axis, facts] : llvm::enumerate(result.axes)) {
    int64_t constancy = largestDivisor;
    for (const AxisInfo *operand : operands)
      if (operand->axes.size() == result.axes.size())
        constancy = std::min(constancy, operand->axes[axis].constancy);
    facts.constancy = constancy == largestDivisor ? 1 : constancy;
  }
  return result;
}

static AxisInfo inferLoad(tt::LoadOp load, llvm::ArrayRef<const AxisInfo *> operands) {
  AxisInfo result = AxisInfo::unknown(load.getType());
  if (load.getIsVolatile())
    return result;
  bool isOtherUniform = !load.getOther() || matchPattern(load.getOther(), m_Constant<SplatElementsAttr>(nullptr));
  for (auto [axis, facts] : llvm::enumerate(result.axes)) {
    facts.constancy = operands[0]->axes[axis].constancy;
    if (load.getMask())
      facts.constancy = std::min(facts.constancy, operands[1]->axes[axis].constancy);
    if (!isOtherUniform)
      facts.constancy = std::min(facts.constancy, operands[2]->axes[axis].constancy);
  }
  return result;
}

static AxisInfo inferConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value); splat && splat.getElementType().isIntOrIndex())
    return AxisInfo::ofConstant(op.getType(), splat.getSplatValue<APInt>().getSExtValue());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return AxisInfo::ofConstant(op.getType(), integer.getValue().getSExtValue());
  AxisInfo result = AxisInfo::unknown(op.getType());
  if (auto type = dyn_cast<RankedTensorType>(op.getType()); type && isa<SplatElementsAttr>(value))
    for (auto [facts, extent] : llvm::zip_equal(result.axes, type.getShape()))
      facts.constancy = extent;
  return result;
}

AxisInfo inferAxisInfo(Operation *op, llvm::ArrayRef<const AxisInfo *> operands) {
  auto operand = [&](unsigned index) -> const AxisInfo & { return *operands[index]; };
  auto withSign = [](AxisInfo info) {
    info.isNonNegative = true;
    return info;
  };
  Type type = op->getResult(0).getType();
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp constant) { return inferConstant(constant); })
      .Case([&](arith::AddIOp) { return inferAdd(operand(0), operand(1)); })
      .Case([&](tt::AddPtrOp) { return inferAddPtr(operand(0), operand(1)); })
      .Case([&](arith::SubIOp) { return inferSub(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return inferMul(operand(0), operand(1)); })
      .Case([&](arith::DivSIOp) { return inferDiv(type, operand(0), operand(1), false); })
      .Case([&](arith::DivUIOp) { return inferDiv(type, operand(0), operand(1), true); })
      .Case([&](arith::RemSIOp) { return inferRem(operand(0), operand(1), false); })
      .Case([&](arith::RemUIOp) { return inferRem(operand(0), operand(1), true); })
      .Case([&](arith::ShLIOp) { return inferShiftLeft(operand(0), operand(1)); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) { return inferShiftRight(operand(0), operand(1)); })
      .Case([&](arith::AndIOp) { return inferAnd(operand(0), operand(1)); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](Operation *) { return inferOr(operand(0), operand(1)); })
      .Case([&](arith::CmpIOp compare) { return inferCompare(compare.getPredicate(), operand(0), operand(1)); })
      .Case([&](arith::SelectOp) { return inferSelect(operand(0), operand(1), operand(2)); })
      .Case([&](arith::MaxSIOp) { return inferMinMax(operand(0), operand(1), true); })
      .Case([&](arith::MinSIOp) { return inferMinMax(operand(0), operand(1), false); })
      .Case([&](arith::IndexCastOp) { return operand(0); })
      .Case([&](arith::ExtSIOp extend) { return inferSignExtend(operand(0), extend.getIn().getType()); })
      .Case([&](arith::ExtUIOp extend) { return inferZeroExtend(operand(0), extend.getIn().getType()); })
      .Case([&](arith::TruncIOp) { return mapAxes(operand(0), [](const AxisFacts &facts) { return facts; }); })
      .Case<tt::BitcastOp, tt::PtrToIntOp, tt::IntToPtrOp>(
          [&](Operation *) { return inferReinterpret(operand(0), AxisInfo::unknown(type).axes.front().step); })
      .Case([&](tt::SplatOp) { return inferSplat(type, operand(0)); })
      .Case([&](tt::MakeRangeOp range) { return inferRange(range); })
      .Case([&](tt::ExpandDimsOp expand) { return inferExpandDims(expand.getAxis(), operand(0)); })
      .Case([&](tt::BroadcastOp broadcast) { return inferBroadcast(broadcast, operand(0)); })
      .Case([&](tt::TransOp transpose) { return inferTranspose(transpose, operand(0)); })
      .Case([&](tt::ReshapeOp reshape) { return inferReshape(reshape, operand(0)); })
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp, tt::GetBlockRankOp>(
          [&](Operation *) { return withSign(AxisInfo::unknown(type)); })
      .Case([&](tt::LoadOp load) { return inferLoad(load, operands); })
      .Default(
          [&](Operation *) { return op->hasTrait<tt::SameElements>() ? operand(0) : inferElementwise(op, operands); });
}

} // namespace triton::analysis
