// Weights in the order in which the processor's products read them. `tl.dot` reads its second operand in groups of rows
// that are neighbours and in panels of columns. A matrix that does not change from launch to launch is brought into
// that order once; kernels load its blocks by `load_block` of triton.tools.packed_operand.
#pragma once

#include "triton/triton.h"

namespace triton {

/// The blocks of a product: blockM x blockRows elements with blockRows x blockColumns elements of the packed matrix.
struct PackedShape {
  int64_t rows, columns; ///< of the matrix
  int64_t blockRows, blockColumns, blockM;

  int64_t blocksOfRows() const { return (rows + blockRows - 1) / blockRows; }
  int64_t blocksOfColumns() const { return (columns + blockColumns - 1) / blockColumns; }
  /// Elements of the packed matrix, whose last blocks are filled up with zeros.
  int64_t elements() const { return blocksOfRows() * blockRows * blocksOfColumns() * blockColumns; }
};

/// The constants PANEL and GROUP of `load_block`.
struct OperandPacking {
  int64_t panel, group;
};

/// Packs a matrix whose rows begin `rowStride` elements behind each other, of type float32, float64, float16, bfloat16
/// or int8, into `packed`, which has room for `shape.elements()`. `arch` is that of LaunchOptions. Throws Error.
TRITON_API OperandPacking packOperand(const void *matrix, int64_t rowStride, DataType dtype, const PackedShape &shape,
                                      void *packed, std::string_view arch = {});

} // namespace triton
