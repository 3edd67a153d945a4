#include "gpu/analysis/CopiedLoads.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/BufferAddress.h"
#include "gpu/analysis/EqualElements.h"
#include "gpu/analysis/LaneOrder.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::ttg {

/// Whether masked elements may become zeros; -0 is a different value.
static bool isZeroOrAbsent(Value value) {
  while (auto conversion = value ? value.getDefiningOp<ConvertLayoutOp>() : ConvertLayoutOp())
    value = conversion.getSrc();
  return !value || matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

/// Why no copy to any buffer does what `load` does, `width` elements at once; empty where one could.
static llvm::StringRef findObstacleAtWidth(tt::LoadOp load, unsigned width, const gpu::Machine &machine) {
  if (load.getIsVolatile())
    return "this load is volatile";
  if (!isZeroOrAbsent(load.getOther()))
    return "`other` of this load is not 0, which is what copies to shared memory fill in";
  if (machine.fewestAsyncBytes == 0)
    return "the target has no asynchronous copies";
  if (!machine.copiesAsynchronously(width * analysis::getPointeeBytes(load.getPtr().getType())))
    return "a thread moves too few neighbouring bytes of this load for an asynchronous copy";
  return "";
}

llvm::StringRef findCopyObstacle(tt::LoadOp load, MemDescType buffer, const analysis::AxisInfoAnalysis &axisInfo) {
  const gpu::Machine &machine = gpu::getTarget(load).machine();
  unsigned width = analysis::getVectorWidth(axisInfo, load.getPtr(), load.getMask(), machine.accessBytes);
  llvm::StringRef obstacle = findObstacleAtWidth(load, width, machine);
  if (!obstacle.empty() || !machine.copiesInLaneOrder)
    return obstacle;
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

unsigned countDistinctRegisters(tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo) {
  SmallVector<int64_t, 4> groups;
  for (const analysis::AxisFacts &facts : axisInfo.getAxisInfo(load.getPtr()).axes)
    groups.push_back(facts.constancy);
  auto type = cast<RankedTensorType>(load.getType());
  return countUnsharedRegisters(load.getResult()) >>
         llvm::popcount(analysis::registerBitsWithin(toLinearLayout(type), groups));
}

bool repeatsElements(tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() < 2 || llvm::any_of(load->getUsers(), llvm::IsaPred<LocalAllocOp>))
    return false;
  const analysis::AxisInfo info = axisInfo.getAxisInfo(load.getPtr());
  unsigned fastest = getOrder(type)[0];
  return fastest < info.axes.size() && info.axes[fastest].constancy >= tuned::fewestRepeats &&
         countDistinctRegisters(load, axisInfo) <= tuned::registersBesideCopies;
}

bool isCopiedAhead(tt::LoadOp load, unsigned width, int64_t numStages) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  const gpu::Machine &machine = gpu::getTarget(load).machine();
  if (!loop || machine.copiesInLaneOrder)
    return false;
  return analysis::getStages(loop, numStages) > 1 && findObstacleAtWidth(load, width, machine).empty() &&
         reachesProduct(load);
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
