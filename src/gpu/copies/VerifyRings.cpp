#include "gpu/copies/VerifyRings.h"

#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/PathLevels.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

using analysis::PathLevels;

namespace {

/// The barriers of an allocation, one for each slot of a ring, and what is done with them.
struct Barriers {
  SmallVector<InitBarrierOp> makers;
  SmallVector<ExpectBytesOp> announcements;
  SmallVector<ArriveBarrierOp> arrivals;
  SmallVector<WaitBarrierOp> waits;
  SmallVector<AsyncMappedLoadOp> copies;

  /// The bytes of copies arrive at them.
  bool areFull() const { return !announcements.empty(); }
  /// They say that slots are free.
  bool areEmpty() const { return !arrivals.empty(); }
  int64_t slots(Operation *allocation) const {
    return cast<MemDescType>(allocation->getResult(0).getType()).getShape().front();
  }
};

class RingRules {
public:
  explicit RingRules(FunctionOpInterface function) : function(function) {
    function.walk([&](Operation *op) { collect(op); });
    barriers.remove_if([](const auto &entry) {
      return llvm::any_of(entry.second.makers, [](InitBarrierOp maker) { return maker.getManual(); });
    });
  }

  LogicalResult verify(bool isAsMade) {
    if (barriers.empty())
      return success();
    DominanceInfo dominance(function);
    for (auto &[allocation, known] : barriers)
      if (failed(verifyMade(known, dominance)) || failed(verifyCounts(known)) || failed(verifyBytes(known)))
        return failure();
    return isAsMade ? verifyReleases() : success();
  }

private:
  /// The barriers that `view` shows; null where that is not one allocation of this function.
  Barriers *find(Value view) {
    SmallVector<Operation *> allocations = analysis::findAllocations(view);
    return allocations.size() == 1 ? &barriers[allocations.front()] : nullptr;
  }

  void collect(Operation *op) {
    auto note = [&](Value view, auto list) {
      if (Barriers *known = find(view))
        (known->*list).push_back(cast<typename std::remove_reference_t<decltype(known->*list)>::value_type>(op));
    };
    if (auto init = dyn_cast<InitBarrierOp>(op))
      note(init.getBarriers(), &Barriers::makers);
    else if (auto expect = dyn_cast<ExpectBytesOp>(op))
      note(expect.getBarrier(), &Barriers::announcements);
    else if (auto arrive = dyn_cast<ArriveBarrierOp>(op))
      note(arrive.getBarrier(), &Barriers::arrivals);
    else if (auto wait = dyn_cast<WaitBarrierOp>(op))
      note(wait.getBarrier(), &Barriers::waits);
    else if (auto copy = dyn_cast<AsyncMappedLoadOp>(op))
      note(copy.getBarrier(), &Barriers::copies);
    else if (auto barrier = dyn_cast<BarrierOp>(op); barrier && barrier.getAllWarps())
      meetings.push_back(barrier);
  }

  /// ttgir-9
  LogicalResult verifyMade(const Barriers &known, DominanceInfo &dominance) {
    SmallVector<Operation *> users;
    auto append = [&](const auto &list) { llvm::append_range(users, list); };
    append(known.announcements);
    append(known.arrivals);
    append(known.waits);
    append(known.copies);
    for (Operation *user : users) {
      if (known.makers.size() != 1)
        return user->emitError() << "ttgir-9: the barrier is made " << known.makers.size()
                                 << " times; `init_barrier` must make it once";
      InitBarrierOp maker = known.makers.front();
      if (llvm::none_of(meetings, [&](BarrierOp meeting) {
            return dominance.properlyDominates(maker, meeting) && dominance.properlyDominates(meeting, user);
          }))
        return (user->emitError() << "ttgir-9: a thread may use the barrier before another one has made it; "
                                     "`local_barrier {allWarps}` must come between")
                   .attachNote(maker.getLoc())
               << "made here";
    }
    return success();
  }

  /// ttgir-8
  LogicalResult verifyCounts(const Barriers &known) {
    if (!known.waits.empty() && !known.areFull() && !known.areEmpty())
      return known.waits.front()->emitError() << "ttgir-8: waits for a barrier at which nothing arrives";
    if (known.makers.size() != 1 || (known.areFull() && known.areEmpty()))
      return success();
    InitBarrierOp maker = known.makers.front();
    if (known.areFull() && maker.getCount() != 1)
      return maker.emitError() << "ttgir-8: a phase ends when " << maker.getCount()
                               << " threads have arrived, but one announces its bytes";
    for (ArriveBarrierOp arrive : known.arrivals) {
      unsigned threads = getNumWarps(function) * (arrive.getAllBlocks() ? tt::getBlocks(function) : 1);
      if (maker.getCount() != threads)
        return (maker.emitError() << "ttgir-8: a phase ends when " << maker.getCount() << " threads have arrived, but "
                                  << threads << " do")
                   .attachNote(arrive.getLoc())
               << "here";
    }
    return success();
  }

  /// ttgir-8, of bytes
  LogicalResult verifyBytes(const Barriers &known) {
    llvm::MapVector<Block *, std::pair<int64_t, int64_t>> bytes; // announced and copied
    for (ExpectBytesOp expect : known.announcements)
      bytes[expect->getBlock()].first += expect.getBytes();
    for (AsyncMappedLoadOp copy : known.copies) {
      auto found = bytes.find(copy->getBlock());
      if (found == bytes.end()) // They are announced elsewhere.
        return success();
      found->second.second += int64_t(analysis::getBufferBytes(cast<MemDescType>(copy.getDst().getType())));
    }
    for (ExpectBytesOp expect : known.announcements)
      if (auto [announced, copied] = bytes[expect->getBlock()]; copied != 0 && announced != copied)
        return expect.emitError() << "ttgir-8: announces " << announced << " bytes, but copies bring " << copied;
    return success();
  }

  /// ttgir-10. A slot is taken by a wait for its bytes and released by an arrival; it is free after a wait for that,
  /// and filled behind an announcement.
  LogicalResult verifyReleases() {
    llvm::MapVector<Operation *, Operation *> emptyOf; // by the allocation of the barriers for bytes
    for (auto &[allocation, known] : barriers)
      for (ExpectBytesOp expect : known.announcements)
        if (Operation *empty = findEmpty(expect))
          emptyOf.insert({allocation, empty});
    for (auto [fullOwner, emptyOwner] : emptyOf) {
      Barriers &full = barriers[fullOwner], &empty = barriers[emptyOwner];
      if (llvm::any_of(empty.arrivals, [](ArriveBarrierOp arrive) { return arrive.getCondition() != nullptr; }))
        continue;
      auto slots = int(full.slots(fullOwner));
      auto in = [](const auto &list, Operation *op) {
        return int(llvm::any_of(list, [&](auto other) { return other.getOperation() == op; }));
      };
      if (failed(verifyPaths([&](Operation *op) { return in(full.waits, op) - in(empty.arrivals, op); }, slots,
                             "a slot is released that is not in use", "more slots are in use than the ring has",
                             "on some path a slot is not released")) ||
          failed(verifyPaths([&](Operation *op) { return in(empty.waits, op) - in(full.announcements, op); }, 1,
                             "a slot is filled that may be in use", "a free slot is not filled before the next one",
                             "on some path a free slot is not filled")))
        return failure();
    }
    return success();
  }

  /// The barriers for which the thread has waited in the block before it announces bytes.
  Operation *findEmpty(ExpectBytesOp expect) {
    for (Operation *op = expect->getPrevNode(); op; op = op->getPrevNode())
      if (auto wait = dyn_cast<WaitBarrierOp>(op))
        if (SmallVector<Operation *> found = analysis::findAllocations(wait.getBarrier()); found.size() == 1)
          return found.front();
    return nullptr;
  }

  LogicalResult verifyPaths(llvm::function_ref<int(Operation *)> step, int highest, llvm::StringRef tooLow,
                            llvm::StringRef tooHigh, llvm::StringRef differs) {
    std::optional<PathLevels::Violation> found = PathLevels(step).check(function.getFunctionBody().front(), highest);
    if (!found)
      return success();
    bool isLow = found->kind == PathLevels::Violation::Kind::TooLow;
    bool isHigh = found->kind == PathLevels::Violation::Kind::TooHigh;
    return found->place->emitError() << "ttgir-10: " << (isLow ? tooLow : isHigh ? tooHigh : differs);
  }

  FunctionOpInterface function;
  llvm::MapVector<Operation *, Barriers> barriers; ///< by their allocation
  SmallVector<BarrierOp> meetings;                 ///< of all warps
};

bool isForAllBlocks(Operation *op) {
  auto arrive = dyn_cast<ArriveBarrierOp>(op);
  auto copy = dyn_cast<AsyncMappedLoadOp>(op);
  return (arrive && arrive.getAllBlocks()) || (copy && copy.getAllBlocks());
}

} // namespace

LogicalResult verifyRings(FunctionOpInterface function, bool isAsMade) { return RingRules(function).verify(isAsMade); }

LogicalResult verifyNoMappedAccesses(FunctionOpInterface function) {
  WalkResult walk = function.walk([](Operation *op) {
    if (!isa<tt::MappedLoadOp, tt::MappedStoreOp>(op))
      return WalkResult::advance();
    op->emitError() << "ttgir-12: an access of a block is left for which no copy was made";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult verifyBlocks(FunctionOpInterface function) {
  SmallVector<Operation *> shared, meetings;
  function.walk([&](Operation *op) {
    if (isForAllBlocks(op))
      shared.push_back(op);
    else if (isa<ClusterBarrierOp>(op))
      meetings.push_back(op);
  });
  if (shared.empty())
    return success();
  if (tt::getBlocks(function) == 1)
    return shared.front()->emitError() << "ttgir-13: is for all blocks that run the program, but `"
                                       << tt::blocksAttribute << "` does not say that there are several";
  DominanceInfo dominance(function);
  PostDominanceInfo postDominance(function);
  for (Operation *op : shared) {
    if (llvm::none_of(meetings, [&](Operation *meeting) { return dominance.properlyDominates(meeting, op); }))
      return op->emitError()
             << "ttgir-13: accesses other blocks before a `cluster_barrier`, after which their barriers "
                "exist";
    if (llvm::none_of(meetings, [&](Operation *meeting) { return postDominance.properlyPostDominates(meeting, op); }))
      return op->emitError()
             << "ttgir-13: no `cluster_barrier` follows, without which other blocks may end before this "
                "accesses them";
  }
  return success();
}

} // namespace triton::ttg
