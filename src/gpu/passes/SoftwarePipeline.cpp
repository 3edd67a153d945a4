// Overlaps the loads of later iterations with the products of this one, see Passes.td.
#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/ir/Dialect.h"
#include "gpu/passes/LoopExpansion.h"
#include "gpu/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUPIPELINE
#include "gpu/passes/Passes.h.inc"

namespace {

/// A load whose tile goes to a buffer, from where products read it.
struct PipelinedLoad {
  tt::LoadOp load;
  LocalAllocOp buffer;
};

/// Whether masked elements may become zeros; -0 is another value.
bool isZeroOrAbsent(Value value) {
  return !value || matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, unsigned stages, std::size_t sharedCapacity,
                const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), stages(stages), sharedCapacity(sharedCapacity), axisInfo(axisInfo), rewriter(loop.getContext()) {}

  /// Fails only where the loop was found fit to be pipelined and is not.
  LogicalResult run() {
    if (stages < 2 || !mayReorder())
      return success();
    findLoads();
    llvm::erase_if(loads, [&](PipelinedLoad &load) { return !addEarly(load.load); });
    fitStages();
    if (loads.empty() || stages < 2)
      return success();
    duplicateForLate();
    makeAsynchronous();
    return expand();
  }

private:
  Block &body() { return *loop.getBody(); }

  //===--------------------------------------------------------------------===//
  // What can be pipelined
  //===--------------------------------------------------------------------===//

  /// A load may move over a write only when they cannot meet, which is not known; what a loop carries must be computed
  /// in it.
  bool mayReorder() {
    for (Value yielded : body().getTerminator()->getOperands())
      if (Operation *op = yielded.getDefiningOp(); !op || op->getBlock() != &body())
        return false;
    return !loop.walk([&](Operation *op) {
                  if (isa<BarrierOp, AsyncCopyGlobalToLocalOp, AsyncWaitOp, CallOpInterface>(op))
                    return WalkResult::interrupt();
                  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
                  if (!effects)
                    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ? WalkResult::advance()
                                                                              : WalkResult::interrupt();
                  SmallVector<MemoryEffects::EffectInstance> instances;
                  effects.getEffects(instances);
                  for (const MemoryEffects::EffectInstance &instance : instances)
                    if (isa<MemoryEffects::Write>(instance.getEffect()) && !isa<SharedMemory>(instance.getResource()))
                      return WalkResult::interrupt();
                  return WalkResult::advance();
                })
                .wasInterrupted();
  }

  void findLoads() {
    for (tt::LoadOp load : body().getOps<tt::LoadOp>()) {
      auto pointers = dyn_cast<RankedTensorType>(load.getPtr().getType());
      if (!pointers || !load->hasOneUse() || load.getIsVolatile() || !isZeroOrAbsent(load.getOther()))
        continue;
      auto buffer = dyn_cast<LocalAllocOp>(*load->user_begin());
      if (!buffer || buffer->getBlock() != &body() || buffer->use_empty())
        continue;
      // An asynchronous copy moves at least four bytes.
      unsigned width = analysis::getVectorWidth(axisInfo, load.getPtr(), load.getMask());
      if (width * analysis::getPointeeBytes(pointers) < 4)
        continue;
      loads.push_back({load, buffer});
    }
  }

  /// Adds what `load` needs for its addresses and mask, also from the iteration before, to the first stage. False, and
  /// nothing added, when some of it must not run ahead.
  bool addEarly(tt::LoadOp load) {
    llvm::SetVector<Operation *> needed;
    SmallVector<Value> worklist(load->getOperands());
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() == &body() && argument != loop.getInductionVar())
          worklist.push_back(loop.getTiedLoopYieldedValue(argument)->get());
        continue;
      }
      Operation *op = value.getDefiningOp();
      if (op->getBlock() != &body() || needed.contains(op))
        continue;
      bool readsGlobal = isa<tt::LoadOp>(op) && !cast<tt::LoadOp>(op).getIsVolatile();
      if (op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || readsGlobal) || isa<tt::DotOp>(op) ||
          !mayRunAhead(op))
        return false;
      needed.insert(op);
      llvm::append_range(worklist, op->getOperands());
    }
    early.insert_range(needed);
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
      other += analysis::getBufferBytes(cast<LocalAllocOp>(buffer).getType());
    while (stages >= 2 && slot * stages + (other - slot) > sharedCapacity)
      --stages;
  }

  //===--------------------------------------------------------------------===//
  // The new body
  //===--------------------------------------------------------------------===//

  /// What both the first and the last stage use is computed in both: nothing but loads' results and carried values
  /// lives across stages.
  void duplicateForLate() {
    llvm::DenseSet<Operation *> ofLoads;
    for (const PipelinedLoad &load : loads)
      ofLoads.insert(load.load);
    SmallVector<Operation *> late;
    for (Operation &op : body())
      if (!early.contains(&op) && !ofLoads.contains(&op))
        late.push_back(&op);
    llvm::DenseMap<Value, Value> copies;
    for (Operation *op : late) {
      if (op == body().getTerminator())
        continue;
      op->walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          operand.set(lateValue(operand.get(), copies));
      });
    }
  }

  Value lateValue(Value value, llvm::DenseMap<Value, Value> &copies) {
    Operation *op = value.getDefiningOp();
    if (!op || !early.contains(op) || isa<tt::LoadOp>(op))
      return value;
    if (Value known = copies.lookup(value))
      return known;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, lateValue(operand, copies));
    rewriter.setInsertionPointAfter(op);
    Operation *copy = rewriter.clone(*op, mapping);
    for (auto [original, result] : llvm::zip_equal(op->getResults(), copy->getResults()))
      copies[original] = result;
    return copies[value];
  }

  /// The next slot of a ring: counts up from `current`, and wraps.
  Value advance(Location location, Value current, SmallVectorImpl<Operation *> &created) {
    auto constant = [&](int32_t value) -> Value {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(loop);
      return arith::ConstantIntOp::create(rewriter, location, value, 32);
    };
    auto next = arith::AddIOp::create(rewriter, location, current, constant(1));
    auto wraps = arith::CmpIOp::create(rewriter, location, arith::CmpIPredicate::eq, next, constant(int32_t(stages)));
    auto wrapped = arith::SelectOp::create(rewriter, location, wraps, constant(0), next);
    created.append({next, wraps, wrapped});
    return wrapped;
  }

  /// Loads become copies to a slot of a ring of buffers, and a view of the slot that was filled some iterations before.
  ///
  /// The ring has a slot for each stage: the copy writes the slot that the iteration before has read, and the barrier
  /// that makes this iteration's tiles visible also tells that those reads are over.
  void makeAsynchronous() {
    Location location = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value last = arith::ConstantIntOp::create(rewriter, location, int32_t(stages) - 1, 32);
    auto replaced =
        loop.replaceWithAdditionalYields(rewriter, {last, last}, /*replaceInitOperandUsesInLoop=*/false,
                                         [](OpBuilder &, Location, llvm::ArrayRef<BlockArgument> arguments) {
                                           return SmallVector<Value>(arguments.begin(), arguments.end());
                                         });
    assert(succeeded(replaced) && "adding yields to scf.for does not fail");
    loop = cast<scf::ForOp>(*replaced);

    unsigned first = loop.getNumRegionIterArgs() - 2;
    rewriter.setInsertionPointToStart(&body());
    SmallVector<Operation *> created;
    Value filled = advance(location, loop.getRegionIterArg(first), created);
    early.insert_range(created);
    created.clear();
    Value used = advance(location, loop.getRegionIterArg(first + 1), created);
    body().getTerminator()->setOperand(first, filled);
    body().getTerminator()->setOperand(first + 1, used);

    // What iterations after this one have copied may be under way.
    wait = AsyncWaitOp::create(rewriter, location, ValueRange(), stages - 2);
    for (PipelinedLoad &load : loads)
      replaceLoad(load, filled, used);
    rewriter.setInsertionPoint(body().getTerminator());
    issue.push_back(AsyncCommitGroupOp::create(rewriter, location, ValueRange()));
    rewriter.setInsertionPointAfter(loop);
    AsyncWaitOp::create(rewriter, location, ValueRange(), 0);
  }

  void replaceLoad(PipelinedLoad &pipelined, Value filled, Value used) {
    tt::LoadOp load = pipelined.load;
    LocalAllocOp buffer = pipelined.buffer;
    MemDescType type = buffer.getType();
    Value ring = createRing(load.getLoc(), type);
    rewriter.setInsertionPoint(load);
    auto slotType = MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), type.getEncoding(),
                                     type.getMemorySpace(), /*mutableMemory=*/true);
    auto slot = MemDescIndexOp::create(rewriter, load.getLoc(), slotType, ring, filled);
    early.insert(slot);
    issue.push_back(AsyncCopyGlobalToLocalOp::create(rewriter, load.getLoc(), load.getPtr(), slot, load.getMask(),
                                                     Value(), load.getCache(), load.getEvict()));
    rewriter.setInsertionPoint(buffer);
    auto view = MemDescIndexOp::create(rewriter, load.getLoc(), type, ring, used);
    rewriter.replaceOp(buffer, view);
    rewriter.eraseOp(load);
  }

  Value createRing(Location location, MemDescType slot) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(loop);
    SmallVector<int64_t> shape{int64_t(stages)};
    llvm::append_range(shape, slot.getShape());
    auto type = MemDescType::get(slot.getContext(), shape, slot.getElementType(), slot.getEncoding(),
                                 slot.getMemorySpace(), /*mutableMemory=*/true);
    return LocalAllocOp::create(rewriter, location, type, Value());
  }

  //===--------------------------------------------------------------------===//
  // The schedule
  //===--------------------------------------------------------------------===//

  /// At the end of the body copies run beside products. With two stages their tiles are wanted in the next iteration,
  /// so that they stand earlier: after the first of several products, or at the start.
  LogicalResult expand() {
    LoopSchedule schedule;
    schedule.append(wait, stages - 1);
    auto products = body().getOps<tt::DotOp>();
    Operation *place = nullptr; // after which the copies stand; null: at the end
    if (stages == 2)
      place = llvm::range_size(products) > 1 ? *products.begin() : wait;
    auto appendEarly = [&] {
      for (Operation &op : body().without_terminator())
        if (early.contains(&op))
          schedule.append(&op, 0);
      for (Operation *op : issue)
        schedule.append(op, 0);
    };
    if (place == wait)
      appendEarly();
    for (Operation &op : body().without_terminator()) {
      if (&op == wait || early.contains(&op) || llvm::is_contained(issue, &op))
        continue;
      schedule.append(&op, stages - 1);
      if (&op == place)
        appendEarly();
    }
    if (!place)
      appendEarly();
    if (failed(verifySchedule(loop, schedule)))
      return failure();
    loop->removeAttr("tt.num_stages");
    expandLoop(rewriter, loop, schedule);
    return success();
  }

  scf::ForOp loop;
  unsigned stages;
  std::size_t sharedCapacity;
  const analysis::AxisInfoAnalysis &axisInfo;
  IRRewriter rewriter;
  SmallVector<PipelinedLoad> loads;
  llvm::SetVector<Operation *> early; ///< of the first stage, apart from what issues copies
  SmallVector<Operation *> issue;     ///< the copies, and the commit of their group
  Operation *wait = nullptr;
};

struct TritonGPUPipeline : impl::TritonGPUPipelineBase<TritonGPUPipeline> {
  using TritonGPUPipelineBase::TritonGPUPipelineBase;

  void runOnOperation() override {
    if (getComputeCapability(getOperation()) < 80)
      return; // Without asynchronous copies.
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      auto stated = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
      if (failed(LoopPipeliner(loop, stated ? unsigned(stated.getInt()) : numStages, sharedCapacity, axisInfo).run()))
        return signalPassFailure();
    }
  }
};

} // namespace

} // namespace triton::ttg
