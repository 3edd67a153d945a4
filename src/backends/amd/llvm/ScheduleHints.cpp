#include "backends/amd/llvm/Passes.h"
#include "backends/amd/llvm/TurnLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace triton::amd {

llvm::Error parseOptions(llvm::StringRef name, ScheduleHint &hint) {
  auto known = llvm::StringSwitch<std::optional<ScheduleHint>>(name)
                   .Cases({"", "none"}, ScheduleHint::None)
                   .Case("local-prefetch", ScheduleHint::LocalPrefetch)
                   .Case("attention", ScheduleHint::Attention)
                   .Default(std::nullopt);
  if (!known)
    return llvm::createStringError("the option `schedule_hint` is `" + name +
                                   "`; it must be `none`, `local-prefetch` or `attention`");
  hint = *known;
  return llvm::Error::success();
}

static bool isFixed(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_sched_barrier;
}

llvm::PreservedAnalyses ScheduleHintsPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  if (options == ScheduleHint::None)
    return llvm::PreservedAnalyses::all();
  // LLVM's numbers of its strategies.
  constexpr unsigned singleWave = 1, exponentials = 2;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      bool isLoop = llvm::is_contained(llvm::successors(&block), &block);
      if (!isLoop || llvm::none_of(block, isMatrixInstruction) || llvm::any_of(block, isFixed))
        continue;
      llvm::IRBuilder<> builder(block.getTerminator());
      unsigned strategy = options == ScheduleHint::Attention ? exponentials : singleWave;
      builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_iglp_opt, {builder.getInt32(strategy)});
      changed = true;
    }
  return base::preservedIf(!changed);
}

} // namespace triton::amd
