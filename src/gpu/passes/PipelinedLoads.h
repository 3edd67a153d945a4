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

/// The buffer that `load` alone fills where an asynchronous copy can do it; null where there is none.
LocalAllocOp findCopyTarget(mlir::scf::ForOp loop, tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo);

/// The loads of the body that an asynchronous copy can do.
llvm::SmallVector<PipelinedLoad> findPipelinedLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo);

/// The operations of the body that compute the addresses and the mask of `load`, also those of the iterations before.
/// None when some of it must not run ahead.
std::optional<llvm::SetVector<mlir::Operation *>> findAddressComputation(mlir::scf::ForOp loop, tt::LoadOp load);

} // namespace triton::ttg
