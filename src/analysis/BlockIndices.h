// Indices and addresses of the elements of a block as sums of products: of scalars, and of the coordinates of an
// element.
#pragma once

#include "ir/Dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>
#include <vector>

namespace triton::analysis {

/// A polynomial with integers modulo 2^64 as coefficients. BlockIndices knows what its variables mean.
class IndexPolynomial {
public:
  using Monomial = std::vector<unsigned>; ///< the variables that are multiplied, sorted; none: 1

  IndexPolynomial() = default;
  static IndexPolynomial ofConstant(int64_t value) { return IndexPolynomial({}, value); }
  static IndexPolynomial ofVariable(unsigned variable) { return IndexPolynomial({variable}, 1); }
  IndexPolynomial(const Monomial &monomial, int64_t coefficient) { add(monomial, coefficient); }

  /// No coefficient is 0.
  const std::map<Monomial, int64_t> &terms() const { return coefficients; }
  int64_t coefficientOf(const Monomial &monomial) const;
  bool mentions(unsigned variable) const;

  void add(const Monomial &monomial, int64_t coefficient);
  IndexPolynomial operator+(const IndexPolynomial &other) const { return plus(other, 1); }
  IndexPolynomial operator-(const IndexPolynomial &other) const { return plus(other, -1); }
  IndexPolynomial operator*(const IndexPolynomial &other) const;
  /// The polynomial that is this one times `divisor`, where there is one.
  std::optional<IndexPolynomial> dividedBy(int64_t divisor) const;
  bool operator==(const IndexPolynomial &) const = default;

private:
  IndexPolynomial plus(const IndexPolynomial &other, int64_t sign) const;

  std::map<Monomial, int64_t> coefficients;
};

/// Writes values of one function as polynomials. As in AxisInfoAnalysis, sums and products of indices are taken not to
/// overflow. What a counted loop carries and each iteration increases by the same becomes an expression of the counter.
class BlockIndices {
public:
  /// Of the coordinates along an axis, those from `value` on are excluded, or those before it.
  struct Bound {
    unsigned axis;
    bool isEnd;
    IndexPolynomial value;
  };

  /// `index`, an integer, a pointer in units of its elements, or a tensor of them whose dimensions are the axes of the
  /// block. Ends are added to `valid` where elements from there on are something else, such as those of a remainder.
  std::optional<IndexPolynomial> find(mlir::Value index, llvm::SmallVectorImpl<Bound> &valid);

  /// Adds bounds of the elements for which `mask` is true. False where these do not say all about it.
  bool findBounds(mlir::Value mask, llvm::SmallVectorImpl<Bound> &bounds);

  /// The variable for the coordinate along an axis.
  static constexpr unsigned coordinate(unsigned axis) { return axis; }
  static bool isCoordinate(unsigned variable) { return variable < mostAxes; }
  static bool hasCoordinates(const IndexPolynomial &polynomial);
  /// The scalar that any other variable stands for.
  mlir::Value scalarOf(unsigned variable) const { return scalars[variable - mostAxes]; }

  /// The polynomial in which each number of programs n stands for those behind this one: for n - 1 - i, where i is the
  /// number of the program along that axis. Like n, this is 0 or more.
  IndexPolynomial relativeToProgram(const IndexPolynomial &polynomial) const;

  /// Whether the program computes this part of an index, with a coefficient at least as large, in 32 bits.
  bool isNarrow(const IndexPolynomial::Monomial &monomial, int64_t coefficient) const;

private:
  using Axes = llvm::SmallVector<unsigned, 4>; ///< for each dimension of a value
  using Found = std::optional<IndexPolynomial>;
  static constexpr unsigned mostAxes = 8;
  static constexpr unsigned mostSteps = 2000; ///< more than any index needs

  Found find(mlir::Value value, const Axes &axes);
  Found findResult(mlir::Operation *op, const Axes &axes);
  Found findProduct(mlir::Operation *op, const Axes &axes);
  Found findRemainder(mlir::Operation *op, const Axes &axes);
  Found findSelected(mlir::Operation *op, const Axes &axes);
  Found findCarried(mlir::BlockArgument carried, const Axes &axes);
  Found findScalar(mlir::Value value);
  IndexPolynomial newVariable(mlir::Value scalar);
  bool findBounds(mlir::Value mask, const Axes &axes, llvm::SmallVectorImpl<Bound> &bounds);
  /// The bound that follows from `positive` > 0.
  static std::optional<Bound> boundOf(const IndexPolynomial &positive);

  std::vector<mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, unsigned> variables;
  llvm::DenseMap<mlir::Value, std::pair<unsigned, Axes>> carriedOnce; ///< the value at the begin of an iteration
  std::map<IndexPolynomial::Monomial, int64_t> narrow;
  llvm::SmallVectorImpl<Bound> *valid = nullptr;
  unsigned steps = 0;
};

/// Whether the scalar is 0 or more because the numbers of programs are: n - 1 - i is, for example.
bool isNumberOfPrograms(mlir::Value scalar);

} // namespace triton::analysis
