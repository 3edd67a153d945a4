#include "backends/amd/llvm/Passes.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace triton::amd {
namespace {

/// A counter of a loop of one block, and the base that is computed from it.
struct Counter {
  llvm::PHINode *phi = nullptr;
  llvm::BinaryOperator *next = nullptr;
  llvm::GetElementPtrInst *base = nullptr;
  llvm::Value *step = nullptr;
};

bool isBaseOfBuffers(const llvm::GetElementPtrInst &address) {
  return llvm::all_of(address.users(), [](const llvm::User *user) {
    const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_make_buffer_rsrc;
  });
}

bool isComputedIn(const llvm::BasicBlock &block, const llvm::Value *value) {
  const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  return instruction && instruction->getParent() == &block;
}

std::optional<Counter> findCounter(llvm::PHINode &phi) {
  llvm::BasicBlock &block = *phi.getParent();
  if (!phi.getType()->isIntegerTy(64) || phi.getNumIncomingValues() != 2 || !phi.hasNUses(2))
    return std::nullopt;
  Counter counter{.phi = &phi};
  for (llvm::User *user : phi.users()) {
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
      counter.base = address;
    else
      counter.next = llvm::dyn_cast<llvm::BinaryOperator>(user);
  }
  if (!counter.base || !counter.next || counter.next->getOpcode() != llvm::Instruction::Add ||
      !counter.next->hasOneUse() || phi.getIncomingValueForBlock(&block) != counter.next)
    return std::nullopt;
  counter.step = counter.next->getOperand(counter.next->getOperand(0) == &phi ? 1 : 0);
  bool isUsable = counter.base->getNumIndices() == 1 && counter.base->getOperand(1) == &phi &&
                  isComputedIn(block, counter.base) && isBaseOfBuffers(*counter.base);
  if (!isUsable || isComputedIn(block, counter.step) || isComputedIn(block, counter.base->getPointerOperand()))
    return std::nullopt;
  return counter;
}

void carryBase(const Counter &counter) {
  llvm::BasicBlock *block = counter.phi->getParent();
  llvm::GetElementPtrInst *base = counter.base;
  bool isFirst = counter.phi->getIncomingBlock(0) != block;
  llvm::BasicBlock *before = counter.phi->getIncomingBlock(isFirst ? 0 : 1);
  llvm::Type *element = base->getSourceElementType();
  llvm::IRBuilder<> builder(before->getTerminator());
  llvm::Value *start = counter.phi->getIncomingValueForBlock(before);
  llvm::Value *first = builder.CreateGEP(element, base->getPointerOperand(), start);
  builder.SetInsertPoint(counter.phi);
  llvm::PHINode *carried = builder.CreatePHI(base->getType(), 2);
  builder.SetInsertPoint(counter.next);
  builder.SetCurrentDebugLocation(base->getDebugLoc());
  carried->addIncoming(first, before);
  carried->addIncoming(builder.CreateGEP(element, carried, counter.step), block);
  base->replaceAllUsesWith(carried);
  base->eraseFromParent();
  counter.next->replaceAllUsesWith(llvm::PoisonValue::get(counter.next->getType()));
  counter.next->eraseFromParent();
  counter.phi->eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses CarryBasesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      if (!llvm::is_contained(llvm::successors(&block), &block))
        continue;
      for (llvm::PHINode &phi : llvm::make_early_inc_range(block.phis()))
        if (std::optional<Counter> counter = findCounter(phi)) {
          carryBase(*counter);
          changed = true;
        }
    }
  return base::preservedIf(!changed);
}

} // namespace triton::amd
