#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace triton::nvidia {

/// Whether neighbouring floats are added that together fill words, and, if these are several, one instruction adds
/// them.
static bool isAddition(const llvm::AtomicRMWInst &atomic) {
  constexpr unsigned globalSpace = 1, mostBits = 128;
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(atomic.getType());
  return type && (type->getScalarSizeInBits() == 16 || type->getElementType()->isFloatTy()) &&
         llvm::isPowerOf2_32(type->getNumElements()) && type->getPrimitiveSizeInBits() <= mostBits &&
         atomic.use_empty() && atomic.getOperation() == llvm::AtomicRMWInst::FAdd &&
         atomic.getPointerAddressSpace() == globalSpace && atomic.getOrdering() == llvm::AtomicOrdering::Monotonic;
}

static llvm::StringRef scopeOf(const llvm::AtomicRMWInst &atomic) {
  llvm::SmallVector<llvm::StringRef> scopes;
  atomic.getContext().getSyncScopeNames(scopes);
  return llvm::StringSwitch<llvm::StringRef>(scopes[atomic.getSyncScopeID()])
      .Case("device", "gpu")
      .Case("block", "cta")
      .Default("sys");
}

static void replace(llvm::AtomicRMWInst &atomic) {
  llvm::IRBuilder<> builder(&atomic);
  llvm::Type *element = atomic.getType()->getScalarType();
  auto words = unsigned(atomic.getType()->getPrimitiveSizeInBits().getFixedValue() / 32);
  llvm::StringRef kind = element->isFloatTy() ? ".f32" : element->isHalfTy() ? ".f16x2" : ".bf16x2";
  llvm::Type *word = element->isFloatTy() ? element : builder.getInt32Ty();
  std::string text = ("red.relaxed." + scopeOf(atomic) + ".global.add" + (element->isFloatTy() ? "" : ".noftz")).str();
  text += words == 1 ? kind.str() : ".v" + std::to_string(words) + kind.str();
  std::string constraints = "l", list;
  llvm::SmallVector<llvm::Value *> arguments{atomic.getPointerOperand()};
  llvm::SmallVector<llvm::Type *> types{arguments.front()->getType()};
  llvm::Value *value = builder.CreateBitCast(atomic.getValOperand(), llvm::FixedVectorType::get(word, words));
  for (unsigned index = 0; index < words; ++index) {
    arguments.push_back(builder.CreateExtractElement(value, uint64_t(index)));
    types.push_back(word);
    constraints += element->isFloatTy() ? ",f" : ",r";
    list += (index == 0 ? "$" : ", $") + std::to_string(index + 1);
  }
  text += " [$0], " + (words == 1 ? list : "{" + list + "}") + ";";
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
  builder.CreateCall(llvm::InlineAsm::get(type, text, constraints + ",~{memory}", /*hasSideEffects=*/true), arguments);
  atomic.eraseFromParent();
}

llvm::PreservedAnalyses AddPairsPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
        if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction); atomic && isAddition(*atomic)) {
          replace(*atomic);
          changed = true;
        }
  return base::preservedIf(!changed);
}

} // namespace triton::nvidia
