// Whether an index that changes by a constant from lane to lane may wrap around the end of its type within a tile.
//
// Sums of integers wrap in the language. An index may be compared as a prefix of its tile, and widened as a range, only
// where it does not. Few do: a range is mostly added to multiples of its extent, or to something small. Of the others,
// those that decide nothing but places in memory are taken not to wrap, since no array reaches around the numbers of a
// type. A sum that is compared or widened for its own sake keeps what wrapping makes of it.
#include "backends/cpu/codegen/TileAnalysis.h"

#include "ir/Dialect.h"
#include "ir/Reached.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::cpu {

/// An upper bound of the numbers of programs: a processor does not come to the end of a larger grid.
static constexpr uint64_t mostPrograms = 1 << 28;
/// Factors and constants above are not looked at, so that their products and sums fit an int64_t.
static constexpr uint64_t largestFactor = 1 << 30;
/// Of an index that is the sum of more, such as one that is doubled often, the others are not looked at.
static constexpr unsigned mostTerms = 256;

static bool isNarrow(Type type) {
  return getElementTypeOrSelf(type).isInteger() && getElementTypeOrSelf(type).getIntOrFloatBitWidth() <= 16;
}

/// Whether the elements of `value` may differ by what a range, or a value that exists as a tensor, contributes.
static bool hasRange(Value value) {
  return !holdsForAllReached(value, [](Value next, SmallVectorImpl<Value> &operands) {
    Operation *op = next.getDefiningOp();
    if (!isa<RankedTensorType>(next.getType()))
      return true;
    if (!op || isa<tt::MakeRangeOp>(op))
      return false;
    if (isElementwise(op) || isShapeChange(op))
      llvm::append_range(operands, op->getOperands());
    return true;
  });
}

namespace {

/// An index, taken apart into what it is the sum of.
class IndexSum {
public:
  explicit IndexSum(Value index) {
    SmallVector<Term> terms{{index, 1}};
    for (unsigned taken = 0; !terms.empty() && taken < mostTerms; ++taken)
      take(terms.pop_back_val(), terms);
    if (!terms.empty())
      leaveOut();
  }

  /// Whether nothing is subtracted, so that the sum is not below zero where no term is.
  bool isIncreasing() const { return increases; }

  /// Whether the sum is known not to come near the end of its type.
  bool isSmall(unsigned width, bool isSigned) const {
    return !isUnbounded && reach < (uint64_t(1) << (std::min(width, 63u) - 1)) && (isSigned || increases);
  }

  /// The terms that are not multiples of the extent of the range, which may bring its elements to both sides of the end
  /// of the type. Nothing if the sum cannot wrap.
  std::optional<SmallVector<Value>> findOffsets(TileAnalysis &analysis, unsigned width) const {
    if (isRemainder())
      return std::nullopt;
    auto multiple = int64_t(llvm::PowerOf2Ceil(std::max<uint64_t>(extent, 1)));
    bool fits = multiple <= int64_t(1) << (std::min(width, 63u) - 1);
    bool rangeIsAligned = fits && ranges <= 1 && startsAligned && constant % multiple == 0;
    SmallVector<Value> offsets;
    for (const Term &term : others)
      if (!rangeIsAligned || analysis.divisor(term.value) * (term.factor & -term.factor) < multiple)
        offsets.push_back(term.value);
    if (rangeIsAligned && offsets.empty())
      return std::nullopt;
    return offsets;
  }

private:
  struct Term {
    Value value;
    int64_t factor;
  };

  /// Whether there is nothing but a remainder, which is an index only where its lanes follow one another.
  bool isRemainder() const {
    return others.size() == 1 && others[0].factor == 1 && ranges == 0 && constant == 0 &&
           isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(others[0].value.getDefiningOp());
  }

  /// Notes that something is added of which nothing is known.
  void leaveOut() {
    isUnbounded = true;
    startsAligned = false;
    increases = false;
  }

  void addReach(int64_t factor, uint64_t most) {
    reach = llvm::SaturatingMultiplyAdd(uint64_t(std::abs(factor)), most, reach);
    increases &= factor > 0;
  }

  void takeRange(tt::MakeRangeOp range, int64_t factor) {
    uint64_t start = range.getStart(), count = range.getEnd() - start;
    ++ranges;
    startsAligned &= factor > 0 && start % llvm::PowerOf2Ceil(count) == 0;
    extent = uint64_t(std::abs(factor)) * count;
    addReach(factor, range.getEnd());
  }

  static std::optional<int64_t> constantOf(Value value) {
    APInt number;
    bool isSmall = matchPattern(value, m_ConstantInt(&number)) && number.abs().ult(largestFactor);
    return isSmall ? std::optional(number.getSExtValue()) : std::nullopt;
  }

  /// The constant by which an operation multiplies its first operand.
  static std::optional<int64_t> factorOf(Operation *op) {
    if (isa_and_nonnull<arith::MulIOp>(op))
      return constantOf(op->getOperand(1));
    std::optional<int64_t> places = isa_and_nonnull<arith::ShLIOp>(op) ? constantOf(op->getOperand(1)) : std::nullopt;
    return places && *places >= 0 && *places < 30 ? std::optional(int64_t(1) << *places) : std::nullopt;
  }

  void take(Term term, SmallVectorImpl<Term> &terms) {
    Operation *op = term.value.getDefiningOp();
    if (std::optional<int64_t> number = constantOf(term.value)) {
      int64_t product = *number * term.factor;
      constant += product;
      return addReach(product < 0 ? -1 : 1, std::abs(product));
    }
    if (auto range = dyn_cast_if_present<tt::MakeRangeOp>(op))
      return takeRange(range, term.factor);
    if (op && isShapeChange(op))
      return terms.push_back({op->getOperand(0), term.factor});
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
      terms.push_back({op->getOperand(0), term.factor});
      return terms.push_back({op->getOperand(1), isa<arith::SubIOp>(op) ? -term.factor : term.factor});
    }
    // A wider index may wrap no earlier than the sum that it is made of. That sum is an index only if it does not. A
    // narrower one is the same sum, which wraps earlier.
    bool widens = isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op);
    if (isa_and_nonnull<arith::TruncIOp>(op) || (widens && !isNarrow(op->getOperand(0).getType())))
      return terms.push_back({op->getOperand(0), term.factor});
    std::optional<int64_t> factor = factorOf(op);
    if (factor && uint64_t(std::abs(term.factor * *factor)) <= largestFactor)
      return terms.push_back({op->getOperand(0), term.factor * *factor});
    others.push_back(term);
    increases &= term.factor > 0 && !isa_and_nonnull<arith::ExtSIOp>(op);
    if (hasRange(term.value)) // a remainder of one, for example
      startsAligned = false;
    if (isa_and_nonnull<tt::GetProgramIdOp, tt::GetNumProgramsOp>(op))
      return addReach(term.factor, mostPrograms);
    if (widens)
      return addReach(term.factor, 1 << 16);
    isUnbounded = true;
  }

  SmallVector<Term> others; ///< what is neither a constant nor a range
  unsigned ranges = 0;
  uint64_t extent = 0; ///< the difference of the range's ends
  int64_t constant = 0;
  uint64_t reach = 0; ///< the sum of the bounded terms is at most this far from 0
  bool startsAligned = true, increases = true, isUnbounded = false;
};

} // namespace

/// Whether `value` is computed from `source`, through loops too.
static bool dependsOnScalar(Value value, Value source) {
  return !holdsForAllReached(value, [&](Value next, SmallVectorImpl<Value> &operands) {
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
        if (OpOperand *init = loop.getTiedLoopInit(argument))
          operands.append({init->get(), loop.getTiedLoopYieldedValue(argument)->get()});
    } else {
      llvm::append_range(operands, next.getDefiningOp()->getOperands());
    }
    return next != source;
  });
}

/// The pointer of the access that `use` is the mask of.
static Value findGuardedPointer(OpOperand &use) {
  Operation *access = use.getOwner();
  auto pointerIf = [&](Value mask) { return mask == use.get() ? access->getOperand(0) : Value(); };
  if (auto load = dyn_cast<tt::LoadOp>(access))
    return load.getOther() == use.get() ? Value() : pointerIf(load.getMask());
  if (auto store = dyn_cast<tt::StoreOp>(access))
    return store.getValue() == use.get() ? Value() : pointerIf(store.getMask());
  return {};
}

/// Whether what is computed from `index` decides no value, but the places of elements in memory, or which elements are
/// accessed at places that depend on `offsets` themselves.
static bool decidesPlacesAlone(Value index, ArrayRef<Value> offsets) {
  return holdsForAllReached(index, [&](Value next, SmallVectorImpl<Value> &results) {
    return llvm::all_of(next.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      bool isBoolean = getElementTypeOrSelf(next.getType()).isInteger(1);
      bool computesIndex = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::ExtSIOp,
                               arith::ExtUIOp, arith::TruncIOp, arith::CmpIOp>(user);
      if (isShapeChange(user) || (isBoolean ? isa<arith::AndIOp, arith::OrIOp>(user) : computesIndex)) {
        results.push_back(user->getResult(0));
        return true;
      }
      if (auto moved = dyn_cast<tt::AddPtrOp>(user))
        return use.getOperandNumber() == 1;
      Value pointer = findGuardedPointer(use);
      return pointer && !offsets.empty() &&
             llvm::all_of(offsets, [&](Value offset) { return dependsOnScalar(pointer, offset); });
    });
  });
}

bool TileAnalysis::comparesAsPrefix(arith::CmpIOp compare, unsigned index) {
  using Predicate = arith::CmpIPredicate;
  constexpr Predicate less[] = {Predicate::slt, Predicate::sle, Predicate::ult, Predicate::ule};
  constexpr Predicate greater[] = {Predicate::sgt, Predicate::sge, Predicate::ugt, Predicate::uge};
  Predicate predicate = compare.getPredicate();
  if (!(index == 0 ? llvm::is_contained(less, predicate) : llvm::is_contained(greater, predicate)))
    return false;
  bool isUnsigned = predicate >= Predicate::ult;
  return !(isUnsigned && getElementTypeOrSelf(compare.getLhs().getType()).isInteger(64)) &&
         !mayWrap(compare->getOpOperand(index));
}

bool TileAnalysis::mayWrap(OpOperand &operand) {
  auto [known, isNew] = wraps.try_emplace(&operand, true);
  if (!isNew)
    return known->second;
  Value index = operand.get();
  Operation *op = operand.getOwner();
  auto compare = dyn_cast<arith::CmpIOp>(op);
  bool isUnsigned = compare ? compare.getPredicate() >= arith::CmpIPredicate::ult : isa<arith::ExtUIOp>(op);
  unsigned width = getElementTypeOrSelf(index.getType()).getIntOrFloatBitWidth();
  IndexSum sum(index);
  bool result = false;
  if (!sum.isSmall(width, !isUnsigned))
    if (std::optional<SmallVector<Value>> offsets = sum.findOffsets(*this, width)) {
      // Places before an array are what a comparison without signs often is to exclude.
      bool mayCrossZero = isUnsigned && !(compare ? isNonNegative(index) : sum.isIncreasing());
      result = mayCrossZero || !decidesPlacesAlone(op->getResult(0), *offsets);
    }
  wraps[&operand] = result;
  return result;
}

} // namespace triton::cpu
