// Loads that can run ahead of the products that use them.
#pragma once

#include "analysis/AxisInfo.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/Refusal.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace triton::ttg {

/// A load whose tile goes to a buffer from which products read it.
struct PipelinedLoad {
  tt::LoadOp load;
  LocalAllocOp buffer;
};

/// The buffer that `load` alone fills where an asynchronous copy can do it; null, with the reason in `refusal`, where
/// there is none.
LocalAllocOp findCopyTarget(mlir::scf::ForOp loop, tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo,
                            Refusal &refusal);

/// The loads of the body that an asynchronous copy can do. Where there are others, `refusal`, which may be null, says
/// why.
llvm::SmallVector<PipelinedLoad> findPipelinedLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                                    Refusal *refusal = nullptr);

/// Calls `handle` with the operations of the body that read `buffer`, or a view of it. One that does so in its regions
/// counts as well, and so do those that make views.
void forEachRead(mlir::scf::ForOp loop, mlir::Value buffer, llvm::function_ref<void(mlir::Operation *)> handle);

/// The operations of the body that compute the addresses and the mask of `load`, including those of earlier iterations.
/// None when one of them must not run ahead.
std::optional<llvm::SetVector<mlir::Operation *>> findAddressComputation(mlir::scf::ForOp loop, tt::LoadOp load);

/// The loads of the body that an asynchronous copy can do iterations ahead. Neither they nor what their addresses need
/// may read what the iterations in between write. If there could be more, `refusal` says why there are not.
llvm::SmallVector<PipelinedLoad> findMovableLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                                  Refusal &refusal);

/// The loads of the body that no copy can do, as many as `registers` of a thread hold until the next iteration.
llvm::SmallVector<tt::LoadOp> findPrefetchedLoads(mlir::scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                                  unsigned registers);

/// The loads of the body of a loop without products, such as one that sums rows, as many as `registers` of a thread
/// hold for an iteration. They wait for memory only, so what they bring may be asked for iterations ahead.
llvm::SmallVector<tt::LoadOp> findStreamedLoads(mlir::scf::ForOp loop, unsigned registers);

} // namespace triton::ttg
