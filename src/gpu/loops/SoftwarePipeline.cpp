// Expands scheduled loops. Their loads become asynchronous copies to rings of buffers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/RingRemarks.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/LoopExpansion.h"
#include "gpu/loops/Passes.h"
#include "gpu/loops/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"
#include "ir/AttributeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUPIPELINE
#include "gpu/loops/Passes.h.inc"

namespace {

using analysis::LoopSchedule;

/// Turns loads into copies. The new operations have a stage and a cluster like everything else in the loop.
class AsynchronousLoads {
public:
  AsynchronousLoads(scf::ForOp loop, LoopSchedule schedule, IRRewriter &rewriter,
                    const analysis::AxisInfoAnalysis &axisInfo)
      : loop(loop), schedule(std::move(schedule)), rewriter(rewriter), axisInfo(axisInfo),
        refillsSlots(loop->hasAttr(analysis::refillsSlotsAttribute)) {
    findRings();
  }

  /// The buffers of the body that become rings.
  llvm::DenseSet<Operation *> buffers() const {
    llvm::DenseSet<Operation *> found;
    for (const Ring &ring : rings)
      found.insert(ring.pipelined.buffer);
    return found;
  }

  /// Says what runs ahead, and what its buffers take.
  void report() {
    remarks::InFlightRemark remark = remarks::decided(loop, remarks::loop, "Pipeline");
    if (!remark)
      return;
    SmallVector<Attribute> facts;
    for (Ring &ring : rings)
      facts.push_back(describeRing(ring.pipelined.load.getLoc(), ring.slots, ring.pipelined.buffer.getType()));
    remark << remarks::Fact("stages", schedule.lastStage + 1)
           << remarks::Fact("rings", Attribute(Builder(loop.getContext()).getArrayAttr(facts)));
  }

  /// The loop, which may be another one, with a schedule in its attributes.
  scf::ForOp run() {
    if (rings.empty())
      return loop;
    createCounters();
    for (Ring &ring : rings)
      createCopy(ring);
    for (auto &[turn, tokens] : copied)
      commits[turn] = createCommit(turn.first, tokens);
    for (auto &[stage, used] : waitedFor)
      refillsSlots ? createWaitsForTurns(stage, used) : createWait(stage, used);
    setPendingGroups();
    rewriter.setInsertionPointAfter(loop);
    AsyncWaitOp::create(rewriter, loop.getLoc(), ValueRange(), 0); // Copies for iterations that do not exist, too.
    return loop;
  }

private:
  /// A load, the buffer that it fills, and the stages in which this is done.
  struct Ring {
    PipelinedLoad pipelined;
    unsigned filledIn = 0, usedIn = 0; ///< stages
    int64_t slots = 1;
  };
  /// What one group of copies brings. Copies that refill slots have a group for each of their turns in a round.
  using Turn = std::pair<unsigned, int64_t>; ///< stage, cluster; 0 where a stage has one group
  /// The slot of the iteration on which a stage works.
  using Counter = std::pair<unsigned, int64_t>; ///< stage, slots

  Block &body() { return *loop.getBody(); }
  unsigned stageOf(Operation *op) { return unsigned(*analysis::getIntegerAttribute(op, analysis::stageAttribute)); }
  int64_t clusterOf(Operation *op) { return *analysis::getIntegerAttribute(op, analysis::clusterAttribute); }

  /// The last stage in which something reads `buffer` or a view of it.
  unsigned findLastUse(Value buffer) {
    unsigned stage = 0;
    forEachRead(loop, buffer, [&](Operation *read) {
      stage = std::max(stage, read->hasTrait<OpTrait::IsTerminator>() ? schedule.lastStage : stageOf(read));
    });
    return stage;
  }

  /// A ring has a slot for each stage from the copy to the last use. The copy writes the slot that the previous round
  /// has read. The barrier that makes this round's tiles visible also says that those reads have ended. Copies that
  /// come after the reads of their round need a slot less, and a barrier of their own. More slots than iterations would
  /// stay empty.
  void findRings() {
    int64_t kept = refillsSlots ? 0 : 1;
    for (PipelinedLoad &pipelined : findPipelinedLoads(loop, axisInfo)) {
      unsigned filledIn = stageOf(pipelined.load), usedIn = stageOf(pipelined.buffer);
      if (usedIn > filledIn)
        rings.push_back({pipelined, filledIn, usedIn,
                         analysis::limitToIterations(loop, findLastUse(pipelined.buffer) - filledIn + kept)});
    }
  }

  //===--------------------------------------------------------------------===//
  // Slots
  //===--------------------------------------------------------------------===//

  /// One counter is for filling and one for reading, so that neither lives across stages.
  void createCounters() {
    llvm::MapVector<Counter, int64_t> wanted; // with the first cluster that needs them
    auto want = [&](Counter counter, int64_t cluster) {
      auto [entry, isNew] = wanted.insert({counter, cluster});
      entry->second = std::min(entry->second, cluster);
    };
    for (const Ring &ring : rings) {
      want({ring.filledIn, ring.slots}, clusterOf(ring.pipelined.load) - 1);
      want({ring.usedIn, ring.slots}, clusterOf(ring.pipelined.buffer));
    }
    SmallVector<Value> initial;
    rewriter.setInsertionPoint(loop);
    for (auto &[counter, cluster] : wanted)
      initial.push_back(arith::ConstantIntOp::create(rewriter, loop.getLoc(), counter.second - 1, 32));
    unsigned first = loop.getNumRegionIterArgs();
    loop = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, initial, /*replaceInitOperandUsesInLoop=*/false,
                                          [](OpBuilder &, Location, llvm::ArrayRef<BlockArgument> arguments) {
                                            return SmallVector<Value>(arguments.begin(), arguments.end());
                                          }));
    rewriter.setInsertionPointToStart(&body());
    for (auto &[counter, cluster] : wanted) {
      Value current = loop.getRegionIterArg(first);
      auto next = AdvanceSlotOp::create(rewriter, loop.getLoc(), current, int32_t(counter.second));
      analysis::setPlace(next, counter.first, cluster);
      body().getTerminator()->setOperand(first++, next);
      counters[counter] = next;
    }
  }

  Value createRing(const Ring &ring) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(loop);
    LocalAllocOp buffer = ring.pipelined.buffer;
    MemDescType slot = buffer.getType();
    SmallVector<int64_t> shape{ring.slots};
    llvm::append_range(shape, slot.getShape());
    auto type = MemDescType::get(slot.getContext(), shape, slot.getElementType(), slot.getEncoding(),
                                 slot.getMemorySpace(), /*mutableMemory=*/true);
    tt::LoadOp load = ring.pipelined.load;
    return LocalAllocOp::create(rewriter, load.getLoc(), type, Value());
  }

  //===--------------------------------------------------------------------===//
  // Copies, groups and waits
  //===--------------------------------------------------------------------===//

  void createCopy(const Ring &ring) {
    tt::LoadOp load = ring.pipelined.load;
    LocalAllocOp buffer = ring.pipelined.buffer;
    MemDescType type = buffer.getType();
    Value storage = createRing(ring);
    auto slotType = MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), type.getEncoding(),
                                     type.getMemorySpace(), /*mutableMemory=*/true);
    rewriter.setInsertionPoint(load);
    auto slot =
        MemDescIndexOp::create(rewriter, load.getLoc(), slotType, storage, counters.at({ring.filledIn, ring.slots}));
    analysis::setPlace(slot, ring.filledIn, clusterOf(load) - 1); // addresses precede the copies
    auto copy = AsyncCopyGlobalToLocalOp::create(rewriter, load.getLoc(), load.getPtr(), slot, load.getMask(), Value(),
                                                 load.getCache(), load.getEvict());
    analysis::copyPlace(copy, load);
    Turn turn{ring.filledIn, refillsSlots ? clusterOf(load) : 0};
    copied[turn].push_back(copy);
    rewriter.setInsertionPoint(buffer);
    auto view = MemDescIndexOp::create(rewriter, load.getLoc(), type, storage, counters.at({ring.usedIn, ring.slots}));
    analysis::copyPlace(view, buffer);
    waitedFor[ring.usedIn].push_back({view, turn});
    rewriter.replaceOp(buffer, view);
    rewriter.eraseOp(load);
  }

  AsyncCommitGroupOp createCommit(unsigned stage, llvm::ArrayRef<AsyncCopyGlobalToLocalOp> copies) {
    rewriter.setInsertionPoint(body().getTerminator());
    SmallVector<Value> tokens;
    int64_t cluster = std::numeric_limits<int64_t>::min();
    for (AsyncCopyGlobalToLocalOp copy : copies) {
      tokens.push_back(copy.getToken());
      cluster = std::max(cluster, clusterOf(copy));
    }
    auto commit = AsyncCommitGroupOp::create(rewriter, loop.getLoc(), tokens);
    analysis::setPlace(commit, stage, cluster);
    return commit;
  }

  struct Use {
    MemDescIndexOp view;
    Turn filledIn;
  };

  /// Creates one wait for everything that a stage reads, before anything else in the round.
  void createWait(unsigned stage, llvm::ArrayRef<Use> uses) {
    int64_t cluster = 0;
    for (Operation &op : body().without_terminator())
      cluster = std::min(cluster, clusterOf(&op));
    llvm::SetVector<Value> tokens;
    for (const Use &use : uses)
      tokens.insert(commits.at(use.filledIn).getToken());
    rewriter.setInsertionPointToStart(&body());
    auto wait = AsyncWaitOp::create(rewriter, loop.getLoc(), tokens.getArrayRef(), 0);
    analysis::setPlace(wait, stage, cluster - 1);
    waits.push_back(wait);
    for (Use use : uses)
      passToken(use.view, wait.getToken());
  }

  /// Creates a wait for each turn of copies, before the first operation that reads what they bring. No copy of the
  /// round needs to know earlier that slots are free.
  void createWaitsForTurns(unsigned stage, llvm::ArrayRef<Use> uses) {
    llvm::MapVector<Turn, SmallVector<Use>> usesOfTurn;
    for (const Use &use : uses)
      usesOfTurn[use.filledIn].push_back(use);
    for (auto &[turn, used] : usesOfTurn) {
      Operation *first = nullptr;
      for (Use use : used)
        forEachRead(loop, use.view, [&](Operation *read) {
          if (!first || read->isBeforeInBlock(first))
            first = read;
        });
      rewriter.setInsertionPoint(first);
      auto wait = AsyncWaitOp::create(rewriter, loop.getLoc(), commits.at(turn).getToken(), 0);
      analysis::setPlace(wait, stage, clusterOf(first));
      waits.push_back(wait);
      for (Use use : used)
        passToken(use.view, wait.getToken());
    }
  }

  /// Gives operations that read `view`, or a view of it, the token of the wait that has brought the contents.
  void passToken(Value view, Value token) {
    for (Operation *user : view.getUsers()) {
      if (auto load = dyn_cast<LocalLoadOp>(user))
        rewriter.modifyOpInPlace(load, [&] { load.getTokenMutable().assign(token); });
      for (Value result : user->getResults())
        if (isa<MemDescType>(result.getType()))
          passToken(result, token);
    }
  }

  /// The number of groups that may be in flight at a wait: those that were closed since the one that it needs, the
  /// minimum over all rounds. The first rounds, in which late stages do not run yet, may have closed fewer.
  void setPendingGroups() {
    FailureOr<LoopSchedule> lowered = analysis::readSchedule(loop);
    assert(succeeded(lowered) && "what this pass made has stages");
    llvm::DenseMap<Operation *, unsigned> pending;
    llvm::DenseMap<Operation *, SmallVector<unsigned>> closed; // by iteration, the number of the group
    unsigned groups = 0;
    for (unsigned round = 0; round < 2 * lowered->lastStage + 2; ++round)
      for (Operation *op : lowered->order) {
        unsigned stage = lowered->stages.at(op);
        if (stage > round)
          continue;
        if (isa<AsyncCommitGroupOp>(op))
          closed[op].push_back(groups++);
        if (!llvm::is_contained(waits, op))
          continue;
        for (Value token : op->getOperands()) {
          unsigned since = groups - closed.at(token.getDefiningOp())[round - stage] - 1;
          auto [entry, isNew] = pending.try_emplace(op, since);
          entry->second = std::min(entry->second, since);
        }
      }
    for (AsyncWaitOp wait : waits)
      wait.setNum(pending.lookup(wait));
  }

  scf::ForOp loop;
  LoopSchedule schedule;
  IRRewriter &rewriter;
  const analysis::AxisInfoAnalysis &axisInfo;
  SmallVector<Ring> rings;
  llvm::DenseMap<Counter, Value> counters;
  bool refillsSlots;
  llvm::MapVector<Turn, SmallVector<AsyncCopyGlobalToLocalOp>> copied;
  llvm::DenseMap<Turn, AsyncCommitGroupOp> commits;
  llvm::MapVector<unsigned, SmallVector<Use>> waitedFor; ///< by the stage that reads first
  SmallVector<AsyncWaitOp> waits;
};

struct TritonGPUPipeline : impl::TritonGPUPipelineBase<TritonGPUPipeline>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    analysis::AxisInfoAnalysis axisInfo(getOperation());
    SmallVector<scf::ForOp> loops; // inner ones first
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(analysis::lastStageAttribute))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(expand(loop, axisInfo)))
        return signalPassFailure();
    analysis::eraseForwardedNames(getOperation());
  }

private:
  /// An early stage that cannot be masked must run only for iterations that exist. Loads should not be masked where the
  /// machine counts those in flight; beside copies in rings, which are masked, they are few.
  static Epilogue chooseEpilogue(scf::ForOp loop, const LoopSchedule &schedule, bool hasRings) {
    bool countsLoads = gpu::getTarget(loop).machine().countsLoads && !hasRings;
    bool canMaskAll = llvm::all_of(schedule.order, [&](Operation *op) {
      bool isLate = schedule.stages.at(op) == schedule.lastStage;
      return isLate || (analysis::mayRunAhead(op) && !(countsLoads && isa<tt::LoadOp>(op)));
    });
    return canMaskAll ? Epilogue::Predicated : Epilogue::Peeled;
  }

  static LogicalResult expand(scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo) {
    analysis::nameForwardedValues(loop);
    FailureOr<LoopSchedule> schedule = analysis::readSchedule(loop);
    if (failed(schedule))
      return failure();
    IRRewriter rewriter(loop.getContext());
    AsynchronousLoads loads(loop, *schedule, rewriter, axisInfo);
    if (failed(analysis::verifySchedule(loop, *schedule, loads.buffers())))
      return failure();
    loads.report();
    bool hasRings = !loads.buffers().empty();
    Operation *outer = loop->getParentOp();
    Operation *before = loop->getPrevNode(), *after = loop->getNextNode();
    std::optional<int64_t> stage = analysis::getIntegerAttribute(loop, analysis::stageAttribute),
                           cluster = analysis::getIntegerAttribute(loop, analysis::clusterAttribute);
    Block *block = loop->getBlock();
    loop = loads.run();
    FailureOr<LoopSchedule> lowered = analysis::readSchedule(loop);
    if (failed(lowered))
      return failure();
    analysis::eraseSchedule(loop);
    for (llvm::StringRef hint : {tt::loopStagesAttribute, disjointArgumentsAttribute, analysis::refillsSlotsAttribute})
      loop->removeAttr(hint);
    expandLoop(rewriter, loop, *lowered, chooseEpilogue(loop, *lowered, hasRings));
    // What the loop has become runs in its place in the schedule of the enclosing loop.
    if (stage && cluster && outer->hasAttr(analysis::lastStageAttribute))
      for (Operation *op = before ? before->getNextNode() : &block->front(); op != after; op = op->getNextNode())
        analysis::setPlace(op, unsigned(*stage), *cluster);
    return success();
  }
};

} // namespace

} // namespace triton::ttg
