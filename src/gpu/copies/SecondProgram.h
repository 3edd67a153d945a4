// Whether a warp that moves data keeps a second program from the multiprocessor. Private to this folder.
#pragma once

#include "gpu/target/TargetInfo.h"
#include "ir/Dialect.h"

namespace triton::ttg {

/// Whether a multiprocessor runs two programs at once if threads load the operands of products themselves, and one if a
/// further warp does. Two programs are worth more: one multiplies while the other one does something else. Layouts are
/// not known yet, so registers of a thread are counted as if tensors were spread evenly. `loads` bring operands.
bool moverCostsProgram(tt::FuncOp function, llvm::ArrayRef<mlir::Operation *> loads, const gpu::Machine &machine,
                       unsigned warps, unsigned numStages);

} // namespace triton::ttg
