// compile(): from a kernel and the types of its arguments to an executable artifact, through the stages of one backend.
// Free of MLIR so that bindings and the public API can include it.
#pragma once

#include "base/CompiledKernel.h"
#include "base/Environment.h"
#include "base/Errors.h"
#include "base/ProcessLimit.h"
#include "frontend/KernelArgument.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace triton::base {
struct CompilationRecord;
}

namespace triton::compiler {

using namespace base;
using base::CompiledKernel; // The public API has a class of this name in the enclosing namespace.
using Argument = frontend::KernelArgument;

struct CompileRequest {
  std::shared_ptr<const frontend::Function> function; ///< or IR text below
  std::string irText, irStage;                        ///< "ttir", ...; irPath names it in messages
  std::string irPath;
  std::string kernelName;              ///< in files and messages; empty: the function's
  std::string lastStage;               ///< stop after this stage, with a kernel that cannot run; empty: all stages
  CompilationRecord *record = nullptr; ///< notes what the compilation does, which then does without the cache
  bool explains = false;               ///< makes the artifact "explain" (Explanation.h), of a kernel that is not run
  /// This process launches the kernel and nobody keeps its code: the environment may ask for code that is generated
  /// quickly first (TieredKernel.h). What is recorded is loaded only then.
  bool isForLaunches = false;
  std::vector<Argument> arguments;
  Target target;
  Options options;
  /// Null is the result unless a bundle that is loaded has the kernel.
  bool isForBundled = false;
  /// Another thread sets this when nobody waits any more. The compilation then throws CompilationAbandoned at the next
  /// pass, step or statement. Null: never.
  const std::atomic<bool> *isAbandoned = nullptr;
  const Environment *environment = nullptr; ///< null: that of the process
  ProcessLimit *processes = nullptr;        ///< of the vendor's programs that run; null: any number
};

/// What two requests have in common whose compilations give the same: the hash by which the cache on disk knows the
/// kernel, and how far it is compiled. Throws as `compile` does for options that are wrong.
std::string requestKey(const CompileRequest &request);

/// The artifact of that stage. Artifacts that are made on demand ("asm") are made now. Empty when there is none. Throws
/// InternalError.
std::string artifact(const CompiledKernel &kernel, std::string_view name);

/// The text of the kernel's machine code by the vendor's disassembler, as base::linkMachineCode reads it. Empty when
/// the target has none or the kernel is not finished. Throws InternalError, which says what is missing.
std::string disassembly(const CompiledKernel &kernel);

/// The artifacts that `artifact` can give, in the order of the stages.
std::vector<std::string> artifactNames(const CompiledKernel &kernel);

/// Does once, in the background, what otherwise only the first compilation of a process does (target set-up, first use
/// of the code generator). Returns at once. The thread must end before static objects are destroyed: call waitForWarmUp
/// before the process exits.
void warmUp();
void waitForWarmUp();

/// The stages of a backend with their passes and steps, in order, one line "stage: pass, pass" for each stage. The last
/// line, "optional: flag, flag", names the passes that later stages can do without.
std::string describePasses(const std::string &backend);

/// Restores a kernel that another process compiled from its hash, metadata and artifacts. Null when these do not belong
/// together. Throws InternalError when the kernel cannot be loaded.
std::shared_ptr<const CompiledKernel> restore(const std::string &hash, const std::string &metadata,
                                              std::map<std::string, std::string> artifacts);

/// What a bundle has of a kernel besides its metadata and artifacts, so that its first launch takes less time: by the
/// endings of their names. Nothing when the parts do not belong together.
std::map<std::string, std::string> loadingForms(const std::string &hash, const std::string &metadata,
                                                std::map<std::string, std::string> artifacts);

/// Compiles, or takes the result from a bundle or the disk cache. Throws CompilationError or InternalError.
/// Thread-safe.
std::shared_ptr<const CompiledKernel> compile(const CompileRequest &request);

} // namespace triton::compiler
