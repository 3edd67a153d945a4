// Gives operations of loops stages and clusters, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/loops/Passes.h"
#include "gpu/loops/PipelinedLoads.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSCHEDULELOOPS
#include "gpu/loops/Passes.h.inc"

namespace {

class LoopScheduler {
public:
  explicit LoopScheduler(scf::ForOp loop) : loop(loop) {}

  LogicalResult run() {
    findLoads();
    if (loads.empty())
      return success();
    if (failed(assignStages()))
      return failure();
    if (!waitsForLoads()) {
      for (auto [load, latency] : loads)
        load->removeAttr(analysis::latencyAttribute);
      loop->removeAttr(analysis::refillsSlotsAttribute);
      return success();
    }
    assignClusters();
    for (Operation &op : llvm::make_early_inc_range(body().without_terminator()))
      duplicateOperands(&op);
    for (Operation &op : body().without_terminator()) {
      analysis::setPlace(&op, stages.at(&op), clusters.at(&op));
      op.removeAttr(analysis::latencyAttribute);
    }
    analysis::setIntegerAttribute(loop, analysis::lastStageAttribute, last);
    return success();
  }

private:
  Block &body() { return *loop.getBody(); }

  void findLoads() {
    for (tt::LoadOp load : body().getOps<tt::LoadOp>())
      if (auto latency = analysis::getIntegerAttribute(load, analysis::latencyAttribute); latency.value_or(0) > 0) {
        loads.push_back({load, unsigned(*latency)});
        last = std::max(last, unsigned(*latency));
      }
  }

  //===--------------------------------------------------------------------===//
  // Stages
  //===--------------------------------------------------------------------===//

  /// A load runs as many stages before the last one as its latency says, and what its addresses need not later than
  /// that. Everything else runs in the last stage.
  LogicalResult assignStages() {
    for (Operation &op : body().without_terminator())
      stages[&op] = last;
    for (auto [load, latency] : loads) {
      std::optional<llvm::SetVector<Operation *>> needed = findAddressComputation(loop, load);
      if (!needed)
        return load.emitError() << "has `" << analysis::latencyAttribute
                                << "`, but its addresses depend on what must not run ahead";
      stages[load] = std::min(stages[load], last - latency);
      for (Operation *op : *needed)
        stages[op] = std::min(stages[op], last - latency);
      addresses[load] = std::move(*needed);
    }
    return success();
  }

  /// Whether an iteration uses what is loaded ahead. Otherwise the loop only carries it to its end.
  bool waitsForLoads() {
    return llvm::any_of(body().without_terminator(), [&](Operation &op) { return stages.at(&op) == last; });
  }

  //===--------------------------------------------------------------------===//
  // Clusters
  //===--------------------------------------------------------------------===//

  /// A load of which another load takes its addresses comes with the addresses.
  bool followsAddresses(Operation *op) { return isa<tt::LoadOp>(op) && addresses.contains(op) && !isAddress(op); }

  bool isAddress(Operation *op) {
    return llvm::any_of(addresses, [&](const auto &entry) { return entry.second.contains(op); });
  }

  /// Calls `handle` with the operations of the body that read what the copy of `load` brings.
  void forEachReadOf(tt::LoadOp load, llvm::function_ref<void(Operation *)> handle) {
    for (Operation *user : load->getUsers())
      if (auto buffer = dyn_cast<LocalAllocOp>(user))
        forEachRead(loop, buffer, handle);
  }

  /// The operation of a round at which nothing reads any more what the copy of `load` brings. Products go on reading
  /// until something else than their sum needs the result. Null for a load whose result waits in registers.
  Operation *findEndOfReads(tt::LoadOp load) {
    Operation *end = nullptr;
    auto add = [&](auto &self, Operation *read) -> void {
      Operation *own = read;
      if (auto dot = dyn_cast<WarpGroupDotOp>(read)) {
        own = body().getTerminator();
        for (Operation *user : dot->getUsers())
          if (Operation *inBody = body().findAncestorOpInBlock(*user); inBody && inBody->isBeforeInBlock(own))
            own = inBody;
        if (auto next = dyn_cast<WarpGroupDotOp>(own); next && next.getC() == dot.getD())
          return self(self, next);
      }
      if (!end || end->isBeforeInBlock(own))
        end = own;
    };
    forEachReadOf(load, [&](Operation *read) { add(add, read); });
    return end;
  }

  /// The operation after which copies fill what the round has read: where the fewest registers hold data.
  Operation *findRefill() {
    Operation *lastRead = nullptr, *found = nullptr;
    for (auto [load, latency] : loads)
      forEachReadOf(load, [&](Operation *read) {
        if (!lastRead || lastRead->isBeforeInBlock(read))
          lastRead = read;
      });
    unsigned fewest = std::numeric_limits<unsigned>::max();
    bool isLate = true;
    forEachLiveCount(body(), [&](Operation *op, unsigned registers) {
      bool isUse = !op->hasTrait<OpTrait::IsTerminator>() && stages.at(op) == last;
      if (isLate && isUse && registers <= fewest) {
        fewest = registers;
        found = op;
      }
      isLate &= op != lastRead;
    });
    return found;
  }

  /// Whether a later product of the round has factors that depend on `op`. It begins when `op` has run, so that
  /// products whose results `op` needs are over.
  bool leadsToFactors(Operation *op) {
    ForwardSliceOptions options;
    options.filter = [&](Operation *user) { return body().findAncestorOpInBlock(*user) != nullptr; };
    llvm::SetVector<Operation *> slice;
    getForwardSlice(op, &slice, options);
    return llvm::any_of(slice, [&](Operation *user) {
      return isProduct(user) && llvm::any_of(user->getOperands().take_front(2), [&](Value factor) {
               return factor.getDefiningOp() == op || slice.contains(factor.getDefiningOp());
             });
    });
  }

  /// The copies whose slots are free before later products of the round need not wait for the others. They start after
  /// the operation that this returns, and are in `early`; null if one refill is better: where no product would run
  /// beside them, or where the registers hold too much for their addresses, as beside factors in registers.
  Operation *findEarlyRefill(Operation *refill, llvm::SmallPtrSetImpl<Operation *> &early) {
    if (last != 1 || llvm::any_of(loads, [&](const auto &entry) { return isAddress(entry.first); }))
      return nullptr;
    llvm::DenseMap<Operation *, unsigned> live;
    forEachLiveCount(body(), [&](Operation *op, unsigned registers) { live[op] = registers; });
    llvm::MapVector<tt::LoadOp, Operation *> ends;
    for (auto [load, latency] : loads)
      if (Operation *end = findEndOfReads(load))
        ends[load] = end;
    Operation *best = nullptr;
    unsigned mostWork = 0;
    for (auto [load, turn] : ends) {
      bool isRead = false;
      forEachReadOf(load, [&](Operation *read) { isRead |= isa<WarpGroupDotOp>(read); });
      if (!isRead || !turn->isBeforeInBlock(refill) || stages.at(turn) != last ||
          live.at(turn) > registersOfData(loop) || !leadsToFactors(turn))
        continue;
      unsigned products = 0, registers = 0;
      for (Operation *op = turn->getNextNode(); op != refill->getNextNode(); op = op->getNextNode())
        products += isProduct(op);
      for (auto [other, end] : ends)
        if (end == turn || end->isBeforeInBlock(turn))
          registers += countRegisters(other->getResult(0));
      if (products * registers > mostWork) {
        mostWork = products * registers;
        best = turn;
      }
    }
    for (auto [load, end] : ends)
      if (best && (end == best || end->isBeforeInBlock(best)))
        early.insert(load);
    return best;
  }

  /// The product after which copies for the next round start: one that was still in flight when the round began, or the
  /// first of several in registers; null where there is none.
  Operation *findEarlyTurn() {
    if (Operation *goesOn = findProductThatGoesOn(loop))
      return goesOn;
    Operation *first = nullptr;
    unsigned count = 0;
    for (Operation &op : body())
      if (isRegisterProduct(&op) && ++count == 1)
        first = &op;
    return count > 1 ? first : nullptr;
  }

  /// At the end of a round, copies run beside products. With two stages, their tiles are needed in the next round, so
  /// the copies come earlier: after a product, or at the start. Copies that refill slots come in up to two turns.
  void assignClusters() {
    bool refillsSlots = loop->hasAttr(analysis::refillsSlotsAttribute), isEarly = last == 1 && !refillsSlots;
    SmallVector<Operation *> turns;
    llvm::SmallPtrSet<Operation *, 8> early;
    if (Operation *turn = refillsSlots ? findRefill() : isEarly ? findEarlyTurn() : nullptr)
      turns.push_back(turn);
    if (refillsSlots && !turns.empty())
      if (Operation *turn = findEarlyRefill(turns.front(), early))
        turns.insert(turns.begin(), turn);
    // Later stages come first, because what they use is overwritten sooner.
    SmallVector<unsigned> earlyStages;
    for (auto [load, latency] : loads)
      earlyStages.push_back(last - latency);
    llvm::sort(earlyStages, std::greater<>());
    earlyStages.erase(llvm::unique(earlyStages), earlyStages.end());
    bool isFirst = isEarly && turns.empty(), hasEarly = !early.empty();
    auto isEarlyCopy = [&](Operation *op) {
      return !hasEarly || early.contains(op) ||
             llvm::any_of(early, [&](Operation *load) { return addresses.at(load).contains(op); });
    };
    int64_t width = 2 * int64_t(loads.size()) + 1, use = isFirst ? 2 : 0, firstLoad = isFirst ? 0 : 1;
    for (Operation &op : body().without_terminator()) {
      if (stages.at(&op) == last) {
        clusters[&op] = use;
        if (llvm::is_contained(turns, &op))
          use += width;
      } else {
        // Addresses precede the copies.
        clusters[&op] = firstLoad + (isEarlyCopy(&op) ? 0 : width) +
                        2 * (llvm::find(earlyStages, stages.at(&op)) - earlyStages.begin()) +
                        (followsAddresses(&op) ? 1 : 0);
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Values of several stages
  //===--------------------------------------------------------------------===//

  /// What an early stage computes for addresses and a later stage needs as well is computed in both. Only the results
  /// of loads and what the loop carries live across stages.
  void duplicateOperands(Operation *op) {
    unsigned stage = stages.at(op);
    analysis::forEachOperand(op, [&](OpOperand &operand) { operand.set(valueInStage(operand.get(), stage, op)); });
  }

  Value valueInStage(Value value, unsigned stage, Operation *user) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &body() || stages.at(op) >= stage || !isMemoryEffectFree(op))
      return value;
    if (Value known = copies.lookup({value, stage}))
      return known;
    IRMapping mapping;
    analysis::forEachOperand(
        op, [&](OpOperand &operand) { mapping.map(operand.get(), valueInStage(operand.get(), stage, user)); });
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op, mapping);
    stages[copy] = stage;
    clusters[copy] = clusters.at(user);
    for (auto [original, result] : llvm::zip_equal(op->getResults(), copy->getResults()))
      copies[{original, stage}] = result;
    return copies[{value, stage}];
  }

  scf::ForOp loop;
  unsigned last = 0;
  SmallVector<std::pair<tt::LoadOp, unsigned>> loads;                   ///< with their latencies
  llvm::MapVector<Operation *, llvm::SetVector<Operation *>> addresses; ///< what each load needs early
  llvm::DenseMap<Operation *, unsigned> stages;
  llvm::DenseMap<Operation *, int64_t> clusters;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> copies;
};

struct TritonGPUScheduleLoops : impl::TritonGPUScheduleLoopsBase<TritonGPUScheduleLoops>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (failed(LoopScheduler(loop).run()))
        return signalPassFailure();
  }
};

} // namespace

} // namespace triton::ttg
