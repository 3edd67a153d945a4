// Decides which loads are asked for iterations ahead, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/AccessOrder.h"
#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/ir/Dialect.h"
#include "gpu/passes/Passes.h"
#include "gpu/passes/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUASSIGNLATENCIES
#include "gpu/passes/Passes.h.inc"

namespace {

using analysis::latencyAttribute;

/// Why a loop is left as it is: the end of a sentence that starts with the name of an option.
class Reasons {
public:
  void add(Operation *op, llvm::StringRef text) {
    if (!first)
      first = {op, text};
  }
  std::optional<std::pair<Operation *, llvm::StringRef>> first;
};

class LoopLatencies {
public:
  LoopLatencies(scf::ForOp loop, unsigned stages, std::size_t sharedCapacity,
                const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), stages(stages), sharedCapacity(sharedCapacity), axisInfo(axisInfo) {}

  /// Marks the loads that can run ahead; where there are none, `reasons` says why.
  void assign(Reasons &reasons) {
    if (stages < 2 || !mayBeReordered(reasons))
      return;
    for (PipelinedLoad &load : findPipelinedLoads(loop, axisInfo))
      if (mayMove(load.load, reasons))
        loads.push_back(load);
    fitStages();
    if (!loads.empty() && stages < 2)
      reasons.add(loop, "shared memory does not hold a second buffer for its loads");
    if (stages >= 2)
      for (PipelinedLoad &load : loads)
        analysis::setIntegerAttribute(load.load, latencyAttribute, stages - 1);
  }

private:
  /// What a loop carries must be computed in it, and its operations must say what they access.
  bool mayBeReordered(Reasons &reasons) {
    for (Value yielded : loop.getBody()->getTerminator()->getOperands())
      if (Operation *op = yielded.getDefiningOp(); !op || op->getBlock() != loop.getBody())
        return reasons.add(loop, "it carries a value that its body does not compute"), false;
    WalkResult walk = loop.walk([&](Operation *op) {
      bool says = isa<MemoryEffectOpInterface>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      if (says && !isa<BarrierOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp, CallOpInterface>(op))
        return WalkResult::advance();
      reasons.add(op, "this operation keeps the order of what stands around it");
      return WalkResult::interrupt();
    });
    return !walk.wasInterrupted();
  }

  /// Whether the load, and what its addresses need, may run before what the iterations in between write.
  bool mayMove(tt::LoadOp load, Reasons &reasons) {
    std::optional<llvm::SetVector<Operation *>> needed = findAddressComputation(loop, load);
    if (!needed)
      return reasons.add(load, "the addresses of this load depend on what must not run ahead"), false;
    needed->insert(load);
    for (Operation &op : loop.getBody()->without_terminator())
      for (Operation *early : *needed)
        if (isa<tt::LoadOp>(early) && !isa<tt::LoadOp>(op) && !isMemoryEffectFree(&op) &&
            analysis::mustKeepOrder(early, &op))
          return reasons.add(&op, "this may write what a load of a later iteration reads"), false;
    return true;
  }

  /// As many stages as shared memory holds.
  void fitStages() {
    std::size_t slot = 0, other = 0;
    for (PipelinedLoad &load : loads)
      slot += analysis::getBufferBytes(load.buffer.getType());
    llvm::SetVector<Operation *> buffers;
    loop.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<MemDescType>(operand.getType()))
          buffers.insert_range(analysis::findAllocations(operand));
    });
    for (Operation *buffer : buffers)
      other += bytesOfRing(cast<LocalAllocOp>(buffer));
    while (stages >= 2 && slot * stages + (other - slot) > sharedCapacity)
      --stages;
  }

  /// What a buffer takes once the loads of inner loops run ahead.
  static std::size_t bytesOfRing(LocalAllocOp buffer) {
    Operation *source = buffer.getSrc() ? buffer.getSrc().getDefiningOp() : nullptr;
    int64_t latency = source ? analysis::getIntegerAttribute(source, latencyAttribute).value_or(0) : 0;
    return analysis::getBufferBytes(buffer.getType()) * std::size_t(latency + 1);
  }

  scf::ForOp loop;
  unsigned stages;
  std::size_t sharedCapacity;
  const analysis::AxisInfoAnalysis &axisInfo;
  SmallVector<PipelinedLoad> loads;
};

struct TritonGPUAssignLatencies : impl::TritonGPUAssignLatenciesBase<TritonGPUAssignLatencies>, base::OptionalPass {
  using TritonGPUAssignLatenciesBase::TritonGPUAssignLatenciesBase;

  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    bool hasAsynchronousCopies = target->machine().fewestAsyncBytes != 0;
    std::size_t capacity = sharedCapacity != 0 ? std::size_t(sharedCapacity) : target->machine().sharedBytes;
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    SmallVector<scf::ForOp> loops; // inner ones first, so that outer ones get the shared memory that is left
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      warnOfHints(loop);
      std::optional<int64_t> stated = analysis::getIntegerAttribute(loop, "tt.num_stages");
      Reasons reasons;
      if (!hasAsynchronousCopies)
        reasons.add(loop, "the target has no asynchronous copies");
      else if (stated ||
               !holdsPipelinedLoads(loop)) // Shared memory serves inner loops best; outer ones may ask for it.
        LoopLatencies(loop, stated ? unsigned(std::max<int64_t>(0, *stated)) : numStages, capacity, axisInfo)
            .assign(reasons);
      if (stated.value_or(0) > 1 && reasons.first) {
        InFlightDiagnostic warning = loop.emitWarning() << "`num_stages` has no effect on this loop";
        warning.attachNote(reasons.first->first->getLoc()) << reasons.first->second;
      }
    }
  }

private:
  static bool holdsPipelinedLoads(scf::ForOp loop) {
    return loop
        .walk([](tt::LoadOp load) {
          return load->hasAttr(latencyAttribute) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// `disallow_acc_multi_buffer` needs no warning: accumulators always have one buffer.
  static void warnOfHints(scf::ForOp loop) {
    if (loop->hasAttr("tt.flatten"))
      loop.emitWarning() << "`flatten` has no effect: nested loops are not fused, the inner one fills its pipeline "
                            "anew in each iteration of the outer one";
    if (loop->hasAttr("tt.warp_specialize"))
      loop.emitWarning() << "`warp_specialize` has no effect: all warps run the same code";
  }
};

} // namespace

} // namespace triton::ttg
