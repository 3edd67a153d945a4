// A backend: the named stages that turn TTIR into an executable artifact for one kind of target.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/Environment.h"
#include "compiler/PassRunner.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cstdint>

namespace triton::backends {

/// What flows through the stages of one compilation. A stage consumes the form it finds and leaves the next.
struct Compilation {
  const compiler::Options &options;
  const compiler::Target &target;
  const compiler::Environment &environment;
  std::string kernelName;
  mlir::MLIRContext &context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< until translated to LLVM IR
  std::unique_ptr<llvm::LLVMContext> llvmContext;
  std::unique_ptr<llvm::Module> llvmModule;
  std::string binary;          ///< object code, PTX text, cubin
  llvm::json::Object metadata; ///< e.g. "scratch_bytes"
  std::shared_ptr<void> ahead; ///< what Backend::begin started
};

/// What a stage leaves: which member of Compilation holds it, and how a file of it is read.
enum class StageForm : uint8_t { Mlir, Llvm, Binary };

/// One stage: its name is also the artifact's extension, the dump's file name and the value of --stage.
struct Stage {
  llvm::StringRef name;
  /// Runs the stage; its passes go through `runner`.
  llvm::Error (*run)(Compilation &, compiler::PassRunner &runner);
  StageForm form;
};

/// The bytes of the artifact that a stage left.
std::string printArtifact(const Compilation &compilation, StageForm form);

/// The most that every device of a target gives.
struct DeviceLimits {
  std::array<int32_t, 3> grid{INT32_MAX, INT32_MAX, INT32_MAX};
  int64_t sharedBytes = INT64_MAX; ///< of one program
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual llvm::StringRef name() const = 0;
  /// In order; starts with "ttir". The last stage's artifact is the binary.
  virtual llvm::ArrayRef<Stage> stages() const = 0;
  /// Registers every dialect that the stages create.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// What is wrong with target and options, in the user's terms.
  virtual llvm::Error check(const compiler::Target & /*target*/, const compiler::Options & /*options*/) const {
    return llvm::Error::success();
  }
  /// Before the first stage, when the last one will run, too: may start what that one waits for.
  virtual void begin(Compilation & /*compilation*/) const {}
  /// What besides source and options decides the code: CPU name and features, driver versions.
  virtual std::string fingerprint(const compiler::Target &target, const compiler::Options &options) const = 0;
  /// Artifacts that are made from the kept ones when asked for, such as "asm": names in order, and how.
  virtual llvm::ArrayRef<llvm::StringRef> derivedArtifacts() const { return {}; }
  virtual llvm::Expected<std::string> deriveArtifact(const compiler::CompiledKernel & /*kernel*/,
                                                     llvm::StringRef name) const {
    return llvm::createStringError(("the backend makes no artifact `" + name + "`").str());
  }
  /// For targets that `check` accepts.
  virtual DeviceLimits limits(const compiler::Target & /*target*/) const { return {}; }
  /// Makes the binary callable (CPU: links it into the process). Null function when it cannot run in this process.
  virtual llvm::Error load(compiler::CompiledKernel &kernel) const = 0;
};

/// The backend of that name, or null.
const Backend *findBackend(llvm::StringRef name);
/// The names that findBackend knows.
llvm::SmallVector<llvm::StringRef> backendNames();

} // namespace triton::backends
