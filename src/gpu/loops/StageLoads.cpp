// Lets loads run ahead that products need after computations in registers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/CopiedLoads.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/loops/Passes.h"
#include "gpu/loops/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"
#include "ir/AttributeNames.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSTAGELOADS
#include "gpu/loops/Passes.h.inc"

namespace {

/// A buffer in the order of the load.
MemDescType getStagingType(RankedTensorType type) {
  auto encoding = SwizzledSharedEncodingAttr::get(type.getContext(), 1, 1, 1, getOrder(type));
  return getOperandBufferType(type, encoding);
}

class LoopStaging {
public:
  LoopStaging(scf::ForOp loop, unsigned stages, std::size_t capacity, const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), stages(stages), capacity(capacity), axisInfo(axisInfo) {}

  void run() {
    if (stages < 2)
      return;
    SmallVector<tt::LoadOp> found;
    for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
      if (canStage(load))
        found.push_back(load);
    std::size_t left = capacity - std::min(capacity, countBytes());
    for (tt::LoadOp load : found) {
      std::size_t needed = analysis::getBufferBytes(getStagingType(cast<RankedTensorType>(load.getType()))) * stages;
      if (needed > left)
        continue; // Loads that products read directly need the memory more.
      left -= needed;
      stage(load);
    }
  }

private:
  bool canStage(tt::LoadOp load) {
    bool isBuffered = llvm::any_of(load->getUsers(), [](Operation *user) { return isa<LocalAllocOp>(user); });
    auto type = dyn_cast<RankedTensorType>(load.getType());
    return type && !isBuffered && canCopy(load, getStagingType(type), axisInfo) && reachesProduct(load);
  }

  /// What the function needs when the loads that are copied to buffers already run ahead.
  std::size_t countBytes() {
    std::size_t bytes = 0;
    loop->getParentOfType<FunctionOpInterface>().walk([&](LocalAllocOp buffer) {
      bool isCopied =
          buffer.getSrc() && buffer.getSrc().getDefiningOp<tt::LoadOp>() && buffer->getParentOfType<scf::ForOp>();
      bytes += analysis::getBufferBytes(buffer.getType()) * (isCopied ? stages : 1);
    });
    return bytes;
  }

  /// Each use reads a row in the layout that it wants. In that of the load, accesses of tiles do not meet in banks.
  static void stage(tt::LoadOp load) {
    OpBuilder builder(load->getContext());
    builder.setInsertionPointAfter(load);
    Location loc = load.getLoc();
    auto type = cast<RankedTensorType>(load.getType());
    bool isRow = type.getRank() == 1;
    auto buffer = LocalAllocOp::create(builder, loc, getStagingType(type), load.getResult());
    for (OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
      Operation *user = use.getOwner();
      if (user == buffer)
        continue;
      builder.setInsertionPoint(user);
      auto conversion = isRow ? dyn_cast<ConvertLayoutOp>(user) : ConvertLayoutOp();
      Value loaded = LocalLoadOp::create(builder, loc, conversion ? conversion.getType() : type, buffer, Value());
      if (!conversion) {
        use.set(loaded);
        continue;
      }
      conversion.replaceAllUsesWith(loaded);
      conversion.erase();
    }
  }

  scf::ForOp loop;
  unsigned stages;
  std::size_t capacity;
  const analysis::AxisInfoAnalysis &axisInfo;
};

struct TritonGPUStageLoads : impl::TritonGPUStageLoadsBase<TritonGPUStageLoads>, base::OptionalPass {
  using TritonGPUStageLoadsBase::TritonGPUStageLoadsBase;

  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    getOperation().walk([&](scf::ForOp loop) {
      int64_t stages = analysis::getIntegerAttribute(loop, tt::loopStagesAttribute).value_or(numStages);
      LoopStaging(loop, unsigned(std::max<int64_t>(0, stages)), target->machine().sharedBytes, axisInfo).run();
    });
  }
};

} // namespace

} // namespace triton::ttg
