// Asynchronous copies from global to shared memory.
#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/LaneOrder.h"
#include "gpu/lowering/LayoutEmission.h"
#include "gpu/lowering/Lowerings.h"
#include "gpu/lowering/RelatedRegisters.h"
#include "gpu/lowering/SharedAccess.h"
#include "gpu/lowering/SharedOffsets.h"
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

namespace {

/// Emits one copy for each vector of elements that are neighbours in both memories.
class AsyncCopy {
public:
  AsyncCopy(ttg::AsyncCopyGlobalToLocalOp op, Emitter &emitter)
      : op(op), emitter(emitter), pointerType(cast<RankedTensorType>(op.getSrc().getType())),
        element(emitter.convertElement(op.getDst().getType().getElementType())),
        offsets(bufferOffsets(emitter, pointerType, op.getDst().getType())),
        paddings(ttg::getPaddings(op.getDst().getType())),
        shared(emitter, emitter.scalar(op.getDst()), offsets, element, paddings),
        places(emitter, op.getSrc(), op.getMask()) {
    if (op.getMask())
      masks = Registers(emitter.registers(op.getMask()));
    if (op.getOther())
      others = Registers(emitter.registers(op.getOther()));
  }

  void run() {
    unsigned width =
        analysis::getVectorWidth(emitter.axisInfo(), op.getSrc(), op.getMask(), emitter.machine().accessBytes);
    width = std::min(width, consecutiveWidth());
    unsigned bytes = width * memoryBytes(element);
    // The instruction can only fill with zeros.
    bool inLaneOrder = emitter.machine().copiesInLaneOrder;
    const AsyncCopyEmitter *copies = emitter.target().asyncCopies();
    bool isAsynchronous = copies && emitter.machine().copiesAsynchronously(bytes) && others.empty() &&
                          (!inLaneOrder || (places[0].base && analysis::followsLanes(offsets, width, paddings)));
    SmallVector<unsigned> accessed = representativeRegisters(emitter.layoutOf(pointerType));
    for (unsigned first = 0; first < places.size(); first += width) {
      if (accessed[first] != first)
        continue;
      if (isAsynchronous)
        copies->emitCopy(emitter, inLaneOrder ? addressOfWarp(first) : shared.address(first), places[first], bytes,
                         maskOf(first));
      else
        moveVector(first, width);
    }
    // Matrix units that read buffers see what threads store only after a fence.
    const BulkCopyEmitter *fences = emitter.target().bulkCopies();
    if (fences && !isAsynchronous && isa<ttg::NvmmaSharedEncodingAttr>(op.getDst().getType().getEncoding()))
      fences->emitProxyFence(emitter, BulkCopyEmitter::Written::Shared);
  }

private:
  /// The number of consecutive registers that are also consecutive in the buffer.
  unsigned consecutiveWidth() const {
    auto vectors = shared.vectors();
    unsigned width = 1;
    while (width < vectors.front().size() && vectors.front()[width] == width)
      ++width;
    return llvm::bit_floor(width);
  }

  /// Where the first lane of the warp writes register number `first`.
  Value addressOfWarp(unsigned first) {
    IndexMap map(offsets, 0);
    auto bytes = int32_t(memoryBytes(element));
    Value elements = combineIndex(emitter, emitLinear(emitter, emitter.uniformWarp(), map.warps, emitter.i32(0)),
                                  map.threadBits(), map.ofRegister(first));
    Value padded = emitPaddings(emitter, elements, paddings);
    return emitter.offsetPointer(emitter.scalar(op.getDst()), emitter.shiftLeft(padded, llvm::Log2_32(bytes)));
  }

  Value maskOf(unsigned first) const { return masks.empty() ? Value() : masks[first]; }

  /// Copies through registers, which is slower but equally correct.
  void moveVector(unsigned first, unsigned width) {
    Registers otherwise;
    if (maskOf(first))
      for (unsigned index = first; index < first + width; ++index)
        otherwise.push_back(others.empty() ? zero() : others[index]);
    Registers elements = emitLoad(emitter, places[first], element, width, maskOf(first), otherwise);
    emitStore(emitter, shared.address(first), elements, {});
  }

  Value zero() { return isa<IntegerType>(element) ? emitter.integer(element, 0) : emitter.floating(element, 0); }

  ttg::AsyncCopyGlobalToLocalOp op;
  Emitter &emitter;
  RankedTensorType pointerType;
  Type element;
  LinearLayout offsets;
  llvm::ArrayRef<int32_t> paddings;
  SharedAccess shared;
  AccessPlaces places;
  Registers masks, others;
};

} // namespace

static LogicalResult lowerAsyncCopy(ttg::AsyncCopyGlobalToLocalOp op, Emitter &emitter) {
  auto copy = [&] { AsyncCopy(op, emitter).run(); };
  if (Value isWriter = emitIsRepresentative(emitter, emitter.layoutOf(cast<RankedTensorType>(op.getSrc().getType()))))
    emitter.emitIf(isWriter, copy);
  else
    copy();
  emitter.define(op.getToken(), {});
  return success();
}

// Without asynchronous copies, threads have moved all elements when they come to a commit or a wait.

/// Null where no copy of any size is asynchronous.
static const AsyncCopyEmitter *copiesOf(Emitter &emitter) {
  return emitter.machine().fewestAsyncBytes != 0 ? emitter.target().asyncCopies() : nullptr;
}

static LogicalResult lowerCommit(ttg::AsyncCommitGroupOp op, Emitter &emitter) {
  if (const AsyncCopyEmitter *copies = copiesOf(emitter))
    copies->emitCommit(emitter);
  emitter.define(op.getToken(), {});
  return success();
}

static LogicalResult lowerWait(ttg::AsyncWaitOp op, Emitter &emitter) {
  if (const AsyncCopyEmitter *copies = copiesOf(emitter)) {
    unsigned copiesOfGroup =
        emitter.machine().copiesInLaneOrder ? analysis::countLaneCopiesOfGroups(op, emitter.axisInfo()) : 1;
    copies->emitWait(emitter, op.getNum() * copiesOfGroup);
  }
  emitter.define(op.getToken(), {});
  return success();
}

void addAsyncCopyLowerings(LoweringTable &table) {
  table.add<ttg::AsyncCopyGlobalToLocalOp, lowerAsyncCopy>();
  table.add<ttg::AsyncCommitGroupOp, lowerCommit>();
  table.add<ttg::AsyncWaitOp, lowerWait>();
}

} // namespace triton::gpu
