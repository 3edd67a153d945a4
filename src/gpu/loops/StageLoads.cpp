// Lets loads run ahead that products need after computations in registers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/CopiedLoads.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/loops/Passes.h"
#include "gpu/loops/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSTAGELOADS
#include "gpu/loops/Passes.h.inc"

namespace {

/// A buffer in the order of the load. Where copies may write in any order, a swizzle lets reads in other layouts pass
/// without conflicts of banks.
MemDescType getStagingType(RankedTensorType type, const gpu::Machine &machine) {
  SmallVector<unsigned> order = getOrder(type);
  bool isSwizzled = type.getRank() > 1 && !machine.copiesInLaneOrder;
  return getOperandBufferType(type, isSwizzled ? getSwizzledEncoding(type, order, /*kWidth=*/0, machine)
                                               : SwizzledSharedEncodingAttr::get(type.getContext(), 1, 1, 1, order));
}

class LoopStaging {
public:
  LoopStaging(scf::ForOp loop, unsigned stages, const gpu::Machine &machine, const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), stages(stages), machine(machine), axisInfo(axisInfo) {}

  void run() {
    if (stages < 2)
      return;
    SmallVector<tt::LoadOp> found;
    for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
      if (canStage(load))
        found.push_back(load);
    std::size_t left = machine.sharedBytes - std::min(machine.sharedBytes, countBytes());
    for (tt::LoadOp load : found) {
      std::size_t needed = bytesOfRing(load);
      if (needed > left)
        continue; // Loads that products read directly need the memory more.
      left -= needed;
      stage(load);
    }
  }

private:
  /// The buffer that products read, and that also serves what else uses `load`.
  static LocalAllocOp findOwnBuffer(tt::LoadOp load) {
    auto buffers = llvm::make_filter_range(load->getUsers(), llvm::IsaPred<LocalAllocOp>);
    return llvm::hasSingleElement(buffers) ? cast<LocalAllocOp>(*buffers.begin()) : LocalAllocOp();
  }

  bool canStage(tt::LoadOp load) const {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() % 8 != 0)
      return false;
    bool isBuffered = llvm::any_of(load->getUsers(), llvm::IsaPred<LocalAllocOp>);
    LocalAllocOp own = findOwnBuffer(load);
    if (isBuffered && (load->hasOneUse() || !own || own->getBlock() != load->getBlock()))
      return false;
    return canCopy(load, bufferTypeOf(load), axisInfo) && reachesProduct(load) && !repeatsElements(load, axisInfo);
  }

  MemDescType bufferTypeOf(tt::LoadOp load) const {
    LocalAllocOp own = findOwnBuffer(load);
    return own ? cast<MemDescType>(own.getType()) : getStagingType(cast<RankedTensorType>(load.getType()), machine);
  }

  /// Bytes that staging adds: `countBytes` knows the buffers that are there.
  std::size_t bytesOfRing(tt::LoadOp load) const {
    return findOwnBuffer(load) ? 0 : analysis::getBufferBytes(bufferTypeOf(load)) * stages;
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

  /// Whether a use reads the buffer in the layout that it wants: of a row, or from a buffer with a swizzle. In the
  /// layout of the load, accesses of other tiles do not meet in banks.
  bool readsDirectly(ConvertLayoutOp conversion) const {
    return cast<RankedTensorType>(conversion.getType()).getRank() == 1 || !machine.copiesInLaneOrder;
  }

  void stage(tt::LoadOp load) const {
    OpBuilder builder(load->getContext());
    builder.setInsertionPointAfter(load);
    Location loc = load.getLoc();
    LocalAllocOp buffer = findOwnBuffer(load);
    if (buffer)
      buffer->moveAfter(load);
    else
      buffer = LocalAllocOp::create(builder, loc, bufferTypeOf(load), load.getResult());
    for (OpOperand &use : llvm::make_early_inc_range(load->getUses())) {
      Operation *user = use.getOwner();
      if (user == buffer)
        continue;
      builder.setInsertionPoint(user);
      auto conversion = dyn_cast<ConvertLayoutOp>(user);
      if (conversion && !readsDirectly(conversion))
        conversion = {};
      Value loaded =
          LocalLoadOp::create(builder, loc, conversion ? conversion.getType() : load.getType(), buffer, Value());
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
  const gpu::Machine &machine;
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
      LoopStaging(loop, unsigned(std::max<int64_t>(0, analysis::getStages(loop, numStages))), target->machine(),
                  axisInfo)
          .run();
    });
  }
};

} // namespace

} // namespace triton::ttg
