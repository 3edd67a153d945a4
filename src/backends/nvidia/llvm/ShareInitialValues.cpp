#include "backends/nvidia/llvm/Passes.h"
#include "gpu/analysis/TunedNumbers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace triton::nvidia {
namespace {

/// A value that a loop carries, and its result.
struct Carried {
  llvm::PHINode *inLoop, *behind;
  llvm::APInt bits; ///< with which it begins
};

/// The bits of a constant of one register.
std::optional<llvm::APInt> bitsOf(const llvm::Value *value) {
  if (value->getType()->getScalarSizeInBits() != 32)
    return std::nullopt;
  if (auto *number = llvm::dyn_cast<llvm::ConstantFP>(value); number && !value->getType()->isVectorTy())
    return number->getValueAPF().bitcastToAPInt();
  if (auto *integer = llvm::dyn_cast<llvm::ConstantInt>(value); integer && !value->getType()->isVectorTy())
    return integer->getValue();
  return std::nullopt;
}

/// The phi of `exit` that is `bits` where the loop does not run, and otherwise what the last iteration leaves `inLoop`.
llvm::PHINode *findResult(llvm::BasicBlock &test, llvm::BasicBlock &entry, llvm::BasicBlock &exit,
                          const llvm::PHINode &inLoop, const llvm::APInt &bits) {
  const llvm::Value *next = inLoop.getIncomingValue(inLoop.getIncomingBlock(0) == &entry ? 1 : 0);
  for (llvm::PHINode &behind : exit.phis())
    if (behind.getNumIncomingValues() == 2 && behind.getType() == inLoop.getType() &&
        behind.getBasicBlockIndex(&test) >= 0 && bitsOf(behind.getIncomingValueForBlock(&test)) == bits &&
        llvm::is_contained(behind.incoming_values(), next))
      return &behind;
  return nullptr;
}

/// What a loop carries whose test is `test`, which goes on to `entry`, the block before the loop, or to `exit`.
llvm::SmallVector<Carried> findCarried(llvm::BasicBlock &test, llvm::BasicBlock &entry, llvm::BasicBlock &exit) {
  llvm::SmallVector<Carried> found;
  llvm::BasicBlock *header = entry.getSingleSuccessor();
  if (!header || entry.getSinglePredecessor() != &test)
    return found;
  for (llvm::PHINode &phi : header->phis()) {
    if (phi.getNumIncomingValues() != 2)
      continue;
    if (std::optional<llvm::APInt> bits = bitsOf(phi.getIncomingValueForBlock(&entry)))
      if (llvm::PHINode *behind = findResult(test, entry, exit, phi, *bits))
        found.push_back({&phi, behind, *bits});
  }
  return found;
}

void share(llvm::BasicBlock &test, llvm::BasicBlock &entry, llvm::ArrayRef<Carried> values) {
  llvm::IRBuilder<> builder(test.getTerminator());
  llvm::SmallVector<llvm::Type *> types;
  std::string text, constraints;
  for (auto [index, value] : llvm::enumerate(values)) {
    types.push_back(value.inLoop->getType());
    text += "mov.b32 $" + std::to_string(index) + ", " + std::to_string(value.bits.getZExtValue()) + "; ";
    constraints += std::string(index ? "," : "") + (types.back()->isFloatTy() ? "=f" : "=r");
  }
  auto *type = llvm::FunctionType::get(llvm::StructType::get(test.getContext(), types), false);
  llvm::Value *all = builder.CreateCall(llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/false));
  for (auto [index, value] : llvm::enumerate(values)) {
    llvm::Value *initial = builder.CreateExtractValue(all, unsigned(index));
    value.inLoop->setIncomingValueForBlock(&entry, initial);
    value.behind->setIncomingValueForBlock(&test, initial);
  }
}

} // namespace

llvm::PreservedAnalyses ShareInitialValuesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      if (!branch || !branch->isConditional())
        continue;
      for (unsigned side : {0, 1}) {
        llvm::BasicBlock &entry = *branch->getSuccessor(side);
        llvm::SmallVector<Carried> carried = findCarried(block, entry, *branch->getSuccessor(1 - side));
        if (carried.size() < tuned::fewestSharedValues)
          continue;
        share(block, entry, carried);
        changed = true;
      }
    }
  return base::preservedIf(!changed);
}

} // namespace triton::nvidia
