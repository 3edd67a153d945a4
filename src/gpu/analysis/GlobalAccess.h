// Accesses of global memory through tensors of pointers, and the possible width of their instructions.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/IR/BuiltinTypes.h"

namespace triton::ttg {

/// An access through a tensor of pointers, and how it can be done.
struct GlobalAccess {
  mlir::Operation *op;
  mlir::RankedTensorType pointers;
  llvm::SmallVector<unsigned> order; ///< the dimension with the longest runs in memory first
  int64_t widest = 1;                ///< elements that fill an instruction
  int64_t width = 1;                 ///< elements that one instruction may move
  bool isScattered = false;          ///< no neighbours are known to be neighbours in memory

  mlir::Value pointer() const { return op->getOperand(0); }
  /// Whether a thread may well hold as many neighbours as other accesses move at once.
  bool isWide() const { return width > 1 && !llvm::isa<tt::AtomicOpInterface>(op); }
};

/// None where `op` accesses no memory through a tensor of pointers.
std::optional<GlobalAccess> findGlobalAccess(mlir::Operation *op, const analysis::AxisInfoAnalysis &axisInfo,
                                             const gpu::Machine &machine);
/// All such loads, stores, atomics and copies of `root`, in program order.
llvm::SmallVector<GlobalAccess> findGlobalAccesses(mlir::Operation *root, const analysis::AxisInfoAnalysis &axisInfo,
                                                   const gpu::Machine &machine);

/// The layout in which such accesses, of one shape and order, move whole lines.
mlir::Attribute getSharedLayout(llvm::ArrayRef<const GlobalAccess *> accesses, unsigned warps, unsigned lanes);

} // namespace triton::ttg
