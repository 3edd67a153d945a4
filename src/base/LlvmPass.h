// Passes over LLVM IR that are ours. Each folder of them has a table, Passes.def, with a line for each pass:
//
//   TRITON_LLVM_PASS(Name, flag, need, summary, description)
//   TRITON_LLVM_PASS_WITH(Name, Options, flag, need, summary, description)   // takes options
//
// The class NamePass comes from the table; a file of that name defines its function `run`. docs/passes.md is written
// from the tables, and triton-opt runs each pass alone.
#pragma once

#include "base/PassRunner.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace triton::base {

/// Whether kernels are right without a pass, so that bisection may leave it out.
enum class LlvmPassNeed : bool { Required, Optional };

/// Declares the class of a line of the table.
#define TRITON_DECLARE_LLVM_PASS(Name, flag, need, summary)                                                            \
  struct Name##Pass : llvm::PassInfoMixin<Name##Pass> {                                                                \
    static constexpr base::StepInfo info{flag, summary, base::LlvmPassNeed::need == base::LlvmPassNeed::Optional};     \
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);                          \
  };

/// The same for a pass that takes options.
#define TRITON_DECLARE_LLVM_PASS_WITH(Name, Options, flag, need, summary)                                              \
  struct Name##Pass : llvm::PassInfoMixin<Name##Pass> {                                                                \
    static constexpr base::StepInfo info{flag, summary, base::LlvmPassNeed::need == base::LlvmPassNeed::Optional};     \
    explicit Name##Pass(Options options) : options(std::move(options)) {}                                              \
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);                          \
    Options options;                                                                                                   \
  };

/// What a pass returns that has changed something or nothing.
inline llvm::PreservedAnalyses preservedIf(bool isUnchanged) {
  return isUnchanged ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

/// Runs a pass as a step of the stage. `analyses` learns what it changed.
template <typename Pass>
llvm::Error runLlvmPass(PassRunner &runner, llvm::StringRef stage, llvm::Module &module, Pass pass,
                        llvm::ModuleAnalysisManager &analyses) {
  return runner.step(stage, Pass::info, [&] {
    analyses.invalidate(module, pass.run(module, analyses));
    return llvm::Error::success();
  });
}

/// The same where no analyses are kept.
template <typename Pass>
llvm::Error runLlvmPass(PassRunner &runner, llvm::StringRef stage, llvm::Module &module, Pass pass) {
  llvm::ModuleAnalysisManager analyses;
  return runLlvmPass(runner, stage, module, std::move(pass), analyses);
}

} // namespace triton::base
