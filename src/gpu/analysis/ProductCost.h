// What a matrix product costs on a matrix unit: the cost model by which its instruction is chosen, and how warps share
// the result. `tritonc explain` prints what was compared.
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::analysis {

/// A product, as far as its cost depends on it.
struct Product {
  int64_t batches = 1, rows = 0, columns = 0, depth = 0;
  bool isLeftComputed = false; ///< operand A does not come from memory
  bool isLeftAcross = false;   ///< elements of operand A along K do not lie side by side in memory
  bool isChained = false;      ///< the result becomes an operand of another product, or an operand comes from one
};

/// One way to compute a product, and for how many clocks it keeps parts of a multiprocessor busy.
struct ProductPlan {
  unsigned batchWarps = 1; ///< that share the products of a batch, with `rowWarps * columnWarps` for each
  unsigned rowWarps = 1, columnWarps = 1; ///< that share the rows and the columns of a result
  int64_t columns = 0;                    ///< that one instruction computes
  double matrixClocks = 0;
  double sharedClocks = 0;   ///< to read the operands
  double exchangeClocks = 0; ///< of chained products, whose operands and rows change threads and warps

  double clocks() const { return std::max(matrixClocks, sharedClocks) + exchangeClocks; }
};

/// The ways in which `warps` warps compute `product` on `unit`, the best first. Each operand has the unit's elements.
llvm::SmallVector<ProductPlan> planProduct(const Product &product, const gpu::MatrixUnit &unit, unsigned warps,
                                           const gpu::Machine &machine);

/// The instruction of `unit` that computes so many columns, such as "wgmma m64n256k16".
std::string nameInstruction(const gpu::MatrixUnit &unit, int64_t columns);

} // namespace triton::analysis
