// The builtins of the kernel language. Builtins.def declares each builtin once. The functions below, their argument
// binding, and the Python stubs with signatures and documentation (tools/triton-generate-stubs) come from it.
#pragma once

#include "base/Source.h"
#include "frontend/Object.h"
#include "frontend/lowering/Value.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <mutex>
#include <string>
#include <vector>

namespace triton::frontend {

using namespace base;

class Lowering;
struct Builtin;

/// One parameter of a builtin or of a kernel, as far as binding needs to know it.
struct ParameterSpec {
  llvm::StringRef name;
  bool hasDefault = false;
  bool isKeywordOnly = false; ///< comes after `*` in the signature
  bool isVariadic = false;    ///< `*name`: takes the remaining positional arguments
  bool takesKeywords = false; ///< `**name`: takes the keyword arguments that no other parameter takes
};

/// A parameter of a builtin. Its text in the table reads `name: annotation = default`.
struct BuiltinParameter : ParameterSpec {
  llvm::StringRef annotation;  ///< "constexpr" when the argument must be known at compile time
  llvm::StringRef defaultText; ///< Python source of the default
  ObjectRef defaultValue;
  bool isConstexpr() const { return annotation.starts_with("constexpr"); }
};

/// An argument as written at a call. `keyword` is empty for a positional one.
struct Argument {
  Value value;
  SourceRange range;
  llvm::StringRef keyword;
  SourceRange keywordRange;
  bool isHeld = false; ///< written as the name of a `tl.constexpr`
};

/// Assigns arguments to parameters by Python's rules. Element i of the result lists the arguments (indices into
/// `arguments`) that parameter i takes: none means its default, several only occur for a variadic one.
/// Reports a missing, doubled, unknown or surplus argument, with `signature` in the message.
llvm::SmallVector<llvm::SmallVector<unsigned, 1>>
bindArguments(Lowering &lowering, llvm::StringRef callee, llvm::StringRef signature,
              llvm::ArrayRef<ParameterSpec> parameters, llvm::ArrayRef<Argument> arguments, SourceRange callRange);

/// The arguments of a builtin's lowering: one value for each parameter. Defaults are filled in, and compile-time
/// parameters are checked.
class CallArguments {
public:
  CallArguments(const Builtin &builtin, SourceRange callRange) : builtin(builtin), callRange(callRange) {}

  const Builtin &builtin;
  SourceRange callRange;

  /// The value of the parameter of this name, which must exist. For a variadic parameter this is a tuple, and for one
  /// that takes keywords a tuple with names of fields.
  Value &operator[](llvm::StringRef name);
  /// The place of its argument; the whole call when the default was used.
  SourceRange range(llvm::StringRef name) const;
  /// Whether the call contains this argument.
  bool isGiven(llvm::StringRef name) const;

private:
  friend Value callBuiltin(Lowering &, const Builtin &, llvm::ArrayRef<Argument>, SourceRange);
  struct Bound {
    Value value;
    SourceRange range;
    bool isGiven;
  };
  unsigned indexOf(llvm::StringRef name) const;

  llvm::SmallVector<Bound, 8> bound;
};

using BuiltinLowering = Value (*)(Lowering &, CallArguments &);

/// Where a builtin can be reached besides `triton.language` itself.
enum BuiltinFlags : unsigned {
  NoFlags = 0,
  TensorMethod = 1,        ///< `x.name(...)` with x as the first argument
  MathModule = 2,          ///< also `triton.language.math.name`
  MustUseResult = 4,       ///< a call whose result is dropped is an error
  CoreOnly = 8,            ///< only in `triton.language.core`, not in `triton.language`
  MethodOnly = 16,         ///< no free function of this name
  DescriptorMethod = 32,   ///< `descriptor.name(...)`, no free function
  BlockPointerMethod = 64, ///< `pointer.name(...)` of a block pointer
  TargetInfoModule = 128,  ///< only in `triton.language.target_info`
  CudaModule = 256,        ///< only in `triton.language.extra.cuda.utils`
  HipModule = 512,         ///< only in `triton.language.extra.hip.utils`
  GluonModule = 1024,      ///< only in Gluon, instead of what `triton.language` has under this name
  BufferMethod = 2048,     ///< `buffer.name(...)` of a buffer in shared memory, no free function
  MatrixMethod = 4096,     ///< `buffer.name(...)` of a buffer in tensor memory, no free function
};

/// Of functions that are only methods.
inline constexpr unsigned onlyMethods = MethodOnly | DescriptorMethod | BufferMethod | MatrixMethod;

/// The module of the flag GluonModule, whose functions Gluon's package shows.
inline constexpr llvm::StringLiteral gluonModule = "triton.experimental.gluon.language._core";

struct Builtin {
  llvm::StringRef name;       ///< as in `tl.<name>`; in Gluon with dots for one in a module
  llvm::StringRef group;      ///< heading in the documentation
  llvm::StringRef module;     ///< "triton.language", "triton.language.extra.libdevice", ...
  unsigned flags;             ///< BuiltinFlags
  llvm::StringRef parameters; ///< Python source of the parameter list
  llvm::StringRef result;     ///< annotation of the result in stubs
  llvm::StringRef documentation;
  BuiltinLowering lower;

  /// `tl.load`; `.to` for something that is only a method; `len` for a builtin of Python.
  std::string displayName() const;
  /// The name of the Python function: `nvidia_ampere_mma_v2` for one in a module of Gluon.
  std::string pythonName() const;
  /// `tl.load(pointer, mask=None, ...)`.
  std::string signature() const;
  /// The parsed parameter list.
  llvm::ArrayRef<BuiltinParameter> parameterList() const;

  /// Filled on first use.
  mutable std::once_flag parsedOnce{};
  mutable std::vector<BuiltinParameter> parsed{};
};

/// All declared builtins, in the order of the table.
llvm::ArrayRef<Builtin> builtins();
/// The builtin of this name in `module` ("triton.language", ...), or null.
const Builtin *findBuiltin(llvm::StringRef module, llvm::StringRef name);
/// The builtin behind a method. `flag` says what it is a method of: TensorMethod, DescriptorMethod,
/// BlockPointerMethod, BufferMethod or MatrixMethod. Null when there is none. preludeMethod() finds methods that are
/// written in the kernel language.
const Builtin *findMethod(llvm::StringRef name, BuiltinFlags flag);

/// Lowers a call: binds, fills defaults, checks compile-time parameters, then runs the builtin's own lowering.
/// A method call passes its object as the first argument.
Value callBuiltin(Lowering &lowering, const Builtin &builtin, llvm::ArrayRef<Argument> arguments,
                  SourceRange callRange);

} // namespace triton::frontend
