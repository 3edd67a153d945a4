// What a compilation did, kept for people to look at: the IR after each pass and step, their times, and from which line
// of the kernel's file each line of a text comes.
#pragma once

#include "base/StageError.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <string>
#include <vector>

namespace triton::base {

struct LinkedText {
  std::string text;
  std::vector<unsigned> sourceLines; ///< by line of the text: the kernel's line that it comes from; 0: unknown
};

/// A pass, or a step that is not one of MLIR's, such as the translation to LLVM IR.
struct RecordedPass {
  std::string stage, name;
  std::string purpose; ///< why the pass runs, in a few words; empty: unknown
  double seconds = 0;
  bool changes = false;
  LinkedText after;        ///< empty unless it changes the IR and is kept
  bool isOptional = false; ///< the stages after it work without it
};

/// Changes the module behind the pass of this name.
using PassEdit = std::function<void(llvm::StringRef pass, mlir::Operation *module)>;

struct CompilationRecord {
  std::string sourcePath; ///< the kernel's file; places in other files give way to where they are called
  std::vector<RecordedPass> passes;
  bool keepsEachText = true; ///< otherwise only the last text of each stage, and what the others change is not known
  /// Called behind each pass that ran, before the text is kept: tools see what follows from another IR. Null: none.
  PassEdit edit = nullptr;
};

/// The module's text without its places.
LinkedText linkText(mlir::Operation *module, llvm::StringRef sourcePath);
LinkedText linkText(const llvm::Module &module, llvm::StringRef sourcePath);
/// Assembly with `.file` and `.loc` directives, which the result does not have any more.
LinkedText linkAssembly(llvm::StringRef assembly, llvm::StringRef sourcePath);
/// Where a line of such assembly, counted from 1, comes from: the innermost place, because the directives have no
/// calls.
SourcePlace findAssemblyPlace(llvm::StringRef assembly, unsigned line);
/// Machine code as nvdisasm prints it, without the comments that name places.
LinkedText linkMachineCode(llvm::StringRef text, llvm::StringRef sourcePath);

/// Records the passes of a pipeline.
void addPassRecorder(mlir::PassManager &manager, llvm::StringRef stage, CompilationRecord &record);
/// Records a step after which the IR has the text that `print` returns, which is called if the text is kept.
void recordStep(CompilationRecord &record, llvm::StringRef stage, llvm::StringRef name, double seconds,
                llvm::function_ref<LinkedText()> print, llvm::StringRef purpose = "");
/// Gives the last text of the stage that ends to its last pass, if no other is kept.
void recordStageEnd(CompilationRecord &record, llvm::StringRef stage, llvm::function_ref<LinkedText()> print);

} // namespace triton::base
