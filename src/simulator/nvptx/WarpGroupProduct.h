// wgmma: products of four neighbouring warps, whose factors come from shared memory.
#pragma once

#include "simulator/core/Program.h"
#include "simulator/nvptx/MatrixSum.h"

namespace triton::simulator::nvptx {

/// One decoded wgmma.mma_async. Each warp computes 16 of the 64 rows.
struct WarpGroupProduct {
  static constexpr unsigned rows = 64, rowsOfWarp = 16;

  /// The type of a factor.
  struct Factor {
    bool isInteger = false, isSigned = false;
    MatrixElement format = MatrixElement::Half;
    unsigned bits = 16;
    bool isNegated = false;
    bool isTransposed = false; ///< the elements of one depth are contiguous
  };

  unsigned columns = 8, depth = 16;
  Factor a, b;
  MatrixSum::Accumulator accumulator = MatrixSum::Accumulator::Single;
  bool saturates = false;
  std::vector<RegisterOffset> results;    ///< 32 bits each; they also contain the addends
  std::vector<RegisterOffset> aRegisters; ///< empty: A lies in shared memory
  RegisterOffset aDescriptor = 0, bDescriptor = 0;
  RegisterOffset addsToResults = 0; ///< a predicate; false: the result is only the product

  bool hasHalfResults() const { return accumulator == MatrixSum::Accumulator::Half; }
  uint32_t shape() const { return columns << 16 | depth; }
};

/// `detail` is a WarpGroupProduct.
Handler warpGroupProductHandler();

} // namespace triton::simulator::nvptx
