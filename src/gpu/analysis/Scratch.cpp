#include "gpu/analysis/Scratch.h"

#include "gpu/analysis/CombinePlan.h"
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/ir/Dialect.h"
#include "ir/ProfileScopes.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace triton::analysis {

static std::size_t tensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return std::size_t(tensor.getNumElements()) * sharedElementBytes(tensor.getElementType());
}

/// The bytes of old values, which one thread gets from memory and which all threads with copies of the result need.
static std::size_t atomicBytes(Operation *op) {
  if (op->use_empty())
    return 0;
  Value result = op->getResult(0);
  auto tensor = dyn_cast<RankedTensorType>(result.getType());
  if (!tensor)
    return sharedElementBytes(result.getType());
  for (auto &[name, mask] : ttg::toLinearLayout(tensor).freeVariables())
    if (name != "register" && mask != 0)
      return tensorBytes(tensor);
  return 0;
}

namespace {

using ttg::ScratchOpInterface;

struct ConversionScratch : ScratchOpInterface::ExternalModel<ConversionScratch, ttg::ConvertLayoutOp> {
  std::size_t getScratchBytes(Operation *op) const {
    return planConversion(cast<ttg::ConvertLayoutOp>(op)).scratchBytes;
  }
};

struct ReduceScratch : ScratchOpInterface::ExternalModel<ReduceScratch, tt::ReduceOp> {
  std::size_t getScratchBytes(Operation *op) const {
    std::optional<ReducePlan> plan = planReduce(cast<tt::ReduceOp>(op));
    return plan ? plan->scratchBytes : 0;
  }
};

struct ScanScratch : ScratchOpInterface::ExternalModel<ScanScratch, tt::ScanOp> {
  std::size_t getScratchBytes(Operation *op) const {
    std::optional<ScanPlan> plan = planScan(cast<tt::ScanOp>(op));
    return plan ? plan->scratchBytes : 0;
  }
};

template <typename Op> struct AtomicScratch : ScratchOpInterface::ExternalModel<AtomicScratch<Op>, Op> {
  std::size_t getScratchBytes(Operation *op) const { return atomicBytes(op); }
};

template <typename... Ops> void attachAtomicScratch(MLIRContext &context) {
  (Ops::template attachInterface<AtomicScratch<Ops>>(context), ...);
}

struct TimeScratch : ScratchOpInterface::ExternalModel<TimeScratch, tt::GetTimeOp> {
  std::size_t getScratchBytes(Operation *op) const {
    return op->use_empty() || op->hasAttr(tt::cyclesAttribute) ? 0 : sizeof(int64_t);
  }
};

struct GatherScratch : ScratchOpInterface::ExternalModel<GatherScratch, tt::GatherOp> {
  std::size_t getScratchBytes(Operation *op) const { return tensorBytes(cast<tt::GatherOp>(op).getSrc().getType()); }
};

struct HistogramScratch : ScratchOpInterface::ExternalModel<HistogramScratch, tt::HistogramOp> {
  std::size_t getScratchBytes(Operation *op) const { return tensorBytes(op->getResult(0).getType()); }
};

} // namespace

void registerScratchModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tt::TritonDialect *, ttg::TritonGPUDialect *) {
    ttg::ConvertLayoutOp::attachInterface<ConversionScratch>(*context);
    tt::ReduceOp::attachInterface<ReduceScratch>(*context);
    tt::ScanOp::attachInterface<ScanScratch>(*context);
    attachAtomicScratch<tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp, tt::AtomicPollOp,
                        ttg::LocalAtomicScatterRMWOp>(*context);
    tt::GetTimeOp::attachInterface<TimeScratch>(*context);
    tt::GatherOp::attachInterface<GatherScratch>(*context);
    tt::HistogramOp::attachInterface<HistogramScratch>(*context);
  });
}

std::size_t getScratchBytes(Operation *op) {
  // Without the models in the context, no operation would have scratch.
  if (!RegisteredOperationName::lookup(ttg::ConvertLayoutOp::getOperationName(), op->getContext())
           ->hasInterface<ScratchOpInterface>())
    llvm::reportFatalInternalError("registerScratchModels was not called for this context");
  auto interface = dyn_cast<ScratchOpInterface>(op);
  return interface ? interface.getScratchBytes() : 0;
}

LogicalResult verifyHavePlaces(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (!isa<ttg::LocalAllocOp>(op) && getScratchBytes(op) == 0)
      return WalkResult::advance();
    auto offset = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute);
    if (offset && offset.getType().isSignlessInteger(32) && offset.getInt() >= 0)
      return WalkResult::advance();
    op->emitError() << "ttgir-5: needs shared memory and has no place there; allocate-shared-memory writes it to `"
                    << ttg::allocationOffsetAttribute << "`";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

} // namespace triton::analysis
