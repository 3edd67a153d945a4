// Reports uses of barriers that nothing makes, phases that cannot end, bytes that nothing announces, and products for
// which nothing waits, see Passes.td.
#include "base/UserErrors.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/copies/Passes.h"
#include "gpu/ir/ForeignDialects.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCHECKASYNCHRONOUSUSES
#include "gpu/copies/Passes.h.inc"

namespace {

/// The barrier that an operation needs; null for others.
Value barrierOf(Operation *op) {
  if (auto expect = dyn_cast<ExpectBytesOp>(op))
    return expect.getBarrier();
  if (auto arrive = dyn_cast<ArriveBarrierOp>(op))
    return arrive.getBarrier();
  if (auto arrive = dyn_cast<amdg::ArriveBarrierOp>(op))
    return arrive.getBarrier();
  if (auto arrive = dyn_cast<ArriveAfterCopiesOp>(op))
    return arrive.getBarrier();
  if (auto wait = dyn_cast<WaitBarrierOp>(op))
    return wait.getBarrier();
  if (auto copy = dyn_cast<AsyncMappedLoadOp>(op))
    return copy.getBarrier();
  if (auto invalidate = dyn_cast<InvalidateBarrierOp>(op))
    return invalidate.getBarriers();
  if (auto commit = dyn_cast<foreign::TCGen5CommitOp>(op))
    return commit.getBarrier();
  if (auto cancel = dyn_cast<foreign::CLCTryCancelOp>(op))
    return cancel.getBarrier();
  return {};
}

/// The barriers at which a product in tensor memory arrives.
SmallVector<Value> barriersOf(Operation *op) {
  if (auto product = dyn_cast<foreign::TCGen5MMAOp>(op))
    return SmallVector<Value>(product.getBarriers());
  if (auto product = dyn_cast<foreign::TCGen5MMAScaledOp>(op))
    return SmallVector<Value>(product.getBarriers());
  Value barrier = barrierOf(op);
  return barrier ? SmallVector<Value>{barrier} : SmallVector<Value>();
}

/// What a kernel does with the barriers of one allocation.
struct Protocol {
  SmallVector<InitBarrierOp> inits;
  SmallVector<ExpectBytesOp> expects;
  SmallVector<Operation *> arrivals; ///< of which `timesOf` says how often they arrive
  SmallVector<WaitBarrierOp> waits;
  SmallVector<AsyncMappedLoadOp> copies;
  bool countsCopies = false; ///< Threads arrive when their copies have ended, or a unit does.
  bool isClear = true;       ///< No operation may mean another barrier in its place.

  void add(Operation *op) {
    if (auto init = dyn_cast<InitBarrierOp>(op))
      inits.push_back(init);
    else if (auto expect = dyn_cast<ExpectBytesOp>(op))
      expects.push_back(expect);
    else if (isa<ArriveBarrierOp, amdg::ArriveBarrierOp>(op))
      arrivals.push_back(op);
    else if (auto wait = dyn_cast<WaitBarrierOp>(op))
      waits.push_back(wait);
    else if (auto copy = dyn_cast<AsyncMappedLoadOp>(op))
      copies.push_back(copy);
    else if (auto arrive = dyn_cast<ArriveAfterCopiesOp>(op))
      countsCopies |= arrive.getIsCounted();
    else
      countsCopies |= op->hasTrait<foreign::OfBlackwell>();
  }
};

llvm::MapVector<Operation *, Protocol> findProtocols(ModuleOp module) {
  llvm::MapVector<Operation *, Protocol> protocols;
  module.walk([&](Operation *op) {
    auto init = dyn_cast<InitBarrierOp>(op);
    for (Value barrier : init ? SmallVector<Value>{init.getBarriers()} : barriersOf(op)) {
      SmallVector<Operation *> places = analysis::findAllocations(barrier);
      for (Operation *place : places) {
        Protocol &protocol = protocols[place];
        protocol.add(op);
        protocol.isClear &= places.size() == 1 && (!init || init.getManual());
      }
    }
  });
  return protocols;
}

/// Whether the operation may run more than once.
bool isRepeated(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return op->getParentOfType<LoopLikeOpInterface>() || !function || !function.isPublic();
}

/// How often an arrival arrives each time that it runs; none where it is one of each warp.
std::optional<int64_t> timesOf(Operation *arrival) {
  if (auto each = dyn_cast<amdg::ArriveBarrierOp>(arrival))
    return int64_t(each.getCount()) * getNumWarps(arrival) * getThreadsPerWarp(arrival);
  auto arrive = cast<ArriveBarrierOp>(arrival);
  int64_t blocks = arrive.getAtLeader() ? 2 : 1; // of a pair, at the barrier of the first
  return arrive.getCount() ? std::optional<int64_t>(*arrive.getCount() * blocks) : std::nullopt;
}

/// How often the kernel arrives at most; none where loops do, or each thread does.
std::optional<int64_t> countArrivals(const Protocol &protocol) {
  if (protocol.countsCopies)
    return std::nullopt;
  int64_t total = 0;
  for (ExpectBytesOp expect : protocol.expects) {
    if (isRepeated(expect))
      return std::nullopt;
    total += expect.getAtLeader() ? 2 : 1; // of both blocks of a pair
  }
  for (Operation *arrival : protocol.arrivals) {
    std::optional<int64_t> times = timesOf(arrival);
    if (isRepeated(arrival) || !times)
      return std::nullopt;
    total += *times;
  }
  return total;
}

/// How many phases of its barrier must end before a wait does, as far as it is known: waits of one block for the
/// barrier, which a kernel comes to once, follow one another. A wait for the phase before the first ends at once.
class AwaitedPhases {
public:
  int64_t of(WaitBarrierOp wait) {
    APInt parity;
    if (!matchPattern(wait.getParity(), m_ConstantInt(&parity)))
      return 0;
    if (isRepeated(wait))
      return parity[0] ? 0 : 1;
    int64_t &phases = ended[{wait.getBarrier(), wait->getBlock()}];
    phases += phases % 2 == int64_t(parity[0]) ? 1 : 0;
    return phases;
  }

private:
  llvm::DenseMap<std::pair<Value, Block *>, int64_t> ended;
};

LogicalResult checkWaits(const Protocol &protocol) {
  std::optional<int64_t> total = countArrivals(protocol);
  int64_t count = std::numeric_limits<int64_t>::max();
  for (InitBarrierOp init : protocol.inits)
    count = std::min<int64_t>(count, init.getCount());
  if (!total)
    return success();
  AwaitedPhases awaited;
  for (WaitBarrierOp wait : protocol.waits) {
    int64_t phases = awaited.of(wait);
    if (protocol.inits.size() > 1) // A barrier that is made again begins with its first phase.
      phases = std::min<int64_t>(phases, 1);
    if (phases * count > *total)
      return wait.emitError() << base::wrongKernelPrefix << "this wait cannot end: "
                              << (phases == 1 ? "a phase"
                                              : "each of the " + std::to_string(phases) + " phases until then")
                              << " of the barrier takes " << count << " arrivals, and the kernel has " << *total
                              << "; change the `count` of `mbarrier.init`, or arrive more often";
  }
  return success();
}

/// No phase takes more arrivals than the barrier is made for.
LogicalResult checkArrivals(const Protocol &protocol) {
  int64_t count = 0;
  for (InitBarrierOp init : protocol.inits)
    count = std::max<int64_t>(count, init.getCount());
  for (Operation *arrival : protocol.arrivals)
    if (std::optional<int64_t> times = timesOf(arrival); times && *times > count)
      return arrival->emitError() << base::wrongKernelPrefix << "this arrives " << *times << " times at once"
                                  << (isa<amdg::ArriveBarrierOp>(arrival) ? ", for each thread" : "")
                                  << ", and a phase of the barrier takes " << count
                                  << " arrivals; change the `count` of `mbarrier.init`, or arrive less often";
  return success();
}

/// What a block of the kernel announces and what its copies bring must agree each time that it runs.
LogicalResult checkBytes(const Protocol &protocol) {
  if (protocol.copies.empty())
    return success();
  if (protocol.expects.empty())
    return AsyncMappedLoadOp(protocol.copies.front()).emitError()
           << base::wrongKernelPrefix
           << "nothing announces the bytes of this copy at its barrier; call `mbarrier.expect(bar, "
              "desc.nbytes_per_cta)` before it";
  Block *block = protocol.expects.front()->getBlock();
  auto isElsewhere = [&](Operation *op) { return op->getBlock() != block; };
  if (llvm::any_of(protocol.expects, isElsewhere) || llvm::any_of(protocol.copies, isElsewhere))
    return success();
  int64_t announced = 0, brought = 0;
  for (ExpectBytesOp expect : protocol.expects)
    announced += expect.getBytes();
  for (AsyncMappedLoadOp copy : protocol.copies) {
    auto type = cast<MemDescType>(copy.getDst().getType());
    brought += ShapedType::getNumElements(type.getShape()) * type.getElementType().getIntOrFloatBitWidth() / 8;
  }
  if (announced == brought)
    return success();
  return ExpectBytesOp(protocol.expects.front()).emitError()
         << base::wrongKernelPrefix << "the kernel announces " << announced
         << " bytes at this barrier, and its copies bring " << brought << "; announce what the copies bring";
}

LogicalResult checkProtocols(ModuleOp module) {
  for (auto &[place, protocol] : findProtocols(module))
    if (protocol.isClear && !protocol.inits.empty() &&
        (failed(checkArrivals(protocol)) || failed(checkWaits(protocol)) || failed(checkBytes(protocol))))
      return failure();
  return success();
}

LogicalResult checkBarriers(ModuleOp module) {
  DenseSet<Operation *> made;
  module.walk([&](InitBarrierOp op) { made.insert_range(analysis::findAllocations(op.getBarriers())); });
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    auto isMade = [&](Value barrier) {
      SmallVector<Operation *> places = analysis::findAllocations(barrier);
      return places.empty() || llvm::any_of(places, [&](Operation *place) { return made.contains(place); });
    };
    if (llvm::all_of(barriersOf(op), isMade))
      return WalkResult::advance();
    return op->emitError() << base::wrongKernelPrefix
                           << "the kernel never makes this barrier; call `mbarrier.init(bar, count=...)` before "
                              "anything else that uses it";
  });
  return failure(result.wasInterrupted());
}

/// The first use of a barrier after its end in the same block, up to where the kernel makes it again.
Operation *findUseAfter(InvalidateBarrierOp end) {
  for (Operation *op = end->getNextNode(); op; op = op->getNextNode()) {
    Operation *found = nullptr;
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      auto init = dyn_cast<InitBarrierOp>(inner);
      if (init ? init.getBarriers() != end.getBarriers() : !llvm::is_contained(barriersOf(inner), end.getBarriers()))
        return WalkResult::advance();
      found = inner;
      return WalkResult::interrupt();
    });
    if (found)
      return isa<InitBarrierOp>(found) ? nullptr : found;
  }
  return nullptr;
}

/// A barrier is made once, unless its use has ended in between. Of one that is made twice, threads may already wait.
LogicalResult checkBeginnings(ModuleOp module) {
  WalkResult result = module.walk([](InitBarrierOp begin) -> WalkResult {
    for (Operation *op = begin->getNextNode(); op; op = op->getNextNode()) {
      auto again = dyn_cast<InitBarrierOp>(op);
      if (again && again.getManual() && again.getBarriers() == begin.getBarriers())
        return again.emitError() << base::wrongKernelPrefix
                                 << "this makes a barrier that is there already; leave it out, or call "
                                    "`mbarrier.invalidate(bar)` before it";
      WalkResult ends = op->walk([&](InvalidateBarrierOp end) {
        return end.getBarriers() == begin.getBarriers() ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (ends.wasInterrupted())
        break;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkEnds(ModuleOp module) {
  WalkResult result = module.walk([](InvalidateBarrierOp end) -> WalkResult {
    Operation *use = findUseAfter(end);
    if (!use)
      return WalkResult::advance();
    return use->emitError() << base::wrongKernelPrefix
                            << "this uses a barrier after its `mbarrier.invalidate`; call that later, or "
                               "`mbarrier.init(bar, count=...)` again before this";
  });
  return failure(result.wasInterrupted());
}

/// The values that are `use` under another name, in and behind loops and branches; none of another use.
SmallVector<Value> passedOn(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user)) {
    SmallVector<Value> values;
    if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
      values.push_back(argument);
    if (OpResult result = loop.getTiedLoopResult(&use))
      values.push_back(result);
    return values;
  }
  Operation *parent = user->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent); loop && isa<scf::YieldOp>(user))
    return {loop.getRegionIterArg(index), loop.getResult(index)};
  if (isa<scf::IfOp>(parent) && isa<scf::YieldOp>(user))
    return {parent->getResult(index)};
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (isa<scf::YieldOp>(user))
      return {loop.getBeforeArguments()[index]};
    if (isa<scf::ConditionOp>(user) && index > 0)
      return {loop.getAfterArguments()[index - 1], loop.getResult(index - 1)};
  }
  return {};
}

/// Whether the user may have the sum of a product that goes on.
bool takesUnfinished(OpOperand &use) {
  if (auto dot = dyn_cast<WarpGroupDotOp>(use.getOwner()))
    return use.get() == dot.getC();
  return isa<WarpGroupDotWaitOp>(use.getOwner());
}

LogicalResult checkProduct(WarpGroupDotOp product) {
  llvm::SetVector<Value> names;
  names.insert(product.getD());
  for (unsigned index = 0; index < names.size(); ++index)
    for (OpOperand &use : names[index].getUses()) {
      SmallVector<Value> others = passedOn(use);
      names.insert_range(others);
      if (others.empty() && !takesUnfinished(use))
        return use.getOwner()->emitError()
               << base::wrongKernelPrefix
               << "this uses the result of an asynchronous product, which may not have ended; take the result of "
                  "`warpgroup_mma_wait(0, deps=[acc])` in its place";
    }
  return success();
}

/// Buffers to which copies go on, as far as code that follows its own order says.
class CopiesUnderWay {
public:
  /// Follows a block; reports the first read of what no wait has waited for.
  LogicalResult visit(Block &block) {
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  /// A buffer, or one of several: the first is the allocation, the second its number, null where there is one.
  using Slot = std::pair<Value, const void *>;

  static std::optional<Slot> slotOf(Value view) {
    if (view.getDefiningOp<LocalAllocOp>())
      return Slot(view, nullptr);
    auto element = view.getDefiningOp<MemDescIndexOp>();
    if (!element || !element.getSrc().getDefiningOp<LocalAllocOp>())
      return std::nullopt;
    Attribute constant;
    const void *number = element.getIndex().getAsOpaquePointer();
    if (matchPattern(element.getIndex(), m_Constant(&constant)))
      number = constant.getAsOpaquePointer();
    return Slot(element.getSrc(), number);
  }

  static bool waits(Operation *op) { return isa<AsyncWaitOp, WaitBarrierOp, CallOpInterface>(op); }

  LogicalResult visit(Operation *op) {
    if (waits(op)) {
      copies.clear();
      return success();
    }
    if (op->getNumRegions() != 0)
      return visitRegions(op);
    if (auto copy = dyn_cast<AsyncCopyGlobalToLocalOp>(op)) {
      if (std::optional<Slot> slot = slotOf(copy.getDst()))
        copies.insert(*slot);
      return success();
    }
    auto load = dyn_cast<LocalLoadOp>(op);
    std::optional<Slot> slot = load ? slotOf(load.getSrc()) : std::nullopt;
    if (!slot || !copies.contains(*slot))
      return success();
    return op->emitError() << base::wrongKernelPrefix
                           << "this reads a buffer to which a copy was started, and nothing waits for the copy before; "
                              "write `tdm.async_wait(0)`, or `async_copy.wait_group(0)`";
  }

  /// A branch that is always taken continues the block. What others start may not happen.
  LogicalResult visitRegions(Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && matchPattern(branch.getCondition(), m_One()))
      return visit(*branch.thenBlock());
    bool hasWait = false;
    op->walk([&](Operation *inside) { hasWait |= waits(inside); });
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        CopiesUnderWay inside(*this);
        if (failed(inside.visit(block)))
          return failure();
      }
    if (hasWait)
      copies.clear();
    return success();
  }

  llvm::DenseSet<Slot> copies;
};

/// Threads move what GPUs of AMD but gfx950 copy beside the program, so that the simulator, which runs them, does not
/// miss a wait.
LogicalResult checkArrivals(ModuleOp module) {
  auto target = module->getAttrOfType<StringAttr>(targetAttribute);
  if (!target || !target.getValue().starts_with("hip:") || target.getValue() == "hip:gfx950")
    return success();
  for (auto function : module.getOps<FunctionOpInterface>())
    for (Block &block : function.getFunctionBody())
      if (failed(CopiesUnderWay().visit(block)))
        return failure();
  return success();
}

struct TritonGPUCheckAsynchronousUses : impl::TritonGPUCheckAsynchronousUsesBase<TritonGPUCheckAsynchronousUses> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    WalkResult result = getOperation().walk([](WarpGroupDotOp product) {
      return product.getIsAsync() && failed(checkProduct(product)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted() || failed(checkBarriers(getOperation())) || failed(checkEnds(getOperation())) ||
        failed(checkBeginnings(getOperation())) || failed(checkProtocols(getOperation())) ||
        failed(checkArrivals(getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::ttg
