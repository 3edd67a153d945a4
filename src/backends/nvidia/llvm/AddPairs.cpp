#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace triton::nvidia {

static bool isPair(const llvm::AtomicRMWInst &atomic) {
  constexpr unsigned globalSpace = 1;
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(atomic.getType());
  return type && type->getNumElements() == 2 && type->getScalarSizeInBits() == 16 && atomic.use_empty() &&
         atomic.getOperation() == llvm::AtomicRMWInst::FAdd && atomic.getPointerAddressSpace() == globalSpace &&
         atomic.getOrdering() == llvm::AtomicOrdering::Monotonic;
}

static void replace(llvm::AtomicRMWInst &atomic) {
  llvm::IRBuilder<> builder(&atomic);
  llvm::SmallVector<llvm::StringRef> scopes;
  atomic.getContext().getSyncScopeNames(scopes);
  llvm::StringRef scope = llvm::StringSwitch<llvm::StringRef>(scopes[atomic.getSyncScopeID()])
                              .Case("device", "gpu")
                              .Case("block", "cta")
                              .Default("sys");
  bool isHalf = atomic.getType()->getScalarType()->isHalfTy();
  std::string text =
      ("red.relaxed." + scope + ".global.add.noftz." + (isHalf ? "f16x2" : "bf16x2") + " [$0], $1;").str();
  llvm::Value *word = builder.CreateBitCast(atomic.getValOperand(), builder.getInt32Ty());
  llvm::Value *arguments[] = {atomic.getPointerOperand(), word};
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {arguments[0]->getType(), word->getType()}, false);
  builder.CreateCall(llvm::InlineAsm::get(type, text, "l,r,~{memory}", /*hasSideEffects=*/true), arguments);
  atomic.eraseFromParent();
}

llvm::PreservedAnalyses AddPairsPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
        if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); atomic && isPair(*atomic)) {
          replace(*atomic);
          changed = true;
        }
  return base::preservedIf(!changed);
}

} // namespace triton::nvidia
