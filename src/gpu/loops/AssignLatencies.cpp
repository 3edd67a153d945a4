// Decides which loads are issued iterations ahead, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/RingRemarks.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/Passes.h"
#include "gpu/loops/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"
#include "ir/AttributeNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUASSIGNLATENCIES
#include "gpu/loops/Passes.h.inc"

namespace {

using analysis::latencyAttribute;

class LoopLatencies {
public:
  LoopLatencies(scf::ForOp loop, unsigned stages, std::size_t sharedCapacity, const gpu::Machine &machine,
                const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), stages(stages), warps(getNumWarps(loop)), sharedCapacity(sharedCapacity), machine(machine),
        budget(machine, warps), axisInfo(axisInfo) {}

  /// Marks the loads that can run ahead. If there are none, `refusal` says why.
  void assign(Refusal &refusal) {
    if (stages < 2)
      return refusal.add(loop, "`num_stages` is 1, which leaves no load in flight");
    loads = findMovableLoads(loop, axisInfo, refusal);
    if (loads.empty())
      return prefetch(refusal);
    std::optional<int64_t> iterations = analysis::countIterations(loop);
    stages = unsigned(analysis::limitToIterations(loop, stages));
    unsigned wanted = stages;
    Needs needs = countNeeds();
    fitStages(needs);
    refillsSlots |= stages >= 2 && gainsPrograms(needs);
    if (!refillsSlots && iterations == stages)
      wanted = ++stages; // All copies come before the loop, and need no slot more.
    if (stages < 2)
      return refusal.add(loop, "shared memory does not hold a second buffer for its loads");
    if (stages < wanted)
      reportFewerStages(loop, stages, wanted);
    for (PipelinedLoad &load : loads)
      analysis::setIntegerAttribute(load.load, latencyAttribute, stages - 1);
    if (refillsSlots)
      loop->setAttr(analysis::refillsSlotsAttribute, UnitAttr::get(loop.getContext()));
    // Beside copies, for the likes of factors, and for tiles that copies cannot bring in the order of lanes.
    for (tt::LoadOp load : findPrefetchedLoads(loop, axisInfo,
                                               machine.copiesInLaneOrder ? budget.registersOfWaitingTiles()
                                                                         : tuned::registersBesideCopies))
      analysis::setIntegerAttribute(load, latencyAttribute, 1);
    if (remarks::areWanted(loop))
      reportOthers(refusal);
  }

private:
  /// Without copies, tiles wait in registers for one iteration.
  void prefetch(Refusal &refusal) {
    SmallVector<tt::LoadOp> prefetched = findPrefetchedLoads(
        loop, axisInfo, budget.holdsAllLoads(loop, axisInfo) ? budget.registersOfWaitingTiles() : 0);
    for (tt::LoadOp load : prefetched) {
      analysis::setIntegerAttribute(load, latencyAttribute, 1);
      Refusal own;
      if (!findCopyTarget(loop, load, axisInfo, own))
        own.report(load, remarks::access, "Pipeline", "the load runs one iteration ahead, in registers");
    }
    if (prefetched.empty() && !stream())
      (void)findPipelinedLoads(loop, axisInfo, &refusal);
  }

  /// Whether loads of a loop without products run ahead, in registers that do not keep other warps from their place.
  bool stream() {
    unsigned free = budget.registersInFlight(countLiveRegisters(*loop.getBody())), needed = 0;
    if (free == 0)
      return false;
    SmallVector<tt::LoadOp> streamed = findStreamedLoads(loop, free);
    for (tt::LoadOp load : streamed)
      needed += countRegisters(load.getResult());
    if (needed == 0)
      return false;
    unsigned ahead = std::min(tuned::iterationsAhead, free / needed);
    for (tt::LoadOp load : streamed)
      analysis::setIntegerAttribute(load, latencyAttribute, ahead);
    remarks::decided(loop, remarks::loop, "Pipeline") << remarks::Fact("stages", ahead + 1);
    return true;
  }

  /// Says why loads of the body do not run ahead while others do; `refusal` is the reason where a copy could do them.
  void reportOthers(const Refusal &refusal) {
    for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>()) {
      Refusal own;
      if (load->hasAttr(latencyAttribute))
        continue;
      bool isCopy = bool(findCopyTarget(loop, load, axisInfo, own));
      (isCopy ? refusal : own).report(load, remarks::access, "Pipeline", "the load does not run iterations ahead");
    }
  }

  /// Bytes of shared memory.
  struct Needs {
    std::size_t slot = 0;  ///< of the tiles of one iteration
    std::size_t other = 0; ///< what else the loop needs while the rings live

    std::size_t withSlots(std::size_t slots) const { return slots * slot + other; }
  };

  /// All that lives while the loop runs counts, be it for what follows the loop.
  Needs countNeeds() {
    Needs needs;
    for (PipelinedLoad &load : loads)
      needs.slot += analysis::getBufferBytes(load.buffer.getType());
    auto frameBytes = [](CallOpInterface) { return std::size_t(0); };
    needs.other = analysis::countBytesBetween(loop, loop, frameBytes) - needs.slot;
    loop.walk(
        [&](LocalAllocOp buffer) { needs.other += bytesOfRing(buffer) - analysis::getBufferBytes(buffer.getType()); });
    return needs;
  }

  /// As many stages as shared memory holds. If a program's share has no room for a second slot, the only one is filled
  /// again after it was read, beside which other programs run.
  void fitStages(const Needs &needs) {
    while (stages >= 2 && needs.withSlots(stages) > sharedCapacity)
      --stages;
    refillsSlots =
        stages == 1 && sharedCapacity < machine.sharedBytes && needs.withSlots(1) <= sharedCapacity && mayRefillSlots();
    if (refillsSlots)
      stages = 2;
  }

  /// A product that goes on in the next round still reads its slot there. Copies in the order of lanes were not
  /// measured.
  bool mayRefillSlots() { return !machine.copiesInLaneOrder && !findProductThatGoesOn(loop); }

  /// Whether a multiprocessor runs more programs if copies fill the slot that was read last. They have less of a round
  /// beside them, so this is for schedulers that have a single warp, or where copies end a round anyway.
  bool gainsPrograms(const Needs &needs) {
    if (!mayRefillSlots() || machine.warpsOfMultiprocessor == 0)
      return false;
    unsigned registers = std::min(countLiveRegisters(*loop.getBody()), machine.registersOfThread);
    auto programs = [&](std::size_t slots) {
      return analysis::computeOccupancy({warps, registers, needs.withSlots(slots)}, machine).programs();
    };
    unsigned now = programs(stages);
    bool mayCome = now * warps <= machine.schedulers || copiesEndRounds();
    return mayCome && programs(stages - 1) > now;
  }

  /// Whether copies come where the threads have waited for the one product of a round. With two stages they come
  /// earlier.
  bool copiesEndRounds() { return stages > 2 && llvm::hasSingleElement(loop.getBody()->getOps<WarpGroupDotOp>()); }

  /// The memory of a buffer after the loads of inner loops run ahead.
  static std::size_t bytesOfRing(LocalAllocOp buffer) {
    Operation *source = buffer.getSrc() ? buffer.getSrc().getDefiningOp() : nullptr;
    int64_t latency = source ? analysis::getIntegerAttribute(source, latencyAttribute).value_or(0) : 0;
    bool isRefilled = latency > 0 && source->getParentOp()->hasAttr(analysis::refillsSlotsAttribute);
    int64_t slots = latency + (isRefilled ? 0 : 1);
    if (auto loop = source ? dyn_cast<scf::ForOp>(source->getParentOp()) : scf::ForOp(); loop && latency > 0)
      slots = analysis::limitToIterations(loop, slots);
    return analysis::getBufferBytes(buffer.getType()) * std::size_t(slots);
  }

  scf::ForOp loop;
  unsigned stages, warps;
  std::size_t sharedCapacity;
  const gpu::Machine &machine;
  Budget budget;
  bool refillsSlots = false;
  const analysis::AxisInfoAnalysis &axisInfo;
  SmallVector<PipelinedLoad> loads;
};

struct TritonGPUAssignLatencies : impl::TritonGPUAssignLatenciesBase<TritonGPUAssignLatencies>, base::OptionalPass {
  using TritonGPUAssignLatenciesBase::TritonGPUAssignLatenciesBase;

  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    std::size_t capacity =
        sharedCapacity != 0 ? std::size_t(sharedCapacity) : shareOf(getOperation(), target->machine());
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    SmallVector<scf::ForOp> loops; // inner ones first, so that outer ones get the remaining shared memory
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      warnOfHints(loop);
      std::optional<int64_t> stated = analysis::getIntegerAttribute(loop, tt::loopStagesAttribute);
      Refusal refusal;
      if (stated || !holdsPipelinedLoads(loop)) // Inner loops need shared memory most. Outer ones may ask for it.
        LoopLatencies(loop, stated ? unsigned(std::max<int64_t>(0, *stated)) : numStages, capacity, target->machine(),
                      axisInfo)
            .assign(refusal);
      if (loadsTiles(loop))
        refusal.report(loop, remarks::loop, "Pipeline", "the loop is not pipelined");
      if (stated.value_or(0) > 1 && refusal.place) {
        InFlightDiagnostic warning = loop.emitWarning() << "`num_stages` has no effect on this loop";
        warning.attachNote(refusal.place) << refusal.text;
      }
    }
  }

private:
  /// Of the shared memory, what leaves each scheduler of a multiprocessor a warp. A program of one warp that takes a
  /// third of it leaves one of four schedulers without work, which costs more than loads ahead gain.
  static std::size_t shareOf(ModuleOp module, const gpu::Machine &machine) {
    return machine.sharedBytes * std::min(getNumWarps(module), machine.schedulers) / machine.schedulers;
  }

  /// Whether somebody may expect loads of the body to run ahead, and none does.
  static bool loadsTiles(scf::ForOp loop) {
    return !holdsPipelinedLoads(loop) && llvm::any_of(loop.getBody()->getOps<tt::LoadOp>(), [](tt::LoadOp load) {
      return isa<RankedTensorType>(load.getType());
    });
  }

  static bool holdsPipelinedLoads(scf::ForOp loop) {
    return loop
        .walk([](tt::LoadOp load) {
          return load->hasAttr(latencyAttribute) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// `disallow_acc_multi_buffer` needs no warning: accumulators always have one buffer.
  static void warnOfHints(scf::ForOp loop) {
    if (loop->hasAttr(tt::warpSpecializeAttribute))
      loop.emitWarning() << "`warp_specialize` has no effect: which loops have a warp that loads does not depend on it";
  }
};

} // namespace

} // namespace triton::ttg
