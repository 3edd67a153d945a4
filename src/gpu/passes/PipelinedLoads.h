// Loads that can run ahead of the products that use them.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace triton::ttg {

/// A load whose tile goes to a buffer, from where products read it.
struct PipelinedLoad {
  tt::LoadOp load;
  LocalAllocOp buffer;
};

/// The first reason why something is not done: where what stands in the way is, and a sentence about it.
struct Refusal {
  std::optional<mlir::Location> place;
  llvm::StringRef text;

  void add(mlir::Operation *reason, llvm::StringRef why) {
    if (!place) {
      place = reason->getLoc();
      text = why;
    }
  }
};

/// The buffer that `load` alone fills where an asynchronous copy can do it; null where there is none.
LocalAllocOp findCopyTarget(mlir::scf::ForOp loop, tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo);

/// The loads of the body that an asynchronous copy can do.
llvm::SmallVector<PipelinedLoad> findPipelinedLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo);

/// The operations of the body that compute the addresses and the mask of `load`, also those of the iterations before.
/// None when some of it must not run ahead.
std::optional<llvm::SetVector<mlir::Operation *>> findAddressComputation(mlir::scf::ForOp loop, tt::LoadOp load);

/// The loads of the body that an asynchronous copy can do iterations ahead: neither they nor what their addresses need
/// may read what the iterations in between write. Where there are fewer than there could be, `refusal` says why.
llvm::SmallVector<PipelinedLoad> findMovableLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                                  Refusal &refusal);

} // namespace triton::ttg
