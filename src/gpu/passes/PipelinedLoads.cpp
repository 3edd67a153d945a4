#include "gpu/passes/PipelinedLoads.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::ttg {

/// Whether masked elements may become zeros; -0 is another value.
static bool isZeroOrAbsent(Value value) {
  return !value || matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

LocalAllocOp findCopyTarget(scf::ForOp loop, tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo) {
  auto pointers = dyn_cast<RankedTensorType>(load.getPtr().getType());
  if (!pointers || !load->hasOneUse() || load.getIsVolatile() || !isZeroOrAbsent(load.getOther()))
    return {};
  auto buffer = dyn_cast<LocalAllocOp>(*load->user_begin());
  if (!buffer || buffer->getBlock() != loop.getBody() || buffer->use_empty())
    return {};
  const gpu::Machine &machine = gpu::getTarget(load).machine();
  unsigned width = analysis::getVectorWidth(axisInfo, load.getPtr(), load.getMask(), machine.accessBytes);
  return machine.copiesAsynchronously(width * analysis::getPointeeBytes(pointers)) ? buffer : LocalAllocOp();
}

SmallVector<PipelinedLoad> findPipelinedLoads(scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo) {
  SmallVector<PipelinedLoad> loads;
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
    if (LocalAllocOp buffer = findCopyTarget(loop, load, axisInfo))
      loads.push_back({load, buffer});
  return loads;
}

std::optional<llvm::SetVector<Operation *>> findAddressComputation(scf::ForOp loop, tt::LoadOp load) {
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist(load->getOperands());
  while (!worklist.empty()) {
    Operation *op = analysis::sourceInBody(loop, worklist.pop_back_val());
    if (!op || needed.contains(op))
      continue;
    bool readsGlobal = isa<tt::LoadOp>(op) && !cast<tt::LoadOp>(op).getIsVolatile();
    if (op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || readsGlobal) || isa<tt::DotOp>(op) ||
        !analysis::mayRunAhead(op))
      return std::nullopt;
    needed.insert(op);
    llvm::append_range(worklist, op->getOperands());
  }
  return needed;
}

} // namespace triton::ttg
