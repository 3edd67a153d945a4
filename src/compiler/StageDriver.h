// One compilation: lowers or parses the input and runs the backend's stages, keeping each stage's artifact.
#pragma once

#include "backends/Backend.h"
#include "base/Environment.h"
#include "compiler/CacheKey.h"
#include "compiler/Compiler.h"
#include "compiler/ContextPool.h"
#include "compiler/PipelineRunner.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::compiler {

/// The name of the stage that the frontend leaves, which precedes the first stage of every backend.
inline constexpr char sourceStage[] = "source";

class StageDriver {
public:
  StageDriver(const CompileRequest &request, const Options &options, const backends::Backend &backend,
              const backends::BackendOptions &backendOptions, const Environment &environment, const CacheKey &key,
              bool isQuick = false);

  /// What the kernel prints by `tl.static_print`, and what the language warns of, is left out.
  void beQuiet() { isQuiet = true; }
  /// Does everything except loading. Throws CompilationError or InternalError.
  std::shared_ptr<CompiledKernel> run();
  /// The passes that have run, in the form of compiler::describePasses.
  std::string describePasses() const {
    return runner.listing() + "\noptional: " + llvm::join(runner.optionalPasses(), ", ");
  }
  /// The module that the "llir" artifact prints, after `run`; null when the backend does not have this stage or it did
  /// not run.
  const llvm::Module *llvmModule() const { return compilation.llvmModule.get(); }
  /// The MLIR module that the last stage left; null after the translation to LLVM IR.
  mlir::Operation *module() const { return compilation.module.get().getOperation(); }

private:
  using Stage = backends::Stage;

  void lowerSource();
  void parseInput();
  /// False where the vendor's tools are missing, and the kernel is only explained.
  bool runStage(const Stage &stage);
  /// Makes `text` the compilation's state after `stage`; throws when it does not parse.
  void adoptText(llvm::StringRef stage, const std::string &text, const std::string &path);
  /// Refuses TTIR that a user wrote where it is not TTIR. Later stages check their input themselves.
  void verifyGiven(llvm::StringRef stage);
  /// Throws what the stage reports of a text that a user wrote as the user's error. Returns when it is ours.
  void throwIfGiven(const Stage &stage, const StageError &failure) const;
  /// Throws what an assembler says of a line of its input as an error at the place that the line comes from: in the
  /// text that a user wrote, or in the kernel. Returns when it names no line.
  void throwRefusal(const Stage &stage, const std::string &refusal) const;
  llvm::StringRef stageBefore(const Stage &stage) const;
  bool followsGiven(const Stage &stage) const;
  void recordEnd(llvm::StringRef stage);
  void keepArtifact(const std::string &stage, std::string bytes);
  void replaceByOverride(const std::string &stage);
  void requireKernel();
  void readSignature();
  void noteArguments();

  const CompileRequest &request;
  const Options &options;
  const backends::Backend &backend;
  const Environment &environment;
  const CacheKey &key;

  std::shared_ptr<const base::Source> source; ///< for messages
  BorrowedContext borrowed;
  mlir::MLIRContext &context;
  backends::Compilation compilation;
  std::shared_ptr<CompiledKernel> kernel = std::make_shared<CompiledKernel>();
  PipelineRunner runner;
  std::string givenStage, givenPath; ///< of the last text that a user wrote; empty: there is none
  backends::StageForm givenForm = backends::StageForm::Mlir;
  std::string assemblerError; ///< why registers are not known
  bool isQuiet = false;
};

/// Runs the stages up to the request's last one, then calls `use` while their result exists. Throws as `compile` does.
/// If it `isQuiet`, the kernel prints nothing.
void runStages(const CompileRequest &request, llvm::function_ref<void(const StageDriver &, const CompiledKernel &)> use,
               bool isQuiet = false);

/// The name of a request's kernel in files and messages, by which users select it.
std::string requestedName(const CompileRequest &request);

/// The kernel's symbol. Where generated code may call a function of the name, that of a kernel from source is `kernel_`
/// and the name.
std::string requestedSymbol(const CompileRequest &request);

} // namespace triton::compiler
