// Overlaps the loads of later iterations with the products of this one, see Passes.td.
#include "analysis/AxisInfo.h"
#include "ir/gpu/Dialect.h"
#include "passes/ttg/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUPIPELINE
#include "passes/ttg/Passes.h.inc"

namespace {

/// A load whose tile goes to a buffer, from where products read it.
struct PipelinedLoad {
  tt::LoadOp load;
  LocalAllocOp buffer;
  Operation *firstUse = nullptr; ///< in the loop's body
  unsigned group = 0;            ///< loads of one group are waited for together
};

/// Bytes of shared memory that one program may use.
std::size_t sharedCapacity(unsigned capability) {
  constexpr std::size_t kilobyte = 1024;
  switch (capability) {
  case 75:
    return 64 * kilobyte;
  case 80:
  case 87:
    return 163 * kilobyte;
  case 90:
  case 100:
  case 103:
    return 227 * kilobyte;
  default:
    return 99 * kilobyte;
  }
}

std::size_t bytesOf(MemDescType type) {
  std::size_t bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t extent : type.getShape())
    bytes *= std::size_t(extent);
  return bytes;
}

bool isZeroOrAbsent(Value value) {
  return !value || matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// The operation of `body` that is or holds `op`.
Operation *inBody(Block &body, Operation *op) { return body.findAncestorOpInBlock(*op); }

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, unsigned stages, const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), stages(stages), axisInfo(axisInfo), rewriter(loop.getContext()) {}

  void run() {
    if (stages < 2 || !mayReorder())
      return;
    findLoads();
    llvm::erase_if(loads, [&](PipelinedLoad &load) { return !addEarly(load.load); });
    fitStages();
    if (loads.empty() || stages < 2)
      return;
    groupLoads();
    duplicateForLate();
    makeAsynchronous();
    schedule();
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
      if (!yielded.getDefiningOp())
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
      unsigned width = axisInfo.getVectorWidth(load.getPtr());
      if (load.getMask())
        width = std::min(width, axisInfo.getMaskAlignment(load.getMask()));
      if (width * analysis::getPointeeBytes(pointers) < 4)
        continue;
      loads.push_back({load, buffer, firstUser(buffer)});
    }
  }

  Operation *firstUser(LocalAllocOp buffer) {
    Operation *first = nullptr;
    for (Operation *user : buffer->getUsers())
      if (Operation *op = inBody(body(), user); !first || op->isBeforeInBlock(first))
        first = op;
    return first;
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
      bool mayRunAhead = op->getNumRegions() == 0 && (isMemoryEffectFree(op) || isa<tt::LoadOp>(op)) &&
                         !isa<tt::DotOp, LocalLoadOp>(op);
      if (!mayRunAhead)
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
      slot += bytesOf(load.buffer.getType());
    loop.walk([&](LocalAllocOp alloc) { other += bytesOf(alloc.getType()); });
    std::size_t capacity = sharedCapacity(getComputeCapability(loop));
    while (stages >= 2 && slot * slots() + (other - slot) > capacity)
      --stages;
  }

  /// Copies come after uses in the body, so that a slot is free again when the copy for a later iteration needs it.
  unsigned slots() const { return stages - 1; }

  /// Loads for the same product share a group, in the order of their uses.
  void groupLoads() {
    llvm::sort(loads, [](const PipelinedLoad &left, const PipelinedLoad &right) {
      return left.firstUse != right.firstUse ? left.firstUse->isBeforeInBlock(right.firstUse)
                                             : left.load->isBeforeInBlock(right.load);
    });
    Operation *previous = nullptr;
    for (PipelinedLoad &load : loads) {
      Operation *product = productOf(load);
      if (previous && product != previous)
        ++groups;
      load.group = groups;
      previous = product;
    }
    ++groups;
  }

  /// The first product that the tile goes to; the first use where there is none.
  Operation *productOf(PipelinedLoad &load) {
    SmallVector<Operation *> worklist(load.buffer->getUsers());
    llvm::DenseSet<Operation *> visited;
    Operation *product = nullptr;
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (!visited.insert(op).second || op->getBlock() != &body())
        continue;
      if (isa<tt::DotOp>(op)) {
        if (!product || op->isBeforeInBlock(product))
          product = op;
        continue;
      }
      llvm::append_range(worklist, op->getUsers());
    }
    return product ? product : load.firstUse;
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
    auto wraps = arith::CmpIOp::create(rewriter, location, arith::CmpIPredicate::eq, next, constant(int32_t(slots())));
    auto wrapped = arith::SelectOp::create(rewriter, location, wraps, constant(0), next);
    created.append({next, wraps, wrapped});
    return wrapped;
  }

  /// Loads become copies to a slot of a ring of buffers, and a view of the slot that was filled some iterations before.
  void makeAsynchronous() {
    Location location = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value last = arith::ConstantIntOp::create(rewriter, location, int32_t(slots()) - 1, 32);
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

    for (unsigned group = 0; group < groups; ++group)
      replaceGroup(group, filled, used);
    rewriter.setInsertionPointAfter(loop);
    AsyncWaitOp::create(rewriter, location, ValueRange(), 0);
  }

  void replaceGroup(unsigned group, Value filled, Value used) {
    bool waited = false;
    SmallVector<Operation *> &issue = issues.emplace_back();
    for (PipelinedLoad &load : loads) {
      if (load.group != group)
        continue;
      Location location = load.load.getLoc();
      if (!waited) {
        // Groups of later iterations, and those of this one that come after, may be under way.
        rewriter.setInsertionPoint(load.firstUse);
        AsyncWaitOp::create(rewriter, location, ValueRange(), groups * (stages - 2) + (groups - 1 - group));
        waited = true;
      }
      MemDescType type = load.buffer.getType();
      Value ring = createRing(location, type);
      rewriter.setInsertionPoint(load.load);
      auto slotType = MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), type.getEncoding(),
                                       type.getMemorySpace(), /*mutableMemory=*/true);
      auto slot = MemDescIndexOp::create(rewriter, location, slotType, ring, filled);
      early.insert(slot);
      issue.push_back(AsyncCopyGlobalToLocalOp::create(rewriter, location, load.load.getPtr(), slot,
                                                       load.load.getMask(), Value(), load.load.getCache(),
                                                       load.load.getEvict()));
      rewriter.setInsertionPoint(load.firstUse);
      auto view = MemDescIndexOp::create(rewriter, location, type, ring, used);
      load.buffer.replaceAllUsesWith(view.getResult());
      load.buffer.erase();
      load.load.erase();
    }
    rewriter.setInsertionPoint(body().getTerminator());
    issue.push_back(AsyncCommitGroupOp::create(rewriter, loop.getLoc(), ValueRange()));
  }

  Value createRing(Location location, MemDescType slot) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(loop);
    SmallVector<int64_t> shape{int64_t(slots())};
    llvm::append_range(shape, slot.getShape());
    auto type = MemDescType::get(slot.getContext(), shape, slot.getElementType(), slot.getEncoding(),
                                 slot.getMemorySpace(), /*mutableMemory=*/true);
    return LocalAllocOp::create(rewriter, location, type, Value());
  }

  //===--------------------------------------------------------------------===//
  // The schedule
  //===--------------------------------------------------------------------===//

  void schedule() {
    scf::PipeliningOption options;
    options.peelEpilogue = false;
    options.supportDynamicLoops = true;
    options.predicateFn = predicate;
    options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &order) {
      llvm::DenseSet<Operation *> issued;
      for (llvm::ArrayRef<Operation *> issue : issues)
        issued.insert(issue.begin(), issue.end());
      for (Operation &op : body().without_terminator())
        if (!early.contains(&op) && !issued.contains(&op))
          order.push_back({&op, stages - 1});
      for (Operation &op : body().without_terminator())
        if (early.contains(&op))
          order.push_back({&op, 0});
      for (llvm::ArrayRef<Operation *> issue : issues)
        for (Operation *op : issue)
          order.push_back({op, 0});
    };
    rewriter.setInsertionPoint(loop);
    loop->removeAttr("tt.num_stages");
    (void)scf::pipelineForLoop(rewriter, loop, options);
  }

  /// For iterations that do not exist: copies and loads touch no memory, the rest has no effect.
  static Operation *predicate(RewriterBase &rewriter, Operation *op, Value condition) {
    if (isMemoryEffectFree(op) || isa<AsyncCommitGroupOp, AsyncWaitOp>(op))
      return op;
    auto conjoin = [&](Value pointers, Value mask) -> Value {
      rewriter.setInsertionPoint(op);
      Value all = condition;
      if (Type type = tt::getI1SameShape(pointers.getType()); isa<RankedTensorType>(type))
        all = tt::SplatOp::create(rewriter, op->getLoc(), type, condition);
      return mask ? Value(arith::AndIOp::create(rewriter, op->getLoc(), mask, all)) : all;
    };
    if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op)) {
      copy.getMaskMutable().assign(conjoin(copy.getSrc(), copy.getMask()));
      return op;
    }
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      load.getMaskMutable().assign(conjoin(load.getPtr(), load.getMask()));
      return op;
    }
    return nullptr;
  }

  scf::ForOp loop;
  unsigned stages, groups = 0;
  const analysis::AxisInfoAnalysis &axisInfo;
  IRRewriter rewriter;
  SmallVector<PipelinedLoad> loads;
  llvm::SetVector<Operation *> early;           ///< of the first stage, apart from what issues copies
  SmallVector<SmallVector<Operation *>> issues; ///< the copies of each group, and its commit
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
      LoopPipeliner(loop, stated ? unsigned(stated.getInt()) : numStages, axisInfo).run();
    }
  }
};

} // namespace

} // namespace triton::ttg
