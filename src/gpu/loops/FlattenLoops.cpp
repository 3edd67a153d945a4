// Turns two nested loops into one, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/NestFusion.h"
#include "gpu/loops/Passes.h"
#include "gpu/loops/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"
#include "ir/AttributeNames.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUFLATTENLOOPS
#include "gpu/loops/Passes.h.inc"

namespace {

struct TritonGPUFlattenLoops : impl::TritonGPUFlattenLoopsBase<TritonGPUFlattenLoops>, base::OptionalPass {
  using TritonGPUFlattenLoopsBase::TritonGPUFlattenLoopsBase;

  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    hasAsynchronousCopies = target->machine().fewestAsyncBytes != 0;
    SmallVector<scf::ForOp> loops; // inner ones first
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(tt::flattenAttribute))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      loop->removeAttr(tt::flattenAttribute);
      Refusal refusal;
      if (flatten(loop, refusal))
        continue;
      refusal.report(loop, remarks::loop, "Flatten", "the loop and the one inside it stay two");
      InFlightDiagnostic warning = loop.emitWarning() << "`flatten` has no effect on this loop";
      warning.attachNote(refusal.place) << refusal.text;
    }
  }

private:
  bool flatten(scf::ForOp outer, Refusal &refusal) {
    if (!hasAsynchronousCopies)
      return refusal.add(outer, "the target has no asynchronous copies"), false;
    std::optional<NestFusion> nest = NestFusion::plan(outer, refusal);
    if (!nest)
      return false;
    if (statedStages(*nest).value_or(numStages) < 2)
      return refusal.add(nest->innerLoop(), "one stage leaves nothing in flight from one iteration to the next"), false;
    return replaceIfPipelined(*nest, refusal);
  }

  static std::optional<int64_t> statedStages(NestFusion &nest) {
    std::optional<int64_t> inner = analysis::getIntegerAttribute(nest.innerLoop(), tt::loopStagesAttribute);
    return inner ? inner : analysis::getIntegerAttribute(nest.outerLoop(), tt::loopStagesAttribute);
  }

  /// A single loop is worth its conditions if its loads run ahead. This is checked on the loop itself, which is dropped
  /// if they do not.
  bool replaceIfPipelined(NestFusion &nest, Refusal &refusal) {
    scf::ForOp outer = nest.outerLoop();
    Operation *before = outer->getPrevNode();
    OpBuilder builder(outer);
    NestFusion::Result result = nest.emit(builder);
    result.loop->setAttr(disjointArgumentsAttribute, builder.getUnitAttr());
    if (std::optional<int64_t> stages = statedStages(nest))
      analysis::setIntegerAttribute(result.loop, tt::loopStagesAttribute, *stages);
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    if (!findMovableLoads(result.loop, axisInfo, refusal).empty()) {
      outer.replaceAllUsesWith(result.replacements);
      outer.erase();
      return true;
    }
    refusal.add(nest.innerLoop(), "no load in it fills a buffer that products read");
    while (outer->getPrevNode() != before)
      outer->getPrevNode()->erase();
    return false;
  }

  bool hasAsynchronousCopies = false;
};

} // namespace

} // namespace triton::ttg
