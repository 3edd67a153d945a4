#include "gpu/analysis/CopiedLoads.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/BufferAddress.h"
#include "gpu/analysis/LaneOrder.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::ttg {

/// Whether masked elements may become zeros; -0 is a different value.
static bool isZeroOrAbsent(Value value) {
  return !value || matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

llvm::StringRef findCopyObstacle(tt::LoadOp load, MemDescType buffer, const analysis::AxisInfoAnalysis &axisInfo) {
  if (load.getIsVolatile())
    return "this load is volatile";
  if (!isZeroOrAbsent(load.getOther()))
    return "`other` of this load is not 0, which is what copies to shared memory fill in";
  const gpu::Machine &machine = gpu::getTarget(load).machine();
  if (machine.fewestAsyncBytes == 0)
    return "the target has no asynchronous copies";
  unsigned width = analysis::getVectorWidth(axisInfo, load.getPtr(), load.getMask(), machine.accessBytes);
  if (!machine.copiesAsynchronously(width * analysis::getPointeeBytes(load.getPtr().getType())))
    return "a thread moves too few neighbouring bytes of this load for an asynchronous copy";
  if (!machine.copiesInLaneOrder)
    return "";
  auto type = cast<RankedTensorType>(load.getType());
  if (!buffer || !analysis::followsLanes(analysis::findBufferOffsets(type, buffer), width))
    return "what the lanes of a warp load does not lie side by side in shared memory, as asynchronous copies write it";
  if (!analysis::findBufferAddress(axisInfo, load.getPtr(), load.getMask()))
    return "the addresses of this load are not known to be an argument and an offset of less than 2 GiB";
  return "";
}

bool canCopy(tt::LoadOp load, MemDescType buffer, const analysis::AxisInfoAnalysis &axisInfo) {
  return findCopyObstacle(load, buffer, axisInfo).empty();
}

static bool isOperandOfProduct(OpOperand &use) {
  return isa<tt::DotOp, WarpGroupDotOp>(use.getOwner()) && use.getOperandNumber() < 2;
}

bool reachesProduct(tt::LoadOp load) {
  llvm::DenseSet<Value> visited;
  SmallVector<Value> worklist{load.getResult()};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isOperandOfProduct(use) && user->getBlock() == load->getBlock())
        return true;
      bool passesOn = isMemoryEffectFree(user) || isa<LocalAllocOp, LocalLoadOp>(user);
      if (passesOn && user->getBlock() == load->getBlock() && !isa<tt::DotOp, WarpGroupDotOp>(user))
        llvm::append_range(worklist, user->getResults());
    }
  }
  return false;
}

} // namespace triton::ttg
