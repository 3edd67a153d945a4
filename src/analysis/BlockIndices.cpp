#include "analysis/BlockIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::analysis {

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static int64_t multiply(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

int64_t IndexPolynomial::coefficientOf(const Monomial &monomial) const {
  auto found = coefficients.find(monomial);
  return found == coefficients.end() ? 0 : found->second;
}

bool IndexPolynomial::mentions(unsigned variable) const {
  return llvm::any_of(coefficients, [&](auto &term) { return llvm::is_contained(term.first, variable); });
}

void IndexPolynomial::add(const Monomial &monomial, int64_t coefficient) {
  auto place = coefficients.try_emplace(monomial, 0).first;
  place->second = int64_t(uint64_t(place->second) + uint64_t(coefficient));
  if (place->second == 0)
    coefficients.erase(place);
}

IndexPolynomial IndexPolynomial::plus(const IndexPolynomial &other, int64_t sign) const {
  IndexPolynomial sum = *this;
  for (auto &[monomial, coefficient] : other.coefficients)
    sum.add(monomial, multiply(coefficient, sign));
  return sum;
}

IndexPolynomial IndexPolynomial::operator*(const IndexPolynomial &other) const {
  IndexPolynomial product;
  for (auto &[left, coefficient] : coefficients)
    for (auto &[right, otherCoefficient] : other.coefficients) {
      Monomial both(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(), both.begin());
      product.add(both, multiply(coefficient, otherCoefficient));
    }
  return product;
}

std::optional<IndexPolynomial> IndexPolynomial::dividedBy(int64_t divisor) const {
  IndexPolynomial quotient;
  for (auto &[monomial, coefficient] : coefficients) {
    if (divisor <= 0 || coefficient % divisor != 0)
      return std::nullopt;
    quotient.add(monomial, coefficient / divisor);
  }
  return quotient;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Narrower numbers wrap around in programs that mean it.
static bool isIndex(Value value) {
  Type element = getElementTypeOrSelf(value);
  return isa<tt::PointerType>(element) || element.isInteger(32) || element.isInteger(64);
}

bool BlockIndices::hasCoordinates(const IndexPolynomial &polynomial) {
  return llvm::any_of(polynomial.terms(), [](auto &term) { return llvm::any_of(term.first, isCoordinate); });
}

bool BlockIndices::isNarrow(const IndexPolynomial::Monomial &monomial, int64_t coefficient) const {
  auto found = narrow.find(monomial);
  return found != narrow.end() && coefficient >= 0 && coefficient <= found->second;
}

static llvm::SmallVector<unsigned, 4> axesOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return llvm::to_vector<4>(llvm::seq<unsigned>(0, tensor ? unsigned(tensor.getRank()) : 0));
}

std::optional<IndexPolynomial> BlockIndices::find(Value index, llvm::SmallVectorImpl<Bound> &valid) {
  Axes axes = axesOf(index);
  if (axes.size() > mostAxes)
    return std::nullopt;
  this->valid = &valid;
  steps = 0;
  return find(index, axes);
}

BlockIndices::Found BlockIndices::find(Value value, const Axes &axes) {
  if (++steps > mostSteps)
    return std::nullopt;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return IndexPolynomial::ofConstant(constant.getSExtValue());
  if (auto known = carriedOnce.find(value); known != carriedOnce.end())
    return known->second.second == axes ? Found(IndexPolynomial::ofVariable(known->second.first)) : std::nullopt;
  Found found;
  if (auto argument = dyn_cast<BlockArgument>(value))
    found = findCarried(argument, axes);
  else
    found = findResult(value.getDefiningOp(), axes);
  return found || isa<RankedTensorType>(value.getType()) ? found : findScalar(value);
}

BlockIndices::Found BlockIndices::findScalar(Value value) {
  if (!isIndex(value))
    return std::nullopt;
  // The number of the program is one value, however often it is asked for.
  if (auto program = value.getDefiningOp<tt::GetProgramIdOp>())
    for (Value known : scalars)
      if (auto other = known ? known.getDefiningOp<tt::GetProgramIdOp>() : nullptr;
          other && other.getAxis() == program.getAxis())
        return IndexPolynomial::ofVariable(variables.at(known));
  auto known = variables.find(value);
  return known != variables.end() ? IndexPolynomial::ofVariable(known->second) : newVariable(value);
}

IndexPolynomial BlockIndices::newVariable(Value scalar) {
  auto variable = unsigned(mostAxes + scalars.size());
  scalars.push_back(scalar);
  if (scalar)
    variables[scalar] = variable;
  return IndexPolynomial::ofVariable(variable);
}

BlockIndices::Found BlockIndices::findResult(Operation *op, const Axes &axes) {
  if (op->getNumResults() != 1 || !isIndex(op->getResult(0)))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](tt::SplatOp splat) { return find(splat.getSrc(), {}); })
      .Case([&](tt::BroadcastOp broadcast) { return find(broadcast.getSrc(), axes); })
      .Case([&](tt::ExpandDimsOp expansion) {
        Axes inner = axes;
        inner.erase(inner.begin() + expansion.getAxis());
        return find(expansion.getSrc(), inner);
      })
      .Case([&](tt::MakeRangeOp range) -> Found {
        auto start = IndexPolynomial::ofConstant(int32_t(range.getStart()));
        return range.getType().getNumElements() == 1 ? start
                                                     : start + IndexPolynomial::ofVariable(coordinate(axes.front()));
      })
      .Case([&](arith::ExtSIOp extension) { return find(extension.getIn(), axes); })
      .Case<arith::AddIOp, tt::AddPtrOp, arith::SubIOp>([&](auto) -> Found {
        Found left = find(op->getOperand(0), axes), right = left ? find(op->getOperand(1), axes) : std::nullopt;
        if (!left || !right)
          return std::nullopt;
        return isa<arith::SubIOp>(op) ? *left - *right : *left + *right;
      })
      .Case([&](arith::MulIOp) { return findProduct(op, axes); })
      .Case([&](arith::RemSIOp) { return findRemainder(op, axes); })
      .Case([&](arith::SelectOp) { return findSelected(op, axes); })
      .Default(std::nullopt);
}

BlockIndices::Found BlockIndices::findProduct(Operation *op, const Axes &axes) {
  Found left = find(op->getOperand(0), axes), right = left ? find(op->getOperand(1), axes) : std::nullopt;
  if (!left || !right)
    return std::nullopt;
  IndexPolynomial product = *left * *right;
  if (getElementTypeOrSelf(op->getResult(0)).isInteger(32))
    for (auto &[monomial, coefficient] : product.terms()) {
      int64_t &known = narrow[monomial];
      known = std::max(known, coefficient);
    }
  return product;
}

/// index % extent of indices that are not negative: index itself, up to the extent.
BlockIndices::Found BlockIndices::findRemainder(Operation *op, const Axes &axes) {
  if (axes.empty())
    return std::nullopt;
  Found index = find(op->getOperand(0), axes), extent = index ? find(op->getOperand(1), axes) : std::nullopt;
  if (!extent)
    return std::nullopt;
  std::optional<Bound> bound = boundOf(*extent - *index);
  if (!bound || !bound->isEnd)
    return std::nullopt;
  valid->push_back(*bound);
  return index;
}

/// select(index < extent, index, any): index itself, up to the extent.
BlockIndices::Found BlockIndices::findSelected(Operation *op, const Axes &axes) {
  auto select = cast<arith::SelectOp>(op);
  llvm::SmallVector<Bound> bounds;
  if (axes.empty() || !findBounds(select.getCondition(), axes, bounds) ||
      llvm::any_of(bounds, [](const Bound &bound) { return !bound.isEnd; }))
    return std::nullopt;
  Found index = find(select.getTrueValue(), axes);
  if (index)
    llvm::append_range(*valid, bounds);
  return index;
}

/// The first value, and for each earlier iteration what it adds.
BlockIndices::Found BlockIndices::findCarried(BlockArgument carried, const Axes &axes) {
  auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
  if (!loop || carried == loop.getInductionVar())
    return std::nullopt;
  unsigned index = carried.getArgNumber() - loop.getNumInductionVars();
  IndexPolynomial once = newVariable({});
  unsigned variable = once.terms().begin()->first.front();
  carriedOnce[carried] = {variable, axes};
  llvm::SmallVector<Bound> none;
  llvm::SmallVectorImpl<Bound> *outer = std::exchange(valid, &none);
  Found next = find(loop.getYieldedValues()[index], axes);
  valid = outer;
  carriedOnce.erase(carried);
  std::optional<APInt> step = loop.getConstantStep();
  if (!next || !none.empty() || !step)
    return std::nullopt;
  std::optional<IndexPolynomial> increment = (*next - once).dividedBy(step->getSExtValue());
  bool isInvariant =
      increment && llvm::all_of(increment->terms(), [&](auto &term) {
        return llvm::all_of(term.first, [&](unsigned factor) {
          return !isCoordinate(factor) && scalarOf(factor) && loop.isDefinedOutsideOfLoop(scalarOf(factor));
        });
      });
  Found first = isInvariant ? find(loop.getInitArgs()[index], axes) : std::nullopt;
  Found counter = first ? find(loop.getInductionVar(), {}) : std::nullopt;
  Found lower = counter ? find(loop.getLowerBound(), {}) : std::nullopt;
  if (!lower)
    return std::nullopt;
  return *first + *increment * (*counter - *lower);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

bool BlockIndices::findBounds(Value mask, llvm::SmallVectorImpl<Bound> &bounds) {
  steps = 0;
  return findBounds(mask, axesOf(mask), bounds);
}

bool BlockIndices::findBounds(Value mask, const Axes &axes, llvm::SmallVectorImpl<Bound> &bounds) {
  if (++steps > mostSteps)
    return false;
  if (matchPattern(mask, m_One()))
    return true;
  Operation *op = mask.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<tt::BroadcastOp>(op))
    return findBounds(broadcast.getSrc(), axes, bounds);
  if (auto expansion = dyn_cast_or_null<tt::ExpandDimsOp>(op)) {
    Axes inner = axes;
    inner.erase(inner.begin() + expansion.getAxis());
    return findBounds(expansion.getSrc(), inner, bounds);
  }
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    bool isWhole = findBounds(both.getLhs(), axes, bounds);
    return findBounds(both.getRhs(), axes, bounds) && isWhole;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !isIndex(compare.getLhs()))
    return false;
  // The remainders of indices beyond an end are compared as well, so that the mask does not bound the indices.
  llvm::SmallVector<Bound> replaced;
  llvm::SmallVectorImpl<Bound> *outer = std::exchange(valid, &replaced);
  Found left = find(compare.getLhs(), axes), right = left ? find(compare.getRhs(), axes) : std::nullopt;
  valid = outer;
  if (!right || !replaced.empty())
    return false;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
  bool isGreater = predicate == Predicate::sgt || predicate == Predicate::sge;
  bool mayBeEqual = predicate == Predicate::sle || predicate == Predicate::sge;
  if (!isLess && !isGreater)
    return false;
  IndexPolynomial difference = isLess ? *right - *left : *left - *right;
  std::optional<Bound> bound = boundOf(difference + IndexPolynomial::ofConstant(mayBeEqual));
  if (bound)
    bounds.push_back(*bound);
  return bound.has_value();
}

std::optional<BlockIndices::Bound> BlockIndices::boundOf(const IndexPolynomial &positive) {
  for (unsigned axis = 0; axis < mostAxes; ++axis) {
    int64_t coefficient = positive.coefficientOf({coordinate(axis)});
    if (coefficient != 1 && coefficient != -1)
      continue;
    bool isEnd = coefficient == -1;
    auto own = IndexPolynomial({coordinate(axis)}, coefficient);
    IndexPolynomial rest = positive - own;
    if (hasCoordinates(rest))
      return std::nullopt;
    return Bound{axis, isEnd, isEnd ? rest : IndexPolynomial::ofConstant(1) - rest};
  }
  return std::nullopt;
}

IndexPolynomial BlockIndices::relativeToProgram(const IndexPolynomial &polynomial) const {
  auto definition = [&](unsigned variable) -> Operation * {
    Value scalar = isCoordinate(variable) ? Value() : scalarOf(variable);
    return scalar ? scalar.getDefiningOp() : nullptr;
  };
  std::map<tt::ProgramDim, unsigned> programs;
  for (auto &[monomial, coefficient] : polynomial.terms())
    for (unsigned variable : monomial)
      if (auto program = dyn_cast_or_null<tt::GetProgramIdOp>(definition(variable)))
        programs[program.getAxis()] = variable;
  IndexPolynomial relative;
  for (auto &[monomial, coefficient] : polynomial.terms()) {
    IndexPolynomial product = IndexPolynomial::ofConstant(coefficient);
    for (unsigned variable : monomial) {
      IndexPolynomial factor = IndexPolynomial::ofVariable(variable);
      if (auto count = dyn_cast_or_null<tt::GetNumProgramsOp>(definition(variable))) {
        factor = factor + IndexPolynomial::ofConstant(1);
        if (auto program = programs.find(count.getAxis()); program != programs.end())
          factor = factor + IndexPolynomial::ofVariable(program->second);
      }
      product = product * factor;
    }
    relative = relative + product;
  }
  return relative;
}

/// Whether few additions of numbers of programs and constants compute `scalar`.
static bool isSumOfProgramNumbers(Value scalar, unsigned &steps) {
  constexpr unsigned mostSteps = 16;
  Operation *op = scalar.getDefiningOp();
  if (!op || ++steps > mostSteps)
    return false;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isSumOfProgramNumbers(operand, steps); });
  return isa<tt::GetProgramIdOp, tt::GetNumProgramsOp, arith::ConstantOp>(op);
}

bool isNumberOfPrograms(Value scalar) {
  unsigned steps = 0;
  if (!isSumOfProgramNumbers(scalar, steps))
    return false;
  BlockIndices indices;
  SmallVector<BlockIndices::Bound> valid;
  std::optional<IndexPolynomial> polynomial = indices.find(scalar, valid);
  // All variables are numbers of programs.
  return polynomial &&
         llvm::all_of(indices.relativeToProgram(*polynomial).terms(), [](auto &term) { return term.second >= 0; });
}

} // namespace triton::analysis
