// What a program knows of itself, and the barrier of its threads.
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace triton::gpu {

static LogicalResult lowerProgramId(tt::GetProgramIdOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.target().emitProgramId(emitter, op.getAxis())});
  return success();
}

static LogicalResult lowerNumPrograms(tt::GetNumProgramsOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.target().emitProgramCount(emitter, op.getAxis())});
  return success();
}

/// One that the program asks for, or that the compiler put between accesses.
template <typename Op> static LogicalResult lowerBarrier(Op, Emitter &emitter) {
  emitter.barrier();
  return success();
}

static LogicalResult lowerAssume(LLVM::AssumeOp op, Emitter &emitter) {
  LLVM::AssumeOp::create(emitter.b, emitter.scalar(op.getCond()));
  return success();
}

void addProgramLowerings(LoweringTable &table) {
  table.add<tt::GetProgramIdOp, lowerProgramId>();
  table.add<tt::GetNumProgramsOp, lowerNumPrograms>();
  table.add<LLVM::AssumeOp, lowerAssume>();
  table.add<mlir::gpu::BarrierOp, lowerBarrier<mlir::gpu::BarrierOp>>();
  table.add<ttg::BarrierOp, lowerBarrier<ttg::BarrierOp>>();
}

} // namespace triton::gpu
