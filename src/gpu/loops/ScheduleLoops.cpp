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

#include "mlir/IR/IRMapping.h"

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
      addresses.insert_range(*needed);
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
  bool followsAddresses(Operation *op) {
    return llvm::any_of(loads, [&](const auto &entry) { return entry.first == op; }) && !addresses.contains(op);
  }

  /// The last operation of a round that reads what copies bring.
  Operation *findLastRead() {
    Operation *lastRead = nullptr;
    auto follow = [&](auto &self, Value view) -> void {
      for (Operation *user : view.getUsers()) {
        Operation *inBody = body().findAncestorOpInBlock(*user);
        if (!lastRead || lastRead->isBeforeInBlock(inBody))
          lastRead = inBody;
        for (Value result : user->getResults())
          if (isa<MemDescType>(result.getType()))
            self(self, result);
      }
    };
    for (auto [load, latency] : loads)
      for (Operation *user : load->getUsers())
        if (auto buffer = dyn_cast<LocalAllocOp>(user))
          follow(follow, buffer);
    return lastRead;
  }

  /// The operation after which copies fill what the round has read: where the fewest registers hold data.
  Operation *findRefill() {
    Operation *lastRead = findLastRead(), *found = nullptr;
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
  /// the copies come earlier: after a product, or at the start.
  void assignClusters() {
    bool refillsSlots = loop->hasAttr(analysis::refillsSlotsAttribute), isEarly = last == 1 && !refillsSlots;
    Operation *turn = refillsSlots ? findRefill() : isEarly ? findEarlyTurn() : nullptr;
    bool isFirst = isEarly && !turn;
    int64_t firstUse = isFirst ? 2 : 0, firstLoad = isFirst ? 0 : 1, secondUse = 2 * int64_t(loads.size()) + 1;
    // Later stages come first, because what they use is overwritten sooner.
    SmallVector<unsigned> earlyStages;
    for (auto [load, latency] : loads)
      earlyStages.push_back(last - latency);
    llvm::sort(earlyStages, std::greater<>());
    earlyStages.erase(llvm::unique(earlyStages), earlyStages.end());
    int64_t use = firstUse;
    for (Operation &op : body().without_terminator()) {
      if (stages.at(&op) == last) {
        clusters[&op] = use;
        if (&op == turn)
          use = secondUse;
      } else {
        // Addresses precede the copies.
        clusters[&op] = firstLoad + 2 * (llvm::find(earlyStages, stages.at(&op)) - earlyStages.begin()) +
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
  SmallVector<std::pair<tt::LoadOp, unsigned>> loads; ///< with their latencies
  llvm::SmallPtrSet<Operation *, 32> addresses;       ///< what the loads need early
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
