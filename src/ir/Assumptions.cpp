// What `llvm.intr.assume`, by which TTIR states facts, does to memory: nothing. It must stay all the same.
#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace {

/// No access of memory has this effect, so that nothing keeps its order with an assumption.
struct StateFact : MemoryEffects::Effect::Base<StateFact> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StateFact)
};

struct AssumptionEffects : MemoryEffectOpInterface::ExternalModel<AssumptionEffects, LLVM::AssumeOp> {
  void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    effects.emplace_back(StateFact::get());
  }
};

} // namespace

namespace triton::tt {

void TritonDialect::attachAssumptionModels() { LLVM::AssumeOp::attachInterface<AssumptionEffects>(*getContext()); }

} // namespace triton::tt
