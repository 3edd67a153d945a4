// Blocks of matrices that loads through tensors of pointers address. Private to this folder.
#pragma once

#include "analysis/AxisInfo.h"
#include "analysis/BlockIndices.h"

#include <array>

namespace triton::ttg {

/// The block that a load of rank 2 reads: elements of a matrix whose columns lie side by side.
struct PointerBlock {
  mlir::BlockArgument base;
  unsigned columns = 1;             ///< the axis of the block along which elements lie side by side
  analysis::IndexPolynomial stride; ///< of the other axis, in elements
  /// For each axis of the block, where it begins, and the extent of the matrix; none where the block lies inside.
  std::array<analysis::IndexPolynomial, 2> starts;
  std::array<std::optional<analysis::IndexPolynomial>, 2> extents;
};

class PointerBlocks {
public:
  explicit PointerBlocks(const analysis::AxisInfoAnalysis &axisInfo) : axisInfo(axisInfo) {}

  /// The block of a matrix, filled up with zeros, that a kernel may read instead of what `load` reads; none, and why in
  /// `obstacle`, where there is none or not enough is known.
  std::optional<PointerBlock> find(tt::LoadOp load, llvm::StringRef &obstacle);

  /// `polynomial`, whose variables must be numbers of 32 bits, as a value of 32 or 64 bits.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc, const analysis::IndexPolynomial &polynomial,
                     unsigned bits) const;

private:
  using Polynomial = analysis::IndexPolynomial;
  using Bound = analysis::BlockIndices::Bound;

  bool splitAddress(const Polynomial &address, PointerBlock &block) const;
  static std::optional<Polynomial> takeCoordinate(Polynomial &address, unsigned axis);
  bool takeBase(Polynomial &address, PointerBlock &block) const;
  bool addExtents(tt::LoadOp load, llvm::ArrayRef<Bound> valid, PointerBlock &block, llvm::StringRef &obstacle);
  bool addMask(tt::LoadOp load, PointerBlock &block, llvm::BitVector &mayBegin);
  static bool addExtent(const Bound &end, PointerBlock &block);
  bool isNonNegative(const Polynomial &polynomial) const;
  bool hasNarrowScalars(const Polynomial &polynomial) const;
  bool isStride(const Polynomial &stride, unsigned elementBytes) const;
  bool fits(const Polynomial &start, const Polynomial &stride, unsigned elementBytes) const;

  const analysis::AxisInfoAnalysis &axisInfo;
  analysis::BlockIndices indices;
};

} // namespace triton::ttg
