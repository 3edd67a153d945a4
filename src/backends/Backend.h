// A backend: the named stages that turn TTIR into an executable artifact for one kind of target.
#pragma once

#include "base/ArgumentRanges.h"
#include "base/CompiledKernel.h"
#include "base/DeviceDriver.h"
#include "base/Environment.h"
#include "base/LanguageOptions.h"
#include "base/PassRunner.h"
#include "base/ProcessLimit.h"
#include "base/StageError.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <cstdint>
#include <optional>

namespace triton::backends {

/// What the target, options and environment of a compilation mean for a backend. Each backend derives its own class.
/// Read once for each compilation.
class BackendOptions {
public:
  virtual ~BackendOptions() = default;
};

/// Work that runs beside the stages of a compilation, such as an assembler that waits for its input.
class StartedWork {
public:
  virtual ~StartedWork() = default;
};

/// What flows through the stages of one compilation. A stage consumes the form that it finds and leaves the next form.
struct Compilation {
  const base::Options &options;
  const BackendOptions &backendOptions;
  const base::Target &target;
  const base::Environment &environment;
  std::string kernelName; ///< by which users select it
  std::string symbol;     ///< of the kernel in the code
  mlir::MLIRContext &context;
  base::ProcessLimit *processes = nullptr;       ///< of the vendor's programs; null: any number
  bool isGluon = false;                          ///< the source has layouts: there is no stage ttir
  bool isQuick = false;                          ///< generates code quickly, because better code follows
  mlir::OwningOpRef<mlir::ModuleOp> module = {}; ///< until translated to LLVM IR
  bool keepsRules = false;                       ///< a stage has just checked the rules of what it left in `module`
  std::unique_ptr<llvm::LLVMContext> llvmContext = {};
  std::unique_ptr<llvm::Module> llvmModule = {};
  std::string binary = {}; ///< object code, PTX text, cubin
  base::StageResults results = {};
  std::unique_ptr<StartedWork> startedWork = {}; ///< by Backend::begin; may be null
};

/// The form of what a stage leaves: which member of Compilation holds it, and how a file of it is read.
enum class StageForm : uint8_t { Mlir, Llvm, Binary };

/// One stage: its name is also the artifact's extension, the dump's file name and the value of --stage.
struct Stage {
  llvm::StringRef name;
  /// Runs the stage; its passes go through `runner`.
  llvm::Error (*run)(Compilation &, base::PassRunner &runner);
  StageForm form;
};

/// The bytes of the artifact that a stage left.
std::string printArtifact(const Compilation &compilation, StageForm form);

/// The artifact of a kernel from a bundle that Backend::loadingForm made.
inline constexpr char loadingFormName[] = "image";

/// Limits that hold for every device of a target.
struct DeviceLimits {
  std::array<int32_t, 3> grid{INT32_MAX, INT32_MAX, INT32_MAX};
  int64_t sharedBytes = INT64_MAX; ///< of one program
};

/// How a product reads its second operand: in panels of columns, and in each in groups of rows that are neighbours.
struct OperandPacking {
  int64_t panel, group;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual llvm::StringRef name() const = 0;
  /// In order; starts with "ttir". The last stage's artifact is the binary.
  virtual llvm::ArrayRef<Stage> stages() const = 0;
  /// The architecture of a compilation for which it does not matter; empty where targets have none.
  virtual std::string usualArch() const { return ""; }
  /// The number of threads that run in step; 0 if the target has no warps.
  virtual int warpSize(const std::string & /*arch*/) const { return 0; }
  /// Registers every dialect that the stages create.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// The error says, in the user's terms, what is wrong with target or options.
  virtual llvm::Expected<std::unique_ptr<const BackendOptions>>
  readOptions(const base::Target &target, const base::Options &options, const base::Environment &environment) const = 0;
  /// The facts of the target on which the language depends.
  virtual base::LanguageOptions languageOptions(const base::Target &target) const = 0;
  /// Whether generated code may call or hold something of this name, so that a kernel needs another symbol.
  virtual bool reservesSymbol(llvm::StringRef name) const = 0;
  /// Called before the first stage if the last stage will run, too. May start work for which the last stage waits.
  virtual void begin(Compilation & /*compilation*/) const {}
  /// Adds the passes that check what a user wrote as the result of a stage, where its rules are not checked otherwise.
  virtual void addVerifiers(llvm::StringRef /*stage*/, mlir::OpPassManager & /*passes*/) const {}
  /// Prepares LLVM IR that a user wrote: sets its triple and data layout if the IR has none. Fails in the user's terms
  /// if the IR is for another target.
  virtual llvm::Error adopt(llvm::Module & /*module*/, const Compilation & /*compilation*/) const {
    return llvm::Error::success();
  }
  /// What the backend's assembler says first in `refusal`, and where in the assembly; nothing if it does not say that.
  virtual std::optional<base::StageMessage> findRefusal(const std::string & /*refusal*/) const { return std::nullopt; }
  /// What begins a declaration of shared memory without a size in assembly; empty: there is none.
  virtual llvm::StringRef unsizedSharedMemory() const { return {}; }
  /// After the last stage that runs: what a program takes of the machine, what that has, and how many programs run on
  /// it at a time. Empty where a backend has no limits.
  virtual llvm::json::Object describeResources(const Compilation & /*compilation*/) const { return {}; }
  /// What besides source and options decides the code: CPU name and features, driver versions.
  virtual std::string fingerprint(const BackendOptions &options) const = 0;
  /// The names, in order, of artifacts that are made from kept ones on demand, such as "asm", and the function that
  /// makes one.
  virtual llvm::ArrayRef<llvm::StringRef> derivedArtifacts() const { return {}; }
  virtual llvm::Expected<std::string> deriveArtifact(const base::CompiledKernel & /*kernel*/,
                                                     llvm::StringRef name) const {
    return llvm::createStringError(("the backend makes no artifact `" + name + "`").str());
  }
  /// Whether the machine code is another text than the last stage before it, for which the vendor has a disassembler.
  virtual bool hasDisassembler() const { return false; }
  /// The text of a finished kernel's machine code, for base::linkMachineCode. The error says which tool is missing.
  virtual llvm::Expected<std::string> disassemble(const base::CompiledKernel & /*kernel*/) const {
    return llvm::createStringError("the backend has no disassembler");
  }
  /// Whether a compilation may ask for code that is generated quickly. From such a kernel `betterBinary` makes the
  /// binary that the last stage makes otherwise.
  virtual bool hasQuickCode() const { return false; }
  virtual llvm::Expected<std::string> betterBinary(const base::CompiledKernel & /*kernel*/) const {
    return llvm::createStringError("the backend generates no code quickly");
  }
  /// For products of m x k with k x n elements of a type of signatures ("bf16"), so that hosts can pack operands that
  /// do not change. A backend without a form of its own takes rows as they are.
  virtual llvm::Expected<OperandPacking> operandPacking(const std::string & /*arch*/, llvm::StringRef /*type*/,
                                                        std::array<int64_t, 3> mnk) const {
    return OperandPacking{mnk[1], 1};
  }
  /// The limits of a target that `readOptions` accepts.
  virtual DeviceLimits limits(const base::Target & /*target*/) const { return {}; }
  /// What a bundle has of a kernel besides its binary, so that `load` takes less time: it finds both among the
  /// artifacts, this one as `loadingFormName`. Empty: the binary is enough.
  virtual std::string loadingForm(const base::CompiledKernel & /*kernel*/) const { return ""; }
  /// Makes the binary callable. `module` is what the kernel's "llir" artifact prints, null when it is not in memory.
  /// Null, without an error, when the kernel cannot run in this process.
  virtual llvm::Expected<std::shared_ptr<const base::LoadedKernel>> load(const base::CompiledKernel &kernel,
                                                                         const llvm::Module *module) const = 0;
  /// The devices that run the kernels, if they have a driver; otherwise null.
  virtual const base::DeviceDriver *driver() const { return nullptr; }
  /// For which ranges of their arguments kernels are compiled, if they get such arguments.
  virtual base::ArgumentRanges argumentRanges(const std::string & /*arch*/) const { return {}; }
  /// Adds a folder in which the vendor's tools and files may be, to be searched after the usual ones.
  virtual void addToolkitDirectory(const std::string & /*path*/) const {}
  /// The path of one of the vendor's tools, such as `nvdisasm`. The error says where it was looked for.
  virtual llvm::Expected<std::string> findTool(llvm::StringRef name) const {
    return llvm::createStringError(("the backend has no tool `" + name + "`").str());
  }
};

} // namespace triton::backends
