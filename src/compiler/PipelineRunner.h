// The PassRunner of compile(): one for each compilation.
#pragma once

#include "backends/FatalErrors.h"
#include "base/CompilationRecord.h"
#include "base/Environment.h"
#include "base/PassDumps.h"
#include "base/PassRunner.h"
#include "base/StageError.h"
#include "compiler/OptimizationRemarks.h"
#include "compiler/PassSelection.h"

#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <optional>
#include <string>

namespace triton::compiler {

class PipelineRunner : public base::PassRunner {
public:
  /// Once `isAbandoned` is set, by another thread, the next pass or step throws CompilationAbandoned. Null: never.
  PipelineRunner(mlir::MLIRContext &context, const base::Environment &environment, std::string kernel,
                 const std::atomic<bool> *isAbandoned = nullptr);
  ~PipelineRunner() override;

  llvm::Error run(mlir::ModuleOp module, llvm::StringRef stage,
                  llvm::function_ref<void(mlir::OpPassManager &)> build) override;
  llvm::Error step(llvm::StringRef stage, base::StepInfo step, llvm::function_ref<llvm::Error()> body) override;

  /// Begins a stage. For reproducers: the text of its input, the stage that made it, the kernel's symbol there, and the
  /// target as tritonc spells it.
  void beginStage(const std::string &inputText, llvm::StringRef inputStage, std::string symbol, std::string target);
  /// What MLIR reported in a step that failed, as the step's error.
  llvm::Error takeDiagnostics(llvm::StringRef stage, llvm::StringRef step) {
    return fail(stage, step, diagnostics.take(), /*isStep=*/true);
  }
  /// The kernel's text, which messages quote; may be null.
  void setSource(const base::Source *source);
  /// From now on, keeps what passes say about the kernel's speed.
  void keepRemarks();
  std::vector<OptimizationRemark> takeRemarks() { return std::move(remarks); }
  /// From now on, notes every pass and step; null: no more.
  void recordInto(base::CompilationRecord *target);
  /// Where steps find the module of LLVM IR that they work on; may give null.
  void setLlvmModule(std::function<const llvm::Module *()> get) { llvmModule = std::move(get); }

  /// Every stage that ran with its passes and steps: "stage: pass, step" lines.
  const std::string &listing() const { return passListing; }
  /// The flags of those passes and steps that later stages can do without (OptionalPass.h), each once.
  llvm::ArrayRef<std::string> optionalPasses() const { return optionalFlags; }

private:
  void list(llvm::StringRef stage, llvm::StringRef what);
  llvm::Error fail(llvm::StringRef stage, llvm::StringRef pass, std::vector<base::StageMessage> messages, bool isStep);
  std::string writeReproducer(llvm::StringRef stage);
  void noteOptional(llvm::StringRef flag);
  void noteStep(llvm::StringRef stage, base::StepInfo step, double seconds);
  llvm::Error checkStep(llvm::StringRef stage, llvm::StringRef name);
  void dumpStep(llvm::StringRef stage, llvm::StringRef name, const llvm::Module &module, llvm::StringRef before);
  void throwIfAbandoned() const;
  std::string writeStageInput(llvm::StringRef stage);
  bool printsRemarks() const;
  void print(const OptimizationRemark &remark);

  mlir::MLIRContext &context;
  const base::Environment &environment;
  std::string kernel;
  const std::atomic<bool> *isAbandoned;
  const base::Source *source = nullptr;
  base::DiagnosticCollector diagnostics;
  std::optional<RemarkListener> listener; ///< none where nobody wants remarks
  std::vector<OptimizationRemark> remarks;
  llvm::StringSet<> printedRemarks;                      ///< unrolled and duplicated operations say the same
  std::vector<backends::CodeGenerationError> llvmErrors; ///< what code generation reported in the step that runs
  base::PassDumpState dumps;
  base::CompilationRecord *record = nullptr;
  PassSelection selection;
  std::optional<mlir::DefaultTimingManager> timing; ///< its end takes memory, of which there may be none
  mlir::TimingScope rootScope;
  std::function<const llvm::Module *()> llvmModule;

  std::string passListing, listedStage;
  std::vector<std::string> optionalFlags;
  const std::string *stageInput = nullptr;
  std::string stageInputName, kernelSymbol, targetText; ///< as beginStage got them
  std::string stagePipelines; ///< textual pipelines that the stage has run so far, comma-separated
};

} // namespace triton::compiler
