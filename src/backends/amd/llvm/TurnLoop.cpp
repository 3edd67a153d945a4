#include "backends/amd/llvm/TurnLoop.h"

#include "backends/amd/lowering/MatrixInstructions.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <numeric>

namespace triton::amd {

using llvm::Instruction;

constexpr unsigned sharedSpace = 3;

bool isMatrixInstruction(const Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return false;
  llvm::StringRef name = call->getCalledFunction()->getName();
  return name.starts_with("llvm.amdgcn.mfma.") || name.starts_with("llvm.amdgcn.wmma.");
}

//===--- The form of the loop -----------------------------------------------------------------------------------===//

static bool isBarrier(const Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier;
}

/// Sorts an instruction into the lists of the loop. False: the loop is none whose waves take turns.
static bool collect(Instruction &instruction, unsigned &barriers, TurnLoop &loop) {
  if (isBarrier(instruction) || llvm::isa<llvm::FenceInst>(instruction)) {
    barriers += isBarrier(instruction);
    loop.synchronization.push_back(&instruction);
    return true;
  }
  if (isMatrixInstruction(instruction)) {
    loop.products.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
    return true;
  }
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    loop.stores.push_back(store);
    return store->getPointerAddressSpace() == sharedSpace && store->isSimple() && barriers == 1;
  }
  if (!instruction.mayReadOrWriteMemory() || llvm::isa<llvm::AssumeInst>(instruction))
    return true;
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  bool isRead = llvm::any_of(instruction.operand_values(), [](const llvm::Value *operand) {
    auto *pointer = llvm::dyn_cast<llvm::PointerType>(operand->getType());
    return pointer && pointer->getAddressSpace() == sharedSpace;
  });
  (isRead ? loop.reads : loop.loads).push_back(&instruction);
  if (instruction.mayHaveSideEffects() || (load && !load->isSimple()))
    return false;
  return !isRead || barriers == 2;
}

/// Whether each product adds to at most one other of the iteration and multiplies nothing that others have computed.
static bool countSteps(TurnLoop &loop) {
  llvm::DenseMap<const Instruction *, unsigned> sums; // products of the iteration that a value depends on, in a chain
  for (Instruction &instruction : *loop.body) {
    if (llvm::isa<llvm::PHINode>(instruction))
      continue;
    unsigned most = 0;
    for (const llvm::Use &use : instruction.operands()) {
      unsigned count = loop.computes(use) ? sums.lookup(llvm::cast<Instruction>(use)) : 0;
      constexpr unsigned accumulator = 2;
      if (count != 0 && isMatrixInstruction(instruction) && use.getOperandNo() != accumulator)
        return false;
      most = std::max(most, count);
    }
    if (isMatrixInstruction(instruction)) {
      loop.steps[&instruction] = most++;
      loop.depth = std::max(loop.depth, most);
    }
    sums[&instruction] = most;
  }
  return true;
}

static void findStoring(TurnLoop &loop) {
  llvm::SmallPtrSet<const llvm::Value *, 32> needed(loop.stores.begin(), loop.stores.end());
  llvm::SmallVector<Instruction *> found;
  for (Instruction &instruction : llvm::reverse(*loop.body)) {
    if (llvm::isa<llvm::PHINode>(instruction) || !needed.contains(&instruction))
      continue;
    found.push_back(&instruction);
    needed.insert_range(instruction.operand_values());
  }
  loop.storing.insert(found.rbegin(), found.rend());
}

/// Whether loads and stores need nothing that the iteration reads from shared memory or multiplies, and the next
/// iteration stores what this one has loaded.
static bool loadsAhead(const TurnLoop &loop) {
  llvm::SmallPtrSet<const llvm::Value *, 32> late;
  for (Instruction &instruction : *loop.body) {
    if (llvm::isa<llvm::PHINode>(instruction))
      continue;
    bool isLate = llvm::any_of(instruction.operand_values(), [&](llvm::Value *value) { return late.contains(value); });
    if (isLate && (llvm::is_contained(loop.loads, &instruction) || loop.storing.contains(&instruction)))
      return false;
    if (isLate || isMatrixInstruction(instruction) || llvm::is_contained(loop.reads, &instruction))
      late.insert(&instruction);
  }
  return llvm::all_of(loop.storing, [&](const Instruction *instruction) {
    return !instruction->mayReadFromMemory() &&
           llvm::none_of(instruction->operand_values(), [&](const llvm::Value *value) {
             const auto *phi = llvm::dyn_cast<llvm::PHINode>(value);
             return phi && phi->getParent() == loop.body && late.contains(phi->getIncomingValueForBlock(loop.body));
           });
  });
}

bool findTurnLoop(llvm::BasicBlock &block, TurnLoop &loop, std::string &reason) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || !llvm::is_contained(branch->successors(), &block) ||
      llvm::none_of(block, isMatrixInstruction))
    return false;
  loop.body = &block;
  loop.behind = branch->getSuccessor(branch->getSuccessor(0) == &block ? 1 : 0);
  for (llvm::BasicBlock *predecessor : llvm::predecessors(&block))
    if (predecessor != &block)
      loop.before = predecessor;
  unsigned barriers = 0;
  bool hasForm = loop.behind != &block && block.hasNPredecessors(2) && loop.before->getSingleSuccessor() == &block;
  for (Instruction &instruction : block)
    if (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator())
      hasForm &= collect(instruction, barriers, loop);
  findStoring(loop);
  if (!hasForm || barriers != 2 || loop.stores.empty() || loop.reads.empty())
    reason = barriers == 1 ? "its tiles have two buffers in turn, so that waves meet once"
                           : "it does not store tiles between two barriers, read them and multiply, and nothing else";
  else if (!loadsAhead(loop))
    reason = "it does not load tiles an iteration ahead";
  else if (!countSteps(loop))
    reason = "a product needs another one of the same iteration";
  else if (loop.depth % 2 != 0)
    reason = "the products of an iteration have no two halves along K";
  return true;
}

llvm::DenseMap<const Instruction *, unsigned> findReadTurns(const TurnLoop &loop, unsigned turns) {
  llvm::DenseMap<const Instruction *, unsigned> first; // of the products that need a value
  for (const Instruction &instruction : llvm::reverse(*loop.body)) {
    unsigned turn = turns - 2;
    for (const llvm::User *user : instruction.users())
      if (auto found = first.find(llvm::dyn_cast<Instruction>(user)); found != first.end())
        turn = std::min(turn, found->second);
    first[&instruction] = isMatrixInstruction(instruction) ? loop.turnOf(&instruction, turns) : turn;
  }
  llvm::DenseMap<const Instruction *, unsigned> found;
  for (const Instruction *read : loop.reads)
    found[read] = first.lookup(read);
  return found;
}

//===--- The model ----------------------------------------------------------------------------------------------===//

// Bytes that a compute unit moves in a clock, and clocks.
constexpr unsigned sharedRate = 128, globalRate = 64, sharedLatency = 100, barrierClocks = 16;
/// Of a thread if a scheduler holds two waves, and those that addresses take.
constexpr unsigned mostRegisters = 256, addressRegisters = 36;

/// What an access moves for a thread, or a product gives it.
static uint64_t bytesOf(const Instruction *instruction) {
  const auto *store = llvm::dyn_cast<llvm::StoreInst>(instruction);
  return (store ? store->getValueOperand() : instruction)->getType()->getPrimitiveSizeInBits() / 8;
}

template <typename Range> static uint64_t sumBytes(const Range &instructions) {
  return std::accumulate(instructions.begin(), instructions.end(), uint64_t(0),
                         [](uint64_t sum, const Instruction *instruction) { return sum + bytesOf(instruction); });
}

/// Clocks between two such instructions.
static unsigned clocksOf(const llvm::IntrinsicInst &product, const Architecture &architecture) {
  llvm::StringRef name = product.getCalledFunction()->getName();
  name.consume_front("llvm.amdgcn.");
  using enum MatrixElement;
  for (MatrixElement element : {Half, BFloat, Single, Tf32, Double, Byte, Float8E4, Float8E5, Float4})
    for (const MatrixInstruction &form : findMatrixInstructions(architecture, element))
      if (name.starts_with(llvm::StringRef(form.name).split('{').first))
        return form.clocks;
  return 32; // the most frequent number
}

/// What half of the waves needs for its accesses of shared memory.
static double sharedClocks(uint64_t bytesOfThread, unsigned waves) {
  return double(bytesOfThread * lanes * waves) / sharedRate + sharedLatency;
}

static double productClocks(const TurnLoop &loop, const Architecture &architecture) {
  double sum = 0;
  for (const llvm::IntrinsicInst *product : loop.products)
    sum += clocksOf(*product, architecture);
  return sum;
}

static TurnCost estimate(const TurnLoop &loop, const Architecture &architecture, unsigned turns) {
  llvm::SmallVector<double> memory(turns), products(turns);
  llvm::SmallVector<uint64_t> read(turns);
  for (auto [instruction, turn] : findReadTurns(loop, turns))
    read[turn] += bytesOf(instruction);
  uint64_t sums = 0;
  for (const llvm::IntrinsicInst *product : loop.products) {
    products[loop.turnOf(product, turns)] += clocksOf(*product, architecture);
    sums += loop.steps.lookup(product) == 0 ? bytesOf(product) : 0;
  }
  unsigned loading = std::max(1u, turns / 2); // turns that load
  for (unsigned turn = 0; turn < turns; ++turn) {
    double shared = sharedClocks(turn == turns - 1 ? sumBytes(loop.stores) : read[turn], schedulers);
    double loads = turn < loading ? double(sumBytes(loop.loads) * lanes * schedulers) / globalRate / loading : 0;
    memory[turn] = std::max(shared, loads);
  }
  double clocks = 0, multiplying = 0;
  for (unsigned turn = 0; turn < turns; ++turn) {
    clocks += std::max(memory[turn], products[turn]) + std::max(memory[turn], products[(turn + turns - 1) % turns]);
    clocks += 2 * barrierClocks;
    multiplying += 2 * products[turn];
  }
  TurnCost cost;
  cost.turns = turns;
  cost.share = multiplying / clocks;
  constexpr unsigned bytesOfRegister = 4;
  cost.registers = unsigned((sums + sumBytes(loop.loads) + *llvm::max_element(read)) / bytesOfRegister);
  cost.registers += addressRegisters;
  return cost;
}

TurnCost chooseTurns(const TurnLoop &loop, const Architecture &architecture) {
  TurnCost best;
  for (unsigned turns : {4u, 2u}) {
    if (loop.depth % turns != 0)
      continue;
    TurnCost cost = estimate(loop, architecture, turns);
    if (cost.registers <= mostRegisters && cost.share > best.share)
      best = cost;
  }
  return best;
}

double shareWithoutTurns(const TurnLoop &loop, const Architecture &architecture) {
  double products = 2 * productClocks(loop, architecture);
  // The waves store together, and multiply when they have read what the first products need.
  double stores = sharedClocks(sumBytes(loop.stores), 2 * schedulers);
  double reads = sharedClocks(sumBytes(loop.reads) / loop.depth, 2 * schedulers);
  return products / (products + stores + reads);
}

} // namespace triton::amd
