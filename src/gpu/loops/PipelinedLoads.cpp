#include "gpu/loops/PipelinedLoads.h"

#include "gpu/analysis/AccessOrder.h"
#include "gpu/analysis/CopiedLoads.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/ir/Products.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace triton::ttg {

/// The buffer that `load` alone fills; null where it does something else.
static LocalAllocOp findOwnBuffer(tt::LoadOp load) {
  return load->hasOneUse() ? dyn_cast<LocalAllocOp>(*load->user_begin()) : LocalAllocOp();
}

LocalAllocOp findCopyTarget(scf::ForOp loop, tt::LoadOp load, const analysis::AxisInfoAnalysis &axisInfo,
                            Refusal &refusal) {
  if (!isa<RankedTensorType>(load.getPtr().getType()))
    return {}; // Nobody expects it of a scalar.
  if (!load->hasOneUse())
    return refusal.add(load, "what this loads is used several times, not from one buffer in shared memory alone"),
           LocalAllocOp();
  auto buffer = dyn_cast<LocalAllocOp>(*load->user_begin());
  if (!buffer || buffer->getBlock() != loop.getBody() || buffer->use_empty())
    return refusal.add(load, "only operands that products of the loop read from shared memory run ahead"),
           LocalAllocOp();
  if (llvm::StringRef obstacle = findCopyObstacle(load, buffer.getType(), axisInfo); !obstacle.empty())
    return refusal.add(load, obstacle), LocalAllocOp();
  return buffer;
}

SmallVector<PipelinedLoad> findPipelinedLoads(scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                              Refusal *refusal) {
  SmallVector<PipelinedLoad> loads;
  Refusal ignored;
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
    if (LocalAllocOp buffer = findCopyTarget(loop, load, axisInfo, refusal ? *refusal : ignored))
      loads.push_back({load, buffer});
  return loads;
}

void forEachRead(scf::ForOp loop, Value buffer, llvm::function_ref<void(Operation *)> handle) {
  for (Operation *user : buffer.getUsers()) {
    handle(loop.getBody()->findAncestorOpInBlock(*user));
    for (Value result : user->getResults())
      if (isa<MemDescType>(result.getType()))
        forEachRead(loop, result, handle);
  }
}

/// Whether `op` may be part of a computation of addresses ahead: it has no effect and does not wait for a product.
static bool mayComputeAddresses(Operation *op) {
  if (op->getNumRegions() != 0 && !isa<scf::IfOp>(op))
    return false;
  WalkResult walk = op->walk([&](Operation *inner) {
    bool readsGlobal = isa<tt::LoadOp>(inner) && !cast<tt::LoadOp>(inner).getIsVolatile();
    bool mayStand = inner == op || inner->getNumRegions() == 0 || isa<scf::IfOp>(inner);
    return mayStand && (isa<scf::IfOp>(inner) || isMemoryEffectFree(inner) || readsGlobal) && !isRegisterProduct(inner)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted() && analysis::mayRunAhead(op);
}

std::optional<llvm::SetVector<Operation *>> findAddressComputation(scf::ForOp loop, tt::LoadOp load) {
  llvm::SetVector<Operation *> needed;
  llvm::DenseSet<Value> visited;
  SmallVector<Value> worklist(load->getOperands());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == loop.getBody()) {
      if (argument != loop.getInductionVar())
        worklist.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || needed.contains(op))
      continue;
    if (!mayComputeAddresses(op))
      return std::nullopt;
    needed.insert(op);
    analysis::forEachOperand(op, [&](OpOperand &operand) { worklist.push_back(operand.get()); });
  }
  return needed;
}

/// The operations of the body must declare what they access, or be meetings of threads that `mustKeepOrder` knows.
static bool mayBeReordered(scf::ForOp loop, Refusal &refusal) {
  WalkResult walk = loop.walk([&](Operation *op) {
    bool says =
        isa<MemoryEffectOpInterface, mlir::gpu::BarrierOp>(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    if (says && !isa<BarrierOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp, CallOpInterface>(op))
      return WalkResult::advance();
    refusal.add(op, "this operation keeps the order of the operations around it");
    return WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// Whether the load, and what its addresses need, may run before the writes of the iterations in between.
static bool mayMove(scf::ForOp loop, tt::LoadOp load, Refusal &refusal) {
  std::optional<llvm::SetVector<Operation *>> needed = findAddressComputation(loop, load);
  if (!needed)
    return refusal.add(load, "the addresses of this load depend on what must not run ahead"), false;
  if (needed->contains(load)) // as in a search, in which each round waits for the one before
    return refusal.add(load, "the addresses of this load depend on what it loads an iteration before"), false;
  needed->insert(load);
  for (Operation &op : loop.getBody()->without_terminator())
    for (Operation *early : *needed)
      if (!isMemoryEffectFree(early) && !isMemoryEffectFree(&op) && analysis::mustKeepOrder(early, &op))
        return refusal.add(&op, isa<tt::LoadOp>(op)
                                    ? "this load is volatile, so it keeps the order of the accesses around it"
                                    : "this may write what a load of a later iteration reads"),
               false;
  return true;
}

SmallVector<PipelinedLoad> findMovableLoads(scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                            Refusal &refusal) {
  if (!mayBeReordered(loop, refusal))
    return {};
  return llvm::filter_to_vector(findPipelinedLoads(loop, axisInfo),
                                [&](const PipelinedLoad &load) { return mayMove(loop, load.load, refusal); });
}

SmallVector<tt::LoadOp> findPrefetchedLoads(scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo,
                                            unsigned registers) {
  SmallVector<tt::LoadOp> found;
  Refusal ignored;
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !type.getElementType().isIntOrFloat() || load.getIsVolatile())
      continue;
    LocalAllocOp buffer = findOwnBuffer(load);
    bool isCopied = canCopy(load, buffer ? buffer.getType() : MemDescType(), axisInfo);
    bool isRepeated = isCopied && repeatsElements(load, axisInfo); // By words, of which loops carry one for all.
    unsigned needed = isRepeated ? countDistinctRegisters(load, axisInfo) : countUnsharedRegisters(load.getResult());
    if (isCopied != isRepeated || needed > registers || !reachesProduct(load) || !mayMove(loop, load, ignored))
      continue;
    registers -= needed;
    found.push_back(load);
  }
  return found;
}

/// Loops in the body hide the latency of its loads, and products need the registers.
static bool isStream(scf::ForOp loop) {
  WalkResult walk = loop.getBody()->walk([](Operation *op) {
    bool isOther = isa<LoopLikeOpInterface, WarpGroupDotOp, AsyncCopyGlobalToLocalOp>(op) || isRegisterProduct(op);
    return isOther ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

SmallVector<tt::LoadOp> findStreamedLoads(scf::ForOp loop, unsigned registers) {
  Refusal ignored;
  if (!isStream(loop) || !mayBeReordered(loop, ignored))
    return {};
  SmallVector<tt::LoadOp> found;
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>()) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !type.getElementType().isIntOrFloat() || load.getIsVolatile() ||
        countRegisters(load.getResult()) > registers || !mayMove(loop, load, ignored))
      continue;
    registers -= countRegisters(load.getResult());
    found.push_back(load);
  }
  return found;
}

} // namespace triton::ttg
