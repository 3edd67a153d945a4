#include "gpu/copies/PointerBlocks.h"

#include "analysis/StoredLanes.h"
#include "ir/UniformValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace triton::ttg {

using analysis::BlockIndices;

namespace {

bool isZero(Value value) { return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()); }

/// Whether `value` is `least` times `monomial` and something else, which is left in `rest`.
bool divides(const analysis::IndexPolynomial::Monomial &divisor, const analysis::IndexPolynomial::Monomial &monomial,
             analysis::IndexPolynomial::Monomial &rest) {
  rest.clear();
  std::set_difference(monomial.begin(), monomial.end(), divisor.begin(), divisor.end(), std::back_inserter(rest));
  return rest.size() + divisor.size() == monomial.size();
}

} // namespace

std::optional<PointerBlock> PointerBlocks::find(tt::LoadOp load, llvm::StringRef &obstacle) {
  auto refuse = [&](llvm::StringRef why) {
    obstacle = why;
    return std::nullopt;
  };
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || load.getIsVolatile())
    return refuse("it is volatile, or no block of two dimensions");
  if (load.getOther() && !isZero(load.getOther()))
    return refuse("what its mask excludes is filled with something else than zeros");
  SmallVector<Bound> valid;
  std::optional<Polynomial> address = indices.find(load.getPtr(), valid);
  PointerBlock block;
  if (!address || !splitAddress(*address, block))
    return refuse("its addresses are not known to be an argument, plus rows times a stride, plus columns");
  unsigned elementBytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  if (!isStride(block.stride, elementBytes))
    return refuse("the stride of its rows is not known to be 0 or more, which a launch finds out of 32 bits, or "
                  "`tl.assume` says");
  if (!addExtents(load, valid, block, obstacle))
    return std::nullopt;
  unsigned rows = 1 - block.columns;
  if (!fits(block.starts[rows], block.stride, elementBytes) ||
      !fits(block.starts[block.columns], Polynomial::ofConstant(1), elementBytes))
    return refuse("the indices of its rows and columns are not known to fit into 32 bits");
  return block;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What the coordinate along `axis` is multiplied with, taken out of `address`.
std::optional<analysis::IndexPolynomial> PointerBlocks::takeCoordinate(Polynomial &address, unsigned axis) {
  std::optional<Polynomial> factor;
  Polynomial rest;
  for (auto &[monomial, coefficient] : address.terms()) {
    Polynomial::Monomial others;
    if (!divides({BlockIndices::coordinate(axis)}, monomial, others)) {
      rest.add(monomial, coefficient);
      continue;
    }
    if (factor || BlockIndices::hasCoordinates(Polynomial(others, 1)))
      return std::nullopt;
    factor = Polynomial(others, coefficient);
  }
  address = rest;
  return factor;
}

bool PointerBlocks::takeBase(Polynomial &address, PointerBlock &block) const {
  for (auto &[monomial, coefficient] : address.terms())
    for (unsigned variable : monomial) {
      Value scalar = indices.scalarOf(variable);
      if (!isa<tt::PointerType>(scalar.getType()))
        continue;
      auto argument = dyn_cast<BlockArgument>(scalar);
      if (block.base || !argument || monomial.size() != 1 || coefficient != 1 ||
          !isa<tt::FuncOp>(argument.getOwner()->getParentOp()))
        return false;
      block.base = argument;
    }
  if (!block.base)
    return false;
  for (auto &[monomial, coefficient] : address.terms())
    if (monomial.size() == 1 && indices.scalarOf(monomial.front()) == block.base) {
      address.add(Polynomial::Monomial(monomial), -1);
      return true;
    }
  return false;
}

/// Multiples of the stride belong to the row, everything else to the column.
bool PointerBlocks::splitAddress(const Polynomial &address, PointerBlock &block) const {
  Polynomial rest = address;
  std::array<std::optional<Polynomial>, 2> factors;
  for (unsigned axis : {0u, 1u})
    if (factors[axis] = takeCoordinate(rest, axis); !factors[axis])
      return false;
  Polynomial one = Polynomial::ofConstant(1);
  if (factors[0] != one && factors[1] != one)
    return false;
  block.columns = factors[1] == one ? 1 : 0;
  block.stride = *factors[1 - block.columns];
  if (!takeBase(rest, block) || block.stride.terms().size() != 1)
    return false;
  auto &[ofStride, least] = *block.stride.terms().begin();
  for (auto &[monomial, coefficient] : rest.terms()) {
    Polynomial::Monomial others;
    bool isRow = least > 0 && divides(ofStride, monomial, others) && coefficient % least == 0;
    if (isRow)
      block.starts[1 - block.columns].add(others, coefficient / least);
    else
      block.starts[block.columns].add(monomial, coefficient);
  }
  return true;
}

/// A launch must make a map of it, whatever the argument: strides are from 0 to 2^40 bytes.
bool PointerBlocks::isStride(const Polynomial &stride, unsigned elementBytes) const {
  auto &[factors, coefficient] = *stride.terms().begin();
  constexpr int64_t mostBytes = int64_t(1) << 9;
  return factors.size() <= 1 && coefficient > 0 && isNonNegative(stride) && hasNarrowScalars(stride) &&
         coefficient * elementBytes < (factors.empty() ? mostBytes << 31 : mostBytes);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

bool PointerBlocks::addExtent(const Bound &end, PointerBlock &block) {
  if (end.axis > 1)
    return false;
  Polynomial extent = block.starts[end.axis] + end.value;
  std::optional<Polynomial> &known = block.extents[end.axis];
  if (known && *known != extent)
    return false;
  known = extent;
  return true;
}

bool PointerBlocks::addMask(tt::LoadOp load, PointerBlock &block, llvm::BitVector &mayBegin) {
  SmallVector<Bound> bounds;
  if (load.getMask() && !indices.findBounds(load.getMask(), bounds))
    return false;
  for (const Bound &bound : bounds) {
    if (bound.isEnd && !addExtent(bound, block))
      return false;
    if (bound.isEnd)
      continue;
    // What lies before the matrix reads as zeros, like what lies behind it.
    if (bound.axis > 1 || bound.value + block.starts[bound.axis] != Polynomial())
      return false;
    mayBegin.set(bound.axis);
  }
  return true;
}

bool PointerBlocks::addExtents(tt::LoadOp load, llvm::ArrayRef<Bound> valid, PointerBlock &block,
                               llvm::StringRef &obstacle) {
  auto refuse = [&](llvm::StringRef why) {
    obstacle = why;
    return false;
  };
  llvm::BitVector mayBegin(2);
  if (!addMask(load, block, mayBegin))
    return refuse("its mask is not `index < extent` for rows, for columns, or for both");
  for (const Bound &bound : valid) {
    if (bound.axis <= 1 && block.extents[bound.axis] == block.starts[bound.axis] + bound.value)
      continue; // The mask excludes what replaces the others.
    if (!addExtent(bound, block))
      return refuse("its indices have several bounds");
    if (!analysis::ignoresFrom(load.getResult(), bound.axis, bound.value, indices))
      return refuse("what it reads in place of indices beyond an extent, as `%` does, is not known to be unused");
  }
  for (unsigned axis : {0u, 1u}) {
    if (!mayBegin.test(axis) && !isNonNegative(block.starts[axis]))
      return refuse("its indices are not known to be 0 or more");
    if (!hasNarrowScalars(block.starts[axis]) || (block.extents[axis] && !hasNarrowScalars(*block.extents[axis])))
      return refuse("its indices or extents have more than 32 bits");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

bool PointerBlocks::isNonNegative(const Polynomial &polynomial) const {
  return llvm::all_of(indices.relativeToProgram(polynomial).terms(), [&](auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, [&](unsigned variable) {
             return axisInfo.getAxisInfo(indices.scalarOf(variable)).isNonNegative;
           });
  });
}

bool PointerBlocks::hasNarrowScalars(const Polynomial &polynomial) const {
  return llvm::all_of(polynomial.terms(), [&](auto &term) {
    return llvm::isInt<32>(term.second) && llvm::all_of(term.first, [&](unsigned variable) {
             return indices.scalarOf(variable).getType().isInteger(32);
           });
  });
}

/// Whether a counted loop has so few iterations that `coefficient` times its counter needs no more than 32 bits.
static bool isShortLoop(Value counter, int64_t coefficient) {
  auto argument = dyn_cast<BlockArgument>(counter);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return false;
  APInt constant;
  if (matchPattern(loop.getUpperBound(), m_ConstantInt(&constant)))
    return llvm::isInt<32>(constant.getSExtValue() * coefficient);
  auto quotient = loop.getUpperBound().getDefiningOp<arith::DivSIOp>(); // a number of blocks
  return quotient && matchPattern(quotient.getRhs(), m_ConstantInt(&constant)) &&
         constant.getSExtValue() >= coefficient;
}

/// Whether the start of a block, in units of `stride`, has 32 bits: where the program computes it so, where a loop
/// counts it, or where a larger one would lie beyond all memory.
bool PointerBlocks::fits(const Polynomial &start, const Polynomial &stride, unsigned elementBytes) const {
  constexpr int64_t mostMemory = int64_t(1) << 38;
  auto &[factors, least] = *stride.terms().begin();
  if (factors.empty() && least * elementBytes >= mostMemory >> 31)
    return true;
  return llvm::all_of(start.terms(), [&](auto &term) {
    auto &[monomial, coefficient] = term;
    if (monomial.empty() || (monomial.size() == 1 && std::abs(coefficient) == 1))
      return true;
    return indices.isNarrow(monomial, coefficient) ||
           (monomial.size() == 1 && isShortLoop(indices.scalarOf(monomial.front()), coefficient));
  });
}

Value PointerBlocks::create(OpBuilder &builder, Location loc, const Polynomial &polynomial, unsigned bits) const {
  Type type = builder.getIntegerType(bits);
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(builder, loc, type, value); };
  Value sum;
  for (auto &[monomial, coefficient] : polynomial.terms()) {
    Value product;
    for (unsigned variable : monomial) {
      Value factor = indices.scalarOf(variable);
      if (bits > 32)
        factor = arith::ExtSIOp::create(builder, loc, type, factor);
      product = product ? arith::MulIOp::create(builder, loc, product, factor) : factor;
    }
    if (!product)
      product = constant(coefficient);
    else if (coefficient != 1)
      product = arith::MulIOp::create(builder, loc, product, constant(coefficient));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product) : product;
  }
  return sum ? sum : constant(0);
}

} // namespace triton::ttg
