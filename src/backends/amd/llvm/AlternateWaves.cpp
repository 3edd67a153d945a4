#include "backends/amd/llvm/Passes.h"
#include "backends/amd/llvm/TurnLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace triton::amd {
namespace {

using llvm::Instruction;

class LoopRewriter {
public:
  LoopRewriter(TurnLoop &loop, unsigned turns) : loop(loop), turns(turns) {}

  void rewrite() {
    storeFirstTiles();
    storeNextTiles();
    assignClusters();
    order();
    separateClusters();
    delayUpperHalf();
  }

private:
  TurnLoop &loop;
  unsigned turns;
  llvm::SmallPtrSet<const Instruction *, 32> nextStores;
  llvm::DenseMap<const Instruction *, unsigned> clusters; ///< turn t: 2t accesses memory, 2t+1 multiplies

  unsigned count() const { return 2 * turns; }
  unsigned storeCluster() const { return count() - 2; }

  static void call(llvm::IRBuilder<> &builder, llvm::Intrinsic::ID intrinsic, llvm::ArrayRef<llvm::Value *> operands) {
    builder.CreateIntrinsic(intrinsic, operands);
  }

  static void fence(llvm::IRBuilder<> &builder, llvm::AtomicOrdering ordering) {
    builder.CreateFence(ordering, builder.getContext().getOrInsertSyncScopeID("workgroup"));
  }

  /// What other waves did before the barrier comes before what this one does behind it. Nothing that computes moves
  /// across it either.
  static void meet(llvm::IRBuilder<> &builder) {
    call(builder, llvm::Intrinsic::amdgcn_sched_barrier, {builder.getInt32(0)});
    call(builder, llvm::Intrinsic::amdgcn_s_barrier, {});
    call(builder, llvm::Intrinsic::amdgcn_sched_barrier, {builder.getInt32(0)});
    fence(builder, llvm::AtomicOrdering::Acquire);
  }

  /// A barrier before which a wave waits for its accesses of shared memory.
  static void meetInOrder(llvm::IRBuilder<> &builder) {
    fence(builder, llvm::AtomicOrdering::Release);
    meet(builder);
  }

  /// Copies the stores of tiles to the end of a block, where phis have the values that they take from `origin`.
  void copyStores(llvm::IRBuilder<> &builder, const llvm::BasicBlock *origin, bool isNext) {
    llvm::ValueToValueMapTy values;
    for (llvm::PHINode &phi : loop.body->phis())
      values[&phi] = phi.getIncomingValueForBlock(origin);
    for (Instruction *instruction : loop.storing) {
      Instruction *copy = instruction->clone();
      llvm::RemapInstruction(copy, values, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      builder.Insert(copy);
      values[instruction] = copy;
      if (isNext && llvm::isa<llvm::StoreInst>(copy))
        nextStores.insert(copy);
    }
  }

  void storeFirstTiles() {
    llvm::IRBuilder<> builder(loop.before->getTerminator());
    builder.SetCurrentDebugLocation(loop.stores.front()->getDebugLoc());
    meetInOrder(builder);
    copyStores(builder, loop.before, /*isNext=*/false);
    meetInOrder(builder);
  }

  void storeNextTiles() {
    llvm::IRBuilder<> builder(loop.body->getTerminator());
    copyStores(builder, loop.body, /*isNext=*/true);
    for (Instruction *instruction : loop.synchronization)
      instruction->eraseFromParent();
    for (Instruction *instruction : llvm::reverse(loop.storing.getArrayRef()))
      if (instruction->use_empty())
        instruction->eraseFromParent();
  }

  /// Where an instruction stands if nothing needs it earlier. Products have their place.
  unsigned wantedCluster(const Instruction &instruction, bool needsLast) const {
    if (isMatrixInstruction(instruction))
      return 2 * loop.turnOf(&instruction, turns) + 1;
    if (nextStores.contains(&instruction))
      return storeCluster();
    auto load = llvm::find(loop.loads, &instruction);
    if (load == loop.loads.end())
      return needsLast ? count() - 1 : storeCluster();
    // In the first half of the turns, so that they have arrived when the tiles are stored.
    unsigned loading = std::max(1u, turns / 2);
    return 2 * (unsigned(load - loop.loads.begin()) * loading / unsigned(loop.loads.size()));
  }

  void assignClusters() {
    llvm::SmallPtrSet<const llvm::Value *, 32> products; // and what they give
    for (const Instruction &instruction : *loop.body) {
      auto needsProduct = [&](const llvm::Value *value) { return products.contains(value) && loop.computes(value); };
      if (isMatrixInstruction(instruction) || llvm::any_of(instruction.operand_values(), needsProduct))
        products.insert(&instruction);
    }
    auto reads = findReadTurns(loop, turns);
    for (const Instruction &instruction : llvm::reverse(*loop.body)) {
      if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator())
        continue;
      unsigned cluster = wantedCluster(instruction, products.contains(&instruction));
      for (const llvm::User *user : instruction.users())
        if (auto found = clusters.find(llvm::dyn_cast<Instruction>(user)); found != clusters.end())
          cluster = std::min(cluster, found->second);
      if (auto read = reads.find(&instruction); read != reads.end())
        cluster = 2 * read->second;
      clusters[&instruction] = cluster;
    }
  }

  /// What an instruction needs stands in its cluster or before, so that those of a cluster keep their order.
  void order() {
    std::vector<std::vector<Instruction *>> instructions(count());
    for (Instruction &instruction : *loop.body)
      if (auto found = clusters.find(&instruction); found != clusters.end())
        instructions[found->second].push_back(&instruction);
    for (const std::vector<Instruction *> &cluster : instructions)
      for (Instruction *instruction : cluster)
        instruction->moveBefore(loop.body->getTerminator()->getIterator());
  }

  /// A wave that multiplies goes first where both could issue an instruction.
  void endCluster(Instruction *next, unsigned cluster) {
    llvm::IRBuilder<> builder(next);
    builder.SetCurrentDebugLocation(loop.products.front()->getDebugLoc());
    bool multiplies = cluster % 2 != 0;
    if (multiplies) {
      call(builder, llvm::Intrinsic::amdgcn_s_setprio, {builder.getInt16(0)});
      meet(builder);
      return;
    }
    meetInOrder(builder);
    call(builder, llvm::Intrinsic::amdgcn_s_setprio, {builder.getInt16(1)});
  }

  void separateClusters() {
    std::vector<std::pair<Instruction *, unsigned>> ends;
    unsigned cluster = 0;
    for (Instruction &instruction : *loop.body) {
      if (llvm::isa<llvm::PHINode>(instruction))
        continue;
      unsigned next = instruction.isTerminator() ? count() : clusters.lookup(&instruction);
      for (; cluster < next; ++cluster)
        ends.push_back({&instruction, cluster});
    }
    for (auto [next, ended] : ends)
      endCluster(next, ended);
  }

  /// Half of the waves pass a barrier more before the loop, the others behind it.
  void delayUpperHalf() {
    llvm::IRBuilder<> builder(loop.before->getTerminator());
    constexpr unsigned half = schedulers * lanes;
    llvm::Value *thread =
        builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, llvm::ArrayRef<llvm::Value *>());
    llvm::Value *first = builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {thread->getType()}, {thread});
    llvm::Value *isUpper = builder.CreateICmpUGE(first, builder.getInt32(half));
    llvm::Value *isLower = builder.CreateICmpULT(first, builder.getInt32(half));
    llvm::BasicBlock *end = llvm::SplitEdge(loop.body, loop.behind);
    addBarrier(isUpper, loop.before->getTerminator());
    addBarrier(isLower, end->getTerminator());
  }

  static void addBarrier(llvm::Value *condition, Instruction *before) {
    Instruction *end = llvm::SplitBlockAndInsertIfThen(condition, before, /*Unreachable=*/false);
    llvm::IRBuilder<> builder(end);
    meet(builder);
  }
};

/// Whether a scheduler has waves of several programs, which fill each other's gaps.
bool sharesSchedulers(const TurnCost &cost, const TurnOptions &options) {
  constexpr unsigned registersOfScheduler = 512, wavesOfProgram = 2;
  return 2 * options.sharedBytes <= options.architecture.sharedBytes &&
         2 * wavesOfProgram * cost.registers <= registersOfScheduler;
}

/// "1,512" for a kernel of 512 threads.
unsigned countWaves(const llvm::Function &function) {
  unsigned threads = 0;
  llvm::StringRef sizes = function.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString();
  return sizes.split(',').second.getAsInteger(10, threads) ? 0 : threads / lanes;
}

TurnDecision decide(llvm::BasicBlock &block, TurnLoop &loop, const TurnOptions &options, std::string reason) {
  TurnDecision decision;
  decision.place = loop.products.front()->getDebugLoc();
  decision.reason = std::move(reason);
  if (unsigned waves = countWaves(*block.getParent()); decision.reason.empty() && waves != 2 * schedulers) {
    decision.reason = "the program has " + std::to_string(waves) + " warps, and not two for each scheduler";
    decision.suggestion = "num_warps=8";
  }
  if (!decision.reason.empty())
    return decision;
  TurnCost cost = chooseTurns(loop, options.architecture);
  decision.share = cost.share;
  decision.usualShare = shareWithoutTurns(loop, options.architecture);
  if (cost.turns == 0)
    decision.reason = "a thread would need more than 256 registers";
  else if (!options.isForced && sharesSchedulers(cost, options))
    decision.reason = "waves of two programs run on a scheduler and fill each other's gaps";
  else if (!options.isForced && cost.share <= decision.usualShare)
    decision.reason = "the accesses of memory take longer than the products beside them";
  else
    decision.turns = cost.turns;
  return decision;
}

} // namespace

llvm::Error parseOptions(llvm::StringRef text, TurnOptions &options) {
  auto [processor, rest] = text.split(' ');
  if (llvm::Error error = parseArchitecture(processor.str()).moveInto(options.architecture))
    return error;
  if (!rest.empty() && rest != "forced")
    return llvm::createStringError("`" + rest + "` is unknown; a processor may be followed by `forced`");
  options.isForced = !rest.empty();
  return llvm::Error::success();
}

llvm::PreservedAnalyses AlternateWavesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  std::vector<std::pair<TurnLoop, unsigned>> chosen; // Rewriting adds blocks.
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      TurnLoop loop;
      std::string reason;
      if (!findTurnLoop(block, loop, reason))
        continue;
      TurnDecision decision = decide(block, loop, options, std::move(reason));
      options.report(decision);
      if (decision.turns != 0)
        chosen.emplace_back(std::move(loop), decision.turns);
    }
  for (auto &[loop, turns] : chosen)
    LoopRewriter(loop, turns).rewrite();
  return base::preservedIf(chosen.empty());
}

} // namespace triton::amd
