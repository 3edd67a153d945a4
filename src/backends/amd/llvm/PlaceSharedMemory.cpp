#include "backends/amd/llvm/Passes.h"

#include "llvm/IR/Constants.h"

namespace triton::amd {

llvm::PreservedAnalyses PlaceSharedMemoryPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  constexpr unsigned sharedSpace = 3;
  llvm::GlobalVariable *window = nullptr;
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != sharedSpace || variable.getValueType()->isTargetExtTy()) // which names a barrier
      continue;
    if (window || !variable.isDeclaration() ||
        !module.getDataLayout().getTypeAllocSize(variable.getValueType()).isZero())
      return llvm::PreservedAnalyses::all();
    window = &variable;
  }
  if (window)
    window->replaceAllUsesWith(llvm::Constant::getNullValue(window->getType()));
  return base::preservedIf(!window);
}

} // namespace triton::amd
