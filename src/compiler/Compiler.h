// compile(): from a kernel and the types of its arguments to an executable artifact, through the stages of one backend.
// Free of MLIR so that bindings and the public API can include it.
#pragma once

#include "compiler/DeviceKernel.h"
#include "frontend/Object.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace triton::compiler {

/// What is compiled for, as Triton's GPUTarget: ("cpu", "x86_64", 0), ("cuda", "90", 32).
struct Target {
  std::string backend = "cpu";
  std::string arch = {};
  int warpSize = 0;
};

/// What the compiler knows of one parameter. Exactly one of: a runtime value of `type`, a `constant`, or a tuple of
/// these in `elements`.
struct Argument {
  std::string name;
  frontend::ElementType type;
  frontend::ObjectRef constant; ///< compile-time value; not passed at launch
  bool isTuple = false;
  std::vector<Argument> elements;      ///< when isTuple
  std::vector<std::string> fieldNames; ///< of a namedtuple
  int64_t divisibility = 1;            ///< `tt.divisibility`: the value or address is a multiple of this
};

/// Options of a compilation, all backends; each backend reads the ones it knows. Field docs: docs/options.md.
struct Options {
  int numWarps = 4;
  int numStages = 3;
  int numCtas = 1;
  bool debug = false; ///< device_assert active
  bool sanitizeOverflow = false;
  bool enableFpFusion = true;               ///< a*b+c may become one fused operation
  bool lineInfo = true;                     ///< line tables in the machine code
  std::string arch;                         ///< CPU baseline such as "x86-64-v3"; empty: what the host has
  std::map<std::string, std::string> extra; ///< the others, as given, e.g. maxnreg
};

/// An error of the user's program: `what()` is the complete rendered diagnostic.
class CompilationError : public std::runtime_error {
public:
  enum class Kind {
    General,
    UnsupportedConstruct,
    StaticAssertion,
    Toolchain, ///< a program or file of a vendor's toolkit is missing or refused the kernel
  };
  CompilationError(Kind kind, const std::string &rendered, std::string message, unsigned line, unsigned column)
      : std::runtime_error(rendered), kind(kind), message(std::move(message)), line(line), column(column) {}
  Kind kind;
  std::string message; ///< without position and excerpt
  unsigned line, column;
};

/// A defect of the compiler itself; `what()` names stage, pass and operation, and how to reproduce it.
class InternalError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct CompileRequest {
  std::shared_ptr<const frontend::Function> function; ///< or IR text below
  std::string irText, irStage;                        ///< "ttir", ...; irPath names it in messages
  std::string irPath;
  std::string kernelName; ///< symbol; empty: the function's name
  std::string lastStage;  ///< stop after this stage, with a kernel that cannot run; empty: all stages
  std::vector<Argument> arguments;
  Target target;
  Options options;
};

struct CompiledKernel {
  std::string name;
  std::string hash;
  Target target;
  std::map<std::string, std::string> artifacts; ///< "source", "ttir", "llir", "o", "cubin", ...: extension → bytes
  std::string metadata;                         ///< JSON object
  std::vector<Argument> arguments;              ///< flattened runtime arguments in ABI order
  /// CPU only: the entry point, see runtime/CpuLaunch.h. Kept alive by `code`.
  void *entry = nullptr;
  std::size_t scratchBytes = 0; ///< per thread, 64-byte aligned
  std::shared_ptr<void> code;
  std::shared_ptr<const DeviceKernel> device; ///< of all other targets
  bool isFromCache = false;                   ///< read from the disk cache, not compiled now
};

/// The artifact of that stage; those that are made on demand ("asm") are made now. Empty when there is none. Throws
/// InternalError.
std::string artifact(const CompiledKernel &kernel, std::string_view name);

/// The artifacts that `artifact` can give, in the order of the stages.
std::vector<std::string> artifactNames(const CompiledKernel &kernel);

/// Pays in the background, once, what only the first compilation of a process pays (target set-up, first use of the
/// code generator). Returns at once. The thread must end before static objects do: call waitForWarmUp before the
/// process exits.
void warmUp();
void waitForWarmUp();

/// The stages of a backend and the passes and steps of each, in order: one line "stage: pass, pass" a stage.
std::string describePasses(const std::string &backend);

/// Compiles, or takes the result from the disk cache. Throws CompilationError or InternalError. Thread-safe.
std::shared_ptr<const CompiledKernel> compile(const CompileRequest &request);

} // namespace triton::compiler
