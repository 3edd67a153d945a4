// Warps that move data: barriers in shared memory, and copies of blocks through tensor maps.
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

static LogicalResult requireBulkCopies(Operation *op, Emitter &emitter) {
  if (emitter.target().hasBulkCopies())
    return success();
  return op->emitError() << "not supported on " << emitter.machine().name << ": bulk copies and the barriers at which "
                         << "they end";
}

static LogicalResult lowerIsMover(ttg::IsMoverOp op, Emitter &emitter) {
  Value result = op.getAnyThread() ? LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::uge, emitter.uniformWarp(),
                                                          emitter.i32(emitter.warpCount()))
                                   : emitter.equal(emitter.threadId(), emitter.i32(emitter.threadCount()));
  emitter.define(op.getResult(), {result});
  return success();
}

static LogicalResult lowerSetRegisters(ttg::SetRegistersOp op, Emitter &emitter) {
  emitter.target().emitSetRegisters(emitter, op.getCount(), op.getRaises());
  return success();
}

constexpr unsigned warpBitsOfGroup = 2; ///< groups of four warps take turns

static LogicalResult lowerWaitTurn(ttg::WaitTurnOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  Value after;
  if (op.getAfter())
    for (Value element : emitter.registers(op.getAfter())) {
      Value word = LLVM::BitcastOp::create(emitter.b, emitter.b.getI32Type(), element);
      after = after ? LLVM::OrOp::create(emitter.b, after, word).getResult() : word;
    }
  emitter.target().emitWaitTurn(emitter, emitter.shiftRight(emitter.uniformWarp(), warpBitsOfGroup), after);
  return success();
}

static LogicalResult lowerPassTurn(ttg::PassTurnOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  Value group = emitter.shiftRight(emitter.uniformWarp(), warpBitsOfGroup);
  Value isLast = emitter.equal(group, emitter.i32((emitter.warpCount() >> warpBitsOfGroup) - 1));
  if (op.getBegins())
    emitter.emitIf(isLast, [&] { emitter.target().emitPassTurn(emitter, emitter.i32(0)); });
  else
    emitter.target().emitPassTurn(emitter, emitter.select(isLast, emitter.i32(0), emitter.add(group, emitter.i32(1))));
  return success();
}

static LogicalResult lowerInitBarrier(ttg::InitBarrierOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  Value first = emitter.scalar(op.getBarriers());
  int64_t slots = op.getBarriers().getType().getShape().front();
  auto bytes = int64_t(analysis::getBufferBytes(op.getBarriers().getType())) / slots;
  emitter.emitIf(emitter.equal(emitter.threadId(), emitter.i32(0)), [&] {
    for (int64_t slot = 0; slot < slots; ++slot)
      emitter.target().emitInitBarrier(emitter, emitter.offsetPointer(first, slot * bytes), op.getCount());
    emitter.target().emitInitBarrierFence(emitter);
  });
  return success();
}

static LogicalResult lowerArriveBarrier(ttg::ArriveBarrierOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  Value isFirstLane = emitter.equal(emitter.lane(), emitter.i32(0));
  if (op.getCondition())
    isFirstLane = LLVM::AndOp::create(emitter.b, isFirstLane, emitter.scalar(op.getCondition()));
  emitter.target().emitArrive(emitter, emitter.scalar(op.getBarrier()), isFirstLane);
  return success();
}

static LogicalResult lowerExpectBytes(ttg::ExpectBytesOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  emitter.target().emitExpectBytes(emitter, emitter.scalar(op.getBarrier()), op.getBytes());
  return success();
}

static LogicalResult lowerWaitBarrier(ttg::WaitBarrierOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  Value barrier = emitter.scalar(op.getBarrier()), parity = emitter.scalar(op.getParity());
  emitter.emitUntil([&] { return emitter.target().emitTryWait(emitter, barrier, parity); });
  return success();
}

/// A copy for each piece of the encoding and each box of rows.
static LogicalResult lowerAsyncMappedLoad(ttg::AsyncMappedLoadOp op, Emitter &emitter) {
  if (failed(requireBulkCopies(op, emitter)))
    return failure();
  llvm::ArrayRef<int64_t> box = op.getMap().getType().getBlockType().getShape(),
                          shape = op.getDst().getType().getShape();
  int64_t rows = box[box.size() - 2], piece = box.back();
  int64_t boxBytes = rows * piece * int64_t(analysis::sharedElementBytes(op.getDst().getType().getElementType()));
  Value map = emitter.scalar(op.getMap()), shared = emitter.scalar(op.getDst()),
        barrier = emitter.scalar(op.getBarrier());
  int64_t offset = 0;
  for (int64_t column = 0; column < shape[1]; column += piece)
    for (int64_t row = 0; row < shape[0]; row += rows, offset += boxBytes) {
      Registers coordinates; // the fastest dimension first
      for (Value index : llvm::reverse(op.getIndices()))
        coordinates.push_back(emitter.scalar(index));
      coordinates[0] = emitter.add(coordinates[0], emitter.i32(column));
      coordinates[1] = emitter.add(coordinates[1], emitter.i32(row));
      emitter.target().emitTensorLoad(emitter, {map, coordinates, emitter.offsetPointer(shared, offset), barrier});
    }
  return success();
}

void addBulkCopyLowerings(LoweringTable &table) {
  table.add<ttg::IsMoverOp, lowerIsMover>();
  table.add<ttg::SetRegistersOp, lowerSetRegisters>();
  table.add<ttg::WaitTurnOp, lowerWaitTurn>();
  table.add<ttg::PassTurnOp, lowerPassTurn>();
  table.add<ttg::InitBarrierOp, lowerInitBarrier>();
  table.add<ttg::ArriveBarrierOp, lowerArriveBarrier>();
  table.add<ttg::ExpectBytesOp, lowerExpectBytes>();
  table.add<ttg::WaitBarrierOp, lowerWaitBarrier>();
  table.add<ttg::AsyncMappedLoadOp, lowerAsyncMappedLoad>();
}

} // namespace triton::gpu
