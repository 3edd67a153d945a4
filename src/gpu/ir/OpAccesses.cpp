// Which buffers the operations of dialect ttg access, and how the layouts of their tensors are related.
#include "gpu/ir/Dialect.h"

using namespace mlir;

namespace triton::ttg {

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void ConvertLayoutOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void LocalDeallocOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void SetAutoLayoutOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void TakeColumnsOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void Fp4ToFpOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void Fp8ToFpOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void MemDescIndexOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void MemDescTransOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void MemDescSubsliceOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void MemDescReshapeOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void MemDescReinterpretOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void AdvanceSlotOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void AsyncCommitGroupOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void AsyncWaitOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void BarrierOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void ClusterBarrierOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void InWarpsOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void WarpSpecializeOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void WarpYieldOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void IsMoverOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void SetRegistersOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void WaitTurnOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void PassTurnOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}

// Barriers in shared memory order what they guard, and are accessed by nothing else.
void InitBarrierOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void InvalidateBarrierOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void ArriveBarrierOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void ArriveAfterCopiesOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void ExpectBytesOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void WaitBarrierOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}

/// Where one thread alone comes, barriers in shared memory say when the buffer is free.
void AsyncMappedLoadOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  if (getByFirst())
    accesses.push_back({getDst(), /*isWrite=*/true, /*isAsynchronous=*/true});
}

void AsyncMappedStoreOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { accesses.push_back({getSrc()}); }

/// Its bytes come to buffers of other blocks, whose barriers say when these are there.
void AsyncRemoteStoreOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}

/// What copies read is read by the wait: whatever barriers stood between, others know only behind the next one.
void AsyncStoreWaitOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  for (Value buffer : getBuffers())
    accesses.push_back({buffer});
}

void LocalAllocOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  if (getSrc())
    accesses.push_back({getResult(), /*isWrite=*/true});
}

void LocalLoadOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { accesses.push_back({getSrc()}); }

void LocalGatherOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) { accesses.push_back({getSrc()}); }

void LocalScatterOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getDst(), /*isWrite=*/true});
}

void LocalAtomicScatterRMWOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getDst(), /*isWrite=*/true});
}

void LocalStoreOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getDst(), /*isWrite=*/true});
}

void AsyncCopyGlobalToLocalOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  accesses.push_back({getDst(), /*isWrite=*/true, /*isAsynchronous=*/true});
}

void WarpGroupDotOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &accesses) {
  for (Value operand : {Value(getA()), Value(getB())})
    if (isa<MemDescType>(operand.getType()))
      accesses.push_back({operand, /*isWrite=*/false, getIsAsync()});
}

void WarpGroupDotWaitOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void BufferLoadOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void BufferStoreOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void BufferAtomicRMWOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}
void FenceAsyncSharedOp::getBufferAccesses(SmallVectorImpl<BufferAccess> &) {}

Synchronization WarpGroupDotWaitOp::getSynchronization() { return Synchronization::Products; }

Synchronization AsyncWaitOp::getSynchronization() { return Synchronization::Copies; }

Synchronization BarrierOp::getSynchronization() { return Synchronization::Block; }

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

bool ConvertLayoutOp::computesInAnyLayout() { return false; }
Attribute ConvertLayoutOp::inferResultLayout(Attribute) { return {}; }
Attribute ConvertLayoutOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult ConvertLayoutOp::verifyLayouts() { return success(); }

bool SetAutoLayoutOp::computesInAnyLayout() { return false; }
Attribute SetAutoLayoutOp::inferResultLayout(Attribute) { return {}; }
Attribute SetAutoLayoutOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult SetAutoLayoutOp::verifyLayouts() { return success(); }

bool WarpSpecializeOp::computesInAnyLayout() { return false; }
Attribute WarpSpecializeOp::inferResultLayout(Attribute) { return {}; }
Attribute WarpSpecializeOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult WarpSpecializeOp::verifyLayouts() { return success(); }

bool WarpYieldOp::computesInAnyLayout() { return false; }
Attribute WarpYieldOp::inferResultLayout(Attribute) { return {}; }
Attribute WarpYieldOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult WarpYieldOp::verifyLayouts() { return success(); }

bool InlineAsmOp::computesInAnyLayout() { return false; }
Attribute InlineAsmOp::inferResultLayout(Attribute) { return {}; }
Attribute InlineAsmOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult InlineAsmOp::verifyLayouts() { return success(); }

bool TakeColumnsOp::computesInAnyLayout() { return false; }
Attribute TakeColumnsOp::inferResultLayout(Attribute) { return {}; }
Attribute TakeColumnsOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult TakeColumnsOp::verifyLayouts() { return success(); }

bool Fp4ToFpOp::computesInAnyLayout() { return false; }
Attribute Fp4ToFpOp::inferResultLayout(Attribute) { return {}; }
Attribute Fp4ToFpOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult Fp4ToFpOp::verifyLayouts() { return success(); }

bool Fp8ToFpOp::computesInAnyLayout() { return false; }
Attribute Fp8ToFpOp::inferResultLayout(Attribute) { return {}; }
Attribute Fp8ToFpOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult Fp8ToFpOp::verifyLayouts() { return success(); }

bool AsyncMappedLoadOp::computesInAnyLayout() { return false; }
Attribute AsyncMappedLoadOp::inferResultLayout(Attribute) { return {}; }
Attribute AsyncMappedLoadOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult AsyncMappedLoadOp::verifyLayouts() { return success(); }

bool AsyncMappedStoreOp::computesInAnyLayout() { return false; }
Attribute AsyncMappedStoreOp::inferResultLayout(Attribute) { return {}; }
Attribute AsyncMappedStoreOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult AsyncMappedStoreOp::verifyLayouts() { return success(); }

bool AsyncRemoteStoreOp::computesInAnyLayout() { return false; }
Attribute AsyncRemoteStoreOp::inferResultLayout(Attribute) { return {}; }
Attribute AsyncRemoteStoreOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult AsyncRemoteStoreOp::verifyLayouts() { return success(); }

bool LocalAllocOp::computesInAnyLayout() { return false; }
Attribute LocalAllocOp::inferResultLayout(Attribute) { return {}; }
Attribute LocalAllocOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult LocalAllocOp::verifyLayouts() { return success(); }

bool LocalLoadOp::computesInAnyLayout() { return false; }
Attribute LocalLoadOp::inferResultLayout(Attribute) { return {}; }
Attribute LocalLoadOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult LocalLoadOp::verifyLayouts() { return success(); }

bool LocalScatterOp::computesInAnyLayout() { return false; }
Attribute LocalScatterOp::inferResultLayout(Attribute) { return {}; }
Attribute LocalScatterOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult LocalScatterOp::verifyLayouts() { return success(); }

bool LocalAtomicScatterRMWOp::computesInAnyLayout() { return false; }
Attribute LocalAtomicScatterRMWOp::inferResultLayout(Attribute) { return {}; }
Attribute LocalAtomicScatterRMWOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult LocalAtomicScatterRMWOp::verifyLayouts() { return success(); }

bool LocalGatherOp::computesInAnyLayout() { return false; }
Attribute LocalGatherOp::inferResultLayout(Attribute) { return {}; }
Attribute LocalGatherOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult LocalGatherOp::verifyLayouts() { return success(); }

bool WaitTurnOp::computesInAnyLayout() { return false; }
Attribute WaitTurnOp::inferResultLayout(Attribute) { return {}; }
Attribute WaitTurnOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult WaitTurnOp::verifyLayouts() { return success(); }

bool LocalStoreOp::computesInAnyLayout() { return false; }
Attribute LocalStoreOp::inferResultLayout(Attribute) { return {}; }
Attribute LocalStoreOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult LocalStoreOp::verifyLayouts() { return success(); }

bool WarpGroupDotOp::computesInAnyLayout() { return false; }
Attribute WarpGroupDotOp::inferResultLayout(Attribute) { return {}; }
Attribute WarpGroupDotOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult WarpGroupDotOp::verifyLayouts() {
  auto accumulator = cast<RankedTensorType>(getType());
  if (auto tensor = dyn_cast<RankedTensorType>(getA().getType())) {
    auto operand = dyn_cast<DotOperandEncodingAttr>(tensor.getEncoding());
    if (!operand || operand.getOpIdx() != 0 || operand.getParent() != accumulator.getEncoding())
      return emitError() << "ttgir-2: operand 0 has the layout of " << tensor << ", not that of an operand of "
                         << accumulator;
  }
  return success();
}

/// False, because each result has the type of its operand.
bool WarpGroupDotWaitOp::computesInAnyLayout() { return false; }
Attribute WarpGroupDotWaitOp::inferResultLayout(Attribute) { return {}; }
Attribute WarpGroupDotWaitOp::inferOperandLayout(Attribute) { return {}; }
LogicalResult WarpGroupDotWaitOp::verifyLayouts() { return success(); }

bool AsyncCopyGlobalToLocalOp::computesInAnyLayout() { return false; }
Attribute AsyncCopyGlobalToLocalOp::inferResultLayout(Attribute operand) { return operand; }
Attribute AsyncCopyGlobalToLocalOp::inferOperandLayout(Attribute result) { return result; }

bool BufferLoadOp::computesInAnyLayout() { return false; }
Attribute BufferLoadOp::inferResultLayout(Attribute operand) { return operand; }
Attribute BufferLoadOp::inferOperandLayout(Attribute result) { return result; }
bool BufferStoreOp::computesInAnyLayout() { return false; }
Attribute BufferStoreOp::inferResultLayout(Attribute operand) { return operand; }
Attribute BufferStoreOp::inferOperandLayout(Attribute result) { return result; }
bool BufferAtomicRMWOp::computesInAnyLayout() { return false; }
Attribute BufferAtomicRMWOp::inferResultLayout(Attribute operand) { return operand; }
Attribute BufferAtomicRMWOp::inferOperandLayout(Attribute result) { return result; }

} // namespace triton::ttg
