#include "gpu/analysis/AsyncTokens.h"

#include "gpu/analysis/Allocation.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::analysis {

bool isAsynchronousCopy(Operation *op) {
  if (isa<ttg::AsyncMappedLoadOp>(op))
    return false; // which ends at a barrier, not with a group
  SmallVector<ttg::BufferAccess> accesses;
  if (auto interface = dyn_cast<ttg::SharedMemoryOpInterface>(op))
    interface.getBufferAccesses(accesses);
  return llvm::any_of(accesses,
                      [](const ttg::BufferAccess &access) { return access.isWrite && access.isAsynchronous; });
}

llvm::SetVector<Operation *> findCopies(ttg::AsyncWaitOp wait) {
  llvm::SetVector<Operation *> copies;
  auto insertAll = [&] {
    wait->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
      if (isAsynchronousCopy(op))
        copies.insert(op);
    });
  };
  if (wait.getInputTokens().empty())
    insertAll();
  llvm::DenseSet<Value> visited;
  SmallVector<Value> worklist(wait.getInputTokens());
  while (!worklist.empty())
    for (Value origin : findOrigins(worklist.pop_back_val())) {
      if (!visited.insert(origin).second)
        continue;
      Operation *source = origin.getDefiningOp();
      if (source && isAsynchronousCopy(source))
        copies.insert(source);
      else if (isa_and_nonnull<ttg::AsyncCommitGroupOp>(source) && source->getNumOperands() != 0)
        llvm::append_range(worklist, source->getOperands());
      else
        insertAll(); // it may stand for any copy
    }
  return copies;
}

} // namespace triton::analysis
