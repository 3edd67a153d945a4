#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace triton::nvidia {
namespace {

/// Two registers of a piece of assembly, side by side: the conversions of the first and of the second.
using Pair = std::array<llvm::FPTruncInst *, 2>;
using Place =
    std::tuple<llvm::CallInst *, unsigned, llvm::Type *>; ///< the assembly, the number of the pair, the result

/// The wait for products whose sum `conversion` reads, and which of its results that is.
std::optional<std::pair<llvm::CallInst *, unsigned>> findSum(const llvm::FPTruncInst &conversion) {
  auto *element = llvm::dyn_cast<llvm::ExtractValueInst>(conversion.getOperand(0));
  auto *call = element ? llvm::dyn_cast<llvm::CallInst>(element->getAggregateOperand()) : nullptr;
  auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!assembly || !assembly->getAsmString().contains("wgmma.wait_group"))
    return std::nullopt;
  return std::pair(call, element->getIndices().front());
}

bool isToHalf(const llvm::FPTruncInst &conversion) {
  return conversion.getSrcTy()->isFloatTy() && conversion.getDestTy()->getScalarSizeInBits() == 16;
}

void replace(const Pair &pair, const Place &place) {
  auto [call, number, type] = place;
  bool comesFirst = pair[0]->comesBefore(pair[1]);
  llvm::IRBuilder<> builder(pair[comesFirst ? 0 : 1]);
  llvm::Value *low = builder.CreateExtractValue(call, 2 * number),
              *high = builder.CreateExtractValue(call, 2 * number + 1);
  llvm::Intrinsic::ID both =
      type->isBFloatTy() ? llvm::Intrinsic::nvvm_ff2bf16x2_rn : llvm::Intrinsic::nvvm_ff2f16x2_rn;
  llvm::Value *converted = builder.CreateIntrinsic(both, {}, {high, low});
  for (unsigned index : {0, 1})
    pair[index]->replaceAllUsesWith(builder.CreateExtractElement(converted, index));
  for (llvm::FPTruncInst *conversion : pair)
    conversion->eraseFromParent();
}

bool convertPairs(llvm::BasicBlock &block) {
  llvm::MapVector<Place, Pair> pairs;
  for (llvm::Instruction &instruction : block)
    if (auto *conversion = llvm::dyn_cast<llvm::FPTruncInst>(&instruction); conversion && isToHalf(*conversion))
      if (auto sum = findSum(*conversion))
        pairs[{sum->first, sum->second / 2, conversion->getDestTy()}][sum->second % 2] = conversion;
  bool changed = false;
  for (auto &[place, pair] : pairs)
    // What is used once is part of a pair that LLVM finds.
    if (pair[0] && pair[1] && (!pair[0]->hasOneUse() || !pair[1]->hasOneUse())) {
      replace(pair, place);
      changed = true;
    }
  return changed;
}

} // namespace

llvm::PreservedAnalyses ConvertPairsPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      changed |= convertPairs(block);
  return base::preservedIf(!changed);
}

} // namespace triton::nvidia
