// What a program knows about itself, and the barrier of its threads.
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/MemoryAccess.h"
#include "gpu/lowering/TargetEmitter.h"
#include "ir/ProfileScopes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace triton::gpu {

static LogicalResult lowerProgramId(tt::GetProgramIdOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.programId(op.getAxis())});
  return success();
}

static LogicalResult lowerNumPrograms(tt::GetNumProgramsOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.programCount(op.getAxis())});
  return success();
}

static LogicalResult lowerBlockRank(tt::GetBlockRankOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.blockRank()});
  return success();
}

/// Threads would read the clock at different times, so one thread reads it for all.
static LogicalResult lowerTime(tt::GetTimeOp op, Emitter &emitter) {
  if (op->use_empty()) {
    emitter.define(op.getResult(), {emitter.undefined(op.getType())});
    return success();
  }
  if (op->hasAttr(tt::cyclesAttribute)) {
    emitter.define(op.getResult(), {emitter.intrinsic("readcyclecounter", op.getType(), {})});
    return success();
  }
  Value place = emitter.sharedAddress(op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute).getInt());
  emitter.emitIf(emitter.equal(emitter.threadId(), emitter.i32(0)),
                 [&] { emitStore(emitter, place, emitter.target().emitTime(emitter), {}); });
  emitter.barrier();
  emitter.define(op.getResult(), emitLoad(emitter, place, op.getType(), 1, {}, {}));
  return success();
}

static LogicalResult lowerMultiprocessorId(tt::GetMultiprocessorIdOp op, Emitter &emitter) {
  emitter.define(op.getResult(), {emitter.target().emitMultiprocessorId(emitter)});
  return success();
}

static LogicalResult lowerWaitForPriorLaunch(tt::WaitForPriorLaunchOp, Emitter &emitter) {
  emitter.target().emitWaitForPriorLaunch(emitter);
  return success();
}

static LogicalResult lowerAllowNextLaunch(tt::AllowNextLaunchOp, Emitter &emitter) {
  emitter.target().emitAllowNextLaunch(emitter);
  return success();
}

/// A barrier that the program contains.
static LogicalResult lowerUserBarrier(mlir::gpu::BarrierOp, Emitter &emitter) {
  emitter.barrier();
  return success();
}

/// A barrier that the compiler inserted between accesses.
static LogicalResult lowerBarrier(ttg::BarrierOp op, Emitter &emitter) {
  emitter.target().emitBarrier(emitter, op.getAllWarps());
  return success();
}

static LogicalResult lowerAssume(LLVM::AssumeOp op, Emitter &emitter) {
  LLVM::AssumeOp::create(emitter.b, emitter.scalar(op.getCond()));
  return success();
}

/// A fence of the language's scopes: `cta`, `gpu`, and none for the whole system.
static LogicalResult lowerFence(LLVM::FenceOp op, Emitter &emitter) {
  llvm::StringRef name = op.getSyncscope().value_or("");
  tt::MemSyncScope scope = name == "cta"   ? tt::MemSyncScope::CTA
                           : name == "gpu" ? tt::MemSyncScope::GPU
                                           : tt::MemSyncScope::System;
  LLVM::FenceOp::create(emitter.b, op.getOrdering(), emitter.target().scopeName(scope));
  return success();
}

void addProgramLowerings(LoweringTable &table) {
  table.add<tt::GetProgramIdOp, lowerProgramId>();
  table.add<tt::GetNumProgramsOp, lowerNumPrograms>();
  table.add<tt::GetBlockRankOp, lowerBlockRank>();
  table.add<tt::GetTimeOp, lowerTime>();
  table.add<tt::GetMultiprocessorIdOp, lowerMultiprocessorId>();
  table.add<tt::WaitForPriorLaunchOp, lowerWaitForPriorLaunch>();
  table.add<tt::AllowNextLaunchOp, lowerAllowNextLaunch>();
  table.add<LLVM::AssumeOp, lowerAssume>();
  table.add<LLVM::FenceOp, lowerFence>();
  table.add<mlir::gpu::BarrierOp, lowerUserBarrier>();
  table.add<ttg::BarrierOp, lowerBarrier>();
}

} // namespace triton::gpu
