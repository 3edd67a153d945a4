#include "backends/amd/ScheduleHints.h"

#include "backends/amd/TurnLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace triton::amd {

llvm::Expected<ScheduleHint> parseScheduleHint(llvm::StringRef name) {
  auto hint = llvm::StringSwitch<std::optional<ScheduleHint>>(name)
                  .Cases({"", "none"}, ScheduleHint::None)
                  .Case("local-prefetch", ScheduleHint::LocalPrefetch)
                  .Case("attention", ScheduleHint::Attention)
                  .Default(std::nullopt);
  if (!hint)
    return llvm::createStringError("the option `schedule_hint` is `" + name +
                                   "`; it must be `none`, `local-prefetch` or `attention`");
  return *hint;
}

static bool isFixed(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_sched_barrier;
}

void applyScheduleHint(llvm::Module &module, ScheduleHint hint) {
  if (hint == ScheduleHint::None)
    return;
  // LLVM's numbers of its strategies.
  constexpr unsigned singleWave = 1, exponentials = 2;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      bool isLoop = llvm::is_contained(llvm::successors(&block), &block);
      if (!isLoop || llvm::none_of(block, isMatrixInstruction) || llvm::any_of(block, isFixed))
        continue;
      llvm::IRBuilder<> builder(block.getTerminator());
      unsigned strategy = hint == ScheduleHint::Attention ? exponentials : singleWave;
      builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_iglp_opt, {builder.getInt32(strategy)});
    }
}

} // namespace triton::amd
