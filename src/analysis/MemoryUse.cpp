#include "analysis/MemoryUse.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::analysis {

bool mayTouchMemory(Operation *op) {
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<tt::FuncOp, tt::AssertOp, tt::PrintOp, LLVM::AssumeOp>(op) && !isMemoryEffectFree(op);
}

MemoryUse getMemoryUse(Operation *op) {
  if (!mayTouchMemory(op))
    return {};
  MemoryUse use;
  use.stores = !hasSingleEffect<MemoryEffects::Read>(op);
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    use.acquires = load.getIsVolatile();
  } else if (auto atomic = dyn_cast<tt::AtomicOpInterface>(op)) {
    tt::MemSemantic order = atomic.getSem();
    use.acquires = order == tt::MemSemantic::Acquire || order == tt::MemSemantic::AcquireRelease;
    use.releases = order == tt::MemSemantic::Release || order == tt::MemSemantic::AcquireRelease;
  } else if (!isa<tt::StoreOp, tt::DescriptorLoadOp, tt::DescriptorGatherOp, tt::DescriptorStoreOp,
                  tt::DescriptorScatterOp, tt::DescriptorReduceOp, tt::MappedLoadOp>(op)) {
    use.acquires = use.releases = true; // Nothing is known of it.
  }
  return use;
}

} // namespace triton::analysis
