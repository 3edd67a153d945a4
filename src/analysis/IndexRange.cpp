#include "analysis/IndexRange.h"

#include "ir/Dialect.h"
#include "ir/Reached.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::analysis {

static constexpr int64_t limit = int64_t(1) << 62;

static int64_t clamp(__int128 value) { return int64_t(std::clamp<__int128>(value, -limit, limit - 1)); }

/// The values of a type.
static IndexRange rangeOf(Type type) {
  unsigned bits =
      std::min(63u, getElementTypeOrSelf(type).isIndex() ? 63 : getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

static IndexRange intersect(IndexRange a, IndexRange b) {
  return {std::max(a.least, b.least), std::min(a.greatest, b.greatest)};
}

static IndexRange unite(IndexRange a, IndexRange b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

static IndexRange add(IndexRange a, IndexRange b) {
  return {clamp(__int128(a.least) + b.least), clamp(__int128(a.greatest) + b.greatest)};
}

static IndexRange subtract(IndexRange a, IndexRange b) { return add(a, {-b.greatest, -b.least}); }

static IndexRange multiply(IndexRange a, IndexRange b) {
  __int128 products[] = {__int128(a.least) * b.least, __int128(a.least) * b.greatest, __int128(a.greatest) * b.least,
                         __int128(a.greatest) * b.greatest};
  return {clamp(*llvm::min_element(products)), clamp(*llvm::max_element(products))};
}

/// Division and remainder round towards zero. Nothing divides by zero.
static IndexRange divide(IndexRange a, IndexRange b) {
  if (b.least < 0)
    return unite(a, {-a.greatest, -a.least});
  b.least = std::max<int64_t>(b.least, 1);
  b.greatest = std::max(b.greatest, b.least);
  return {std::min(a.least / b.least, a.least / b.greatest), std::max(a.greatest / b.least, a.greatest / b.greatest)};
}

static IndexRange remainder(IndexRange a, IndexRange b) {
  int64_t most = b.least > -limit ? std::max(std::abs(b.least), std::abs(b.greatest)) - 1 : limit - 1;
  return {a.least < 0 ? std::max(a.least, -most) : 0, a.greatest > 0 ? std::min(a.greatest, most) : 0};
}

static IndexRange shiftRight(IndexRange a, IndexRange count) {
  if (count.least < 0 || count.greatest > 62)
    return {std::min<int64_t>(a.least, 0), std::max<int64_t>(a.greatest, 0)};
  return {std::min(a.least >> count.least, a.least >> count.greatest),
          std::max(a.greatest >> count.least, a.greatest >> count.greatest)};
}

/// A bit that is set in the result is set in both.
static IndexRange bitAnd(IndexRange a, IndexRange b) {
  if (!a.isNonNegative() && !b.isNonNegative())
    return {-limit, limit - 1};
  int64_t most = a.isNonNegative() && b.isNonNegative() ? std::min(a.greatest, b.greatest)
                 : a.isNonNegative()                    ? a.greatest
                                                        : b.greatest;
  return {0, most};
}

/// The place of what the value repeats, moves or widens.
std::optional<IndexRanges::Place> IndexRanges::sourceOf(Place place) {
  auto [value, path] = place;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<tt::SplatOp>(op))
    return Place{op->getOperand(0), scalar};
  if (isa<tt::BroadcastOp, arith::IndexCastOp, arith::ExtSIOp>(op) || op->hasTrait<tt::SameElements>())
    return Place{op->getOperand(0), path};
  if (isa<tt::ReshapeOp, tt::TransOp>(op))
    return Place{op->getOperand(0), elsewhere};
  constexpr uint64_t mostAxes = 8;
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    bool isKnown = path != elsewhere && path < UINT64_MAX / mostAxes / 2 && expand.getAxis() < mostAxes;
    return Place{expand.getSrc(), isKnown ? path * mostAxes + mostAxes + expand.getAxis() : elsewhere};
  }
  return std::nullopt;
}

IndexRanges::IndexRanges(const AxisInfoAnalysis &axisInfo, Value mask) : axisInfo(axisInfo) {
  if (mask)
    addFacts({mask, isTensor(mask) ? whole : scalar});
}

IndexRange IndexRanges::find(Place place) {
  if (auto found = known.find(place); found != known.end())
    return found->second;
  visitReachedFirst(
      place, [&](Place next, SmallVectorImpl<Place> &sources) { appendSources(next, sources); },
      [&](Place next) {
        IndexRange range = intersect(infer(next), rangeOf(next.first.getType()));
        if (axisInfo.getAxisInfo(next.first).isNonNegative)
          range.least = std::max<int64_t>(range.least, 0);
        if (auto fact = facts.find(next); fact != facts.end() && next.second != elsewhere)
          range = intersect(range, fact->second);
        known[next] = range;
      });
  return known.at(place);
}

/// What `infer` asks for, or more, other than what is known.
void IndexRanges::appendSources(Place place, SmallVectorImpl<Place> &sources) {
  auto append = [&](Place source) {
    if (!known.contains(source))
      sources.push_back(source);
  };
  Operation *op = place.first.getDefiningOp();
  if (std::optional<Place> source = sourceOf(place))
    append(*source);
  else if (isa_and_nonnull<arith::ArithDialect>(op ? op->getDialect() : nullptr))
    for (Value operand : op->getOperands())
      if (getElementTypeOrSelf(operand).isIntOrIndex())
        append({operand, place.second});
}

IndexRange IndexRanges::infer(Place place) {
  Value index = place.first;
  IndexRange any = rangeOf(index.getType());
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  if (std::optional<Place> source = sourceOf(place))
    return find(*source);
  Operation *op = index.getDefiningOp();
  if (!op)
    return any;
  auto operand = [&](unsigned number) { return find({op->getOperand(number), place.second}); };
  return llvm::TypeSwitch<Operation *, IndexRange>(op)
      .Case([](tt::MakeRangeOp range) {
        return IndexRange{int32_t(range.getStart()), int64_t(int32_t(range.getEnd())) - 1};
      })
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp, tt::GetBlockRankOp>(
          [](Operation *) { return IndexRange{0, INT32_MAX}; })
      .Case([&](arith::AddIOp) { return add(operand(0), operand(1)); })
      .Case([&](arith::SubIOp) { return subtract(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return multiply(operand(0), operand(1)); })
      .Case([&](arith::DivSIOp) { return divide(operand(0), operand(1)); })
      .Case([&](arith::RemSIOp) { return remainder(operand(0), operand(1)); })
      .Case([&](arith::ShRSIOp) { return shiftRight(operand(0), operand(1)); })
      .Case([&](arith::AndIOp) { return bitAnd(operand(0), operand(1)); })
      .Case([&](arith::MinSIOp) {
        IndexRange a = operand(0), b = operand(1);
        return IndexRange{std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
      })
      .Case([&](arith::MaxSIOp) {
        IndexRange a = operand(0), b = operand(1);
        return IndexRange{std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
      })
      .Case([&](arith::SelectOp) { return unite(operand(1), operand(2)); })
      .Case([&](arith::ExtUIOp) {
        IndexRange source = operand(0);
        unsigned bits = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
        return source.isNonNegative() ? source : IndexRange{0, (int64_t(1) << std::min(62u, bits)) - 1};
      })
      .Default([&](Operation *) { return any; });
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

void IndexRanges::addFact(Place place, IndexRange range) {
  for (std::optional<Place> next = place; next; next = sourceOf(*next)) {
    auto [entry, isNew] = facts.try_emplace(*next, range);
    if (!isNew)
      entry->second = intersect(entry->second, range);
  }
}

/// Adds what follows from a mask that is true.
void IndexRanges::addFacts(Place mask) {
  IndexRanges unmasked(axisInfo);
  holdsForAllReached(mask, [&](Place condition, SmallVectorImpl<Place> &parts) {
    Operation *op = condition.first.getDefiningOp();
    if (std::optional<Place> source = sourceOf(condition))
      parts.push_back(*source);
    else if (isa_and_nonnull<arith::AndIOp>(op))
      for (Value part : op->getOperands())
        parts.push_back({part, condition.second});
    else if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      addFacts(compare, condition.second, unmasked);
    return true;
  });
}

/// Adds what follows of the operands from a comparison that is true at `path`.
void IndexRanges::addFacts(arith::CmpIOp compare, uint64_t path, IndexRanges &unmasked) {
  IndexRange left = unmasked.find(compare.getLhs()), right = unmasked.find(compare.getRhs());
  Place low{compare.getLhs(), path}, high{compare.getRhs(), path}; // of low < high or low <= high
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::sge) {
    std::swap(low, high);
    std::swap(left, right);
  }
  int64_t gap = predicate == Predicate::slt || predicate == Predicate::sgt || predicate == Predicate::ult;
  switch (predicate) {
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::sgt:
  case Predicate::sge:
    addFact(low, {-limit, clamp(__int128(right.greatest) - gap)});
    addFact(high, {clamp(__int128(left.least) + gap), limit - 1});
    return;
  case Predicate::ult:
  case Predicate::ule:
    if (right.isNonNegative())
      addFact(low, {0, right.greatest - gap});
    return;
  case Predicate::eq:
    addFact(low, right);
    addFact(high, left);
    return;
  default:
    return;
  }
}

} // namespace triton::analysis
