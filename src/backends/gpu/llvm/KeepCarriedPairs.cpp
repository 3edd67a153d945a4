#include "backends/gpu/llvm/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace triton::backends {

/// Gives each other block that uses `half` its own. A phi uses it at the end of the block that it comes from.
static bool moveToUses(ExtractElementInst &half) {
  DenseMap<BasicBlock *, Instruction *> copies;
  bool changed = false;
  for (Use &use : make_early_inc_range(half.uses())) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (block == half.getParent())
      continue;
    Instruction *&copy = copies[block];
    if (!copy) {
      copy = half.clone();
      copy->insertBefore(block->getFirstInsertionPt());
    }
    use.set(copy);
    changed = true;
  }
  if (half.use_empty())
    half.eraseFromParent();
  return changed;
}

PreservedAnalyses KeepCarriedPairsPass::run(Module &module, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (auto *half = dyn_cast<ExtractElementInst>(&instruction);
          half && isa<PHINode>(half->getVectorOperand()) && isa<ConstantInt>(half->getIndexOperand()))
        changed |= moveToUses(*half);
  return base::preservedIf(!changed);
}

} // namespace triton::backends
