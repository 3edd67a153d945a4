#include "gpu/loops/IterationBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::ttg {

/// Has room for a bound plus a small multiple of a step.
constexpr unsigned wideBits = 128;

static unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

static std::optional<APInt> wideConstant(Value value, bool isUnsigned) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return isUnsigned ? constant.zext(wideBits) : constant.sext(wideBits);
}

IterationBounds::IterationBounds(scf::ForOp loop, unsigned farthest)
    : loop(loop), location(loop.getLoc()), type(loop.getInductionVar().getType()), isUnsigned(loop.getUnsignedCmp()),
      lower(wideConstant(loop.getLowerBound(), isUnsigned)), upper(wideConstant(loop.getUpperBound(), isUnsigned)),
      step(wideConstant(loop.getStep(), isUnsigned)) {
  inductions.resize(farthest + 1);
  existing.resize(farthest + 1);
  limits.resize(farthest + 1);
  if (farthest != 0 && lower && upper && step)
    allKnown = (*lower + *step * (farthest - 1)).slt(*upper);
}

bool IterationBounds::staysInside(int64_t count) const {
  if (!lower || !step)
    return false;
  unsigned width = widthOf(type);
  APInt least = isUnsigned ? APInt::getZero(wideBits) : APInt::getSignedMinValue(width).sext(wideBits);
  APInt most = isUnsigned ? APInt::getMaxValue(width).zext(wideBits) : APInt::getSignedMaxValue(width).sext(wideBits);
  APInt reached = *lower + *step * APInt(wideBits, uint64_t(count), /*isSigned=*/true);
  return reached.sge(least) && reached.sle(most);
}

Value IterationBounds::steps(OpBuilder &builder, unsigned count) {
  Value number = arith::ConstantOp::create(builder, location, builder.getIntegerAttr(type, count));
  return arith::MulIOp::create(builder, location, loop.getStep(), number);
}

Value IterationBounds::advance(OpBuilder &builder, Value induction, unsigned distance) {
  Value offset = steps(builder, distance);
  return arith::AddIOp::create(builder, location, induction, offset);
}

Value IterationBounds::isBelow(OpBuilder &builder, Value left, Value right) {
  auto predicate = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, location, predicate, left, right);
}

Value IterationBounds::induction(OpBuilder &builder, unsigned iteration) {
  if (!inductions[iteration])
    inductions[iteration] = advance(builder, loop.getLowerBound(), iteration);
  return inductions[iteration];
}

Value IterationBounds::start(OpBuilder &builder, unsigned iteration) {
  Value next = induction(builder, iteration);
  bool isOneAhead = iteration == 1 && step && step->isOne(); // of an index that is below the bound
  if (isOneAhead || staysInside(iteration))
    return next;
  return arith::SelectOp::create(builder, location, compareWithBound(builder, iteration), next, loop.getUpperBound());
}

Value IterationBounds::exists(OpBuilder &builder, unsigned iteration) {
  return allKnown && iteration + 1 < existing.size() ? Value() : compareWithBound(builder, iteration);
}

/// If a sum with the lower bound may leave the type, the rest of the range is compared with the step instead. It is a
/// difference of two values of the range, which the type can represent as an unsigned number.
Value IterationBounds::compareWithBound(OpBuilder &builder, unsigned iteration) {
  if (Value known = existing[iteration])
    return known;
  if (iteration == 0 || staysInside(iteration))
    return existing[iteration] = isBelow(builder, induction(builder, iteration), loop.getUpperBound());
  Value before = compareWithBound(builder, iteration - 1);
  Value left = arith::SubIOp::create(builder, location, loop.getUpperBound(), induction(builder, iteration - 1));
  Value isMore = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ugt, left, loop.getStep());
  return existing[iteration] = arith::AndIOp::create(builder, location, before, isMore);
}

/// Inside the loop, the upper bound is above the lower one. Only if fewer steps than that leave the type must it be
/// known that this many iterations exist.
void IterationBounds::prepareAhead(OpBuilder &builder, unsigned distance) {
  if (staysInside(-int64_t(distance)) || limits[distance])
    return;
  Value isReached = compareWithBound(builder, distance);
  Value limit = arith::SubIOp::create(builder, location, loop.getUpperBound(), steps(builder, distance));
  limits[distance] = arith::SelectOp::create(builder, location, isReached, limit, loop.getLowerBound());
}

Value IterationBounds::limitAhead(OpBuilder &builder, unsigned distance) {
  if (Value limit = limits[distance])
    return limit;
  return arith::SubIOp::create(builder, location, loop.getUpperBound(), steps(builder, distance));
}

bool IterationBounds::isNoneAhead(unsigned distance) const {
  return lower && upper && step && (*lower + *step * distance).sge(*upper);
}

Value IterationBounds::existsAhead(OpBuilder &builder, Value induction, unsigned distance) {
  return isBelow(builder, induction, limitAhead(builder, distance));
}

} // namespace triton::ttg
