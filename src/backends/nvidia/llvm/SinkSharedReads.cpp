// Orders what is computed from shared memory depth first, where a block needs more registers than a thread has.
#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::nvidia {
namespace {

using Order = llvm::SmallVector<llvm::Instruction *>;

constexpr unsigned sharedSpace = 3, globalSpace = 1;
constexpr unsigned registersOfThread = 255;

bool isSharedRead(const llvm::Instruction &instruction) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  return load && load->isSimple() && load->getPointerAddressSpace() == sharedSpace;
}

/// Whether reads of shared memory must stay before `instruction`, which may write it or wait for other threads.
bool holdsReads(const llvm::Instruction &instruction) {
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->isVolatile() || store->isAtomic() || store->getPointerAddressSpace() != globalSpace;
  return instruction.mayHaveSideEffects();
}

/// Between this fence and the products of a warp group, their registers must not be written (PTX ISA, wgmma.fence).
bool isFenceOfRegisters(const llvm::Instruction *instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::nvvm_wgmma_fence_sync_aligned;
}

class BlockOrder {
public:
  explicit BlockOrder(llvm::BasicBlock &block) : block(block), layout(block.getDataLayout()) {
    for (llvm::Instruction &instruction : llvm::make_range(block.getFirstNonPHIIt(), block.end()))
      original.push_back(&instruction);
    findMovable();
  }

  /// Returns whether it needs fewer registers beyond those of a thread.
  bool improve() {
    if (llvm::any_of(original, isFenceOfRegisters))
      return false;
    uint64_t before = movable.empty() ? 0 : countExcess(original);
    if (before == 0)
      return false;
    Order order = orderDepthFirst();
    if (countExcess(order) >= before)
      return false;
    for (llvm::Instruction *instruction : order)
      instruction->moveBefore(block, block.end());
    return true;
  }

private:
  bool isUsedHereAlone(const llvm::Instruction &instruction) const {
    return !instruction.use_empty() && llvm::all_of(instruction.users(), [&](const llvm::User *user) {
      return llvm::cast<llvm::Instruction>(user)->getParent() == &block && !llvm::isa<llvm::PHINode>(user);
    });
  }

  static bool isPure(const llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory() && !(call && call->isConvergent());
  }

  /// Reads, what is computed from something movable that nothing else needs, and what only one movable value needs.
  void findMovable() {
    for (llvm::Instruction *instruction : original) {
      auto isLastUse = [&](const llvm::Use &use) {
        auto *operand = llvm::dyn_cast<llvm::Instruction>(use.get());
        return operand && movable.contains(operand) && operand->hasOneUse();
      };
      if (isUsedHereAlone(*instruction) &&
          (isSharedRead(*instruction) || (isPure(*instruction) && llvm::any_of(instruction->operands(), isLastUse))))
        movable.insert(instruction);
    }
    for (llvm::Instruction *instruction : llvm::reverse(original))
      if (instruction->hasOneUse() && isUsedHereAlone(*instruction) && isPure(*instruction) &&
          movable.contains(llvm::cast<llvm::Instruction>(*instruction->user_begin())))
        movable.insert(instruction);
  }

  /// What must stay keeps its order; before it comes what it needs, each value with all that is needed for it alone.
  Order orderDepthFirst() const {
    Order order;
    llvm::DenseSet<llvm::Instruction *> placed;
    llvm::SmallVector<llvm::Instruction *> waiting; // reads
    for (llvm::Instruction *instruction : original) {
      if (movable.contains(instruction)) {
        if (isSharedRead(*instruction))
          waiting.push_back(instruction);
        continue;
      }
      if (holdsReads(*instruction)) {
        for (llvm::Instruction *read : waiting)
          place(read, placed, order);
        waiting.clear();
      }
      place(instruction, placed, order);
    }
    return order;
  }

  void place(llvm::Instruction *last, llvm::DenseSet<llvm::Instruction *> &placed, Order &order) const {
    llvm::SmallVector<llvm::Instruction *> stack{last};
    while (!stack.empty()) {
      llvm::Instruction *instruction = stack.back();
      std::size_t before = stack.size();
      if (!placed.contains(instruction))
        for (llvm::Value *operand : llvm::reverse(instruction->operand_values()))
          if (auto *needed = llvm::dyn_cast<llvm::Instruction>(operand);
              needed && movable.contains(needed) && !placed.contains(needed))
            stack.push_back(needed);
      if (stack.size() != before)
        continue;
      stack.pop_back();
      if (placed.insert(instruction).second)
        order.push_back(instruction);
    }
  }

  unsigned registersOf(const llvm::Value *value) const {
    llvm::Type *type = value->getType();
    if (!type->isSized() || type->isVoidTy())
      return 0;
    uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
    return bits < 8 ? 0 : unsigned(llvm::divideCeil(bits, 32)); // Predicates have registers of their own.
  }

  /// What is live beyond the registers of a thread, summed over the instructions. Live is what the block defines until
  /// its last use, and what it takes from outside and uses here, which loops keep all the time.
  uint64_t countExcess(const Order &order) const {
    llvm::DenseSet<const llvm::Value *> live;
    unsigned registers = 0;
    uint64_t excess = 0;
    auto add = [&](const llvm::Value *value) {
      if (live.insert(value).second)
        registers += registersOf(value);
    };
    for (const llvm::Instruction *instruction : order) {
      for (const llvm::Value *operand : instruction->operand_values()) {
        auto *defined = llvm::dyn_cast<llvm::Instruction>(operand);
        if (llvm::isa<llvm::Argument>(operand) || (defined && defined->getParent() != &block))
          add(operand);
      }
      if (!isUsedHereAlone(*instruction) && !instruction->use_empty())
        add(instruction);
    }
    for (const llvm::Instruction *instruction : llvm::reverse(order)) {
      if (live.erase(instruction))
        registers -= registersOf(instruction);
      for (const llvm::Value *operand : instruction->operand_values())
        if (llvm::isa<llvm::Instruction>(operand))
          add(operand);
      excess += registers - std::min(registers, registersOfThread);
    }
    return excess;
  }

  llvm::BasicBlock &block;
  const llvm::DataLayout &layout;
  Order original;
  llvm::DenseSet<llvm::Instruction *> movable;
};

} // namespace

llvm::PreservedAnalyses SinkSharedReadsPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      changed |= BlockOrder(block).improve();
  return base::preservedIf(!changed);
}

} // namespace triton::nvidia
