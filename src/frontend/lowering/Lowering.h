// The state of one lowering, which the functions that lower each construct share. The logic of the language is
// elsewhere: in the Lower*.cpp files (one for each construct), in semantics/ (operators) and in builtins/.
#pragma once

#include "base/Diagnostics.h"
#include "base/Source.h"
#include "frontend/AST.h"
#include "frontend/Object.h"
#include "frontend/lowering/Exits.h"
#include "frontend/lowering/LowerKernel.h"
#include "frontend/lowering/Value.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace triton::frontend {

struct Argument;
struct LoopFrame;

/// A local name of a kernel.
struct Variable {
  enum class State : uint8_t {
    Defined,
    Declared, ///< `x: tl.constexpr` without a value yet
    Partial,  ///< assigned on some of the paths to here only; `range` is there
    OfLoop,   ///< first assigned in a loop that has ended
    Replaced, ///< a loop that has ended gave it another type: the type of `value`
    Unknown,  ///< with an observer: assigned by a statement with an error
  };
  Value value;
  SourceRange range;        ///< the place of the assignment, for messages that show both places
  bool isConstexpr = false; ///< declared `: tl.constexpr`, or the index of a repeated loop
  State state = State::Defined;
};

using Locals = llvm::StringMap<Variable>;

/// A tt.func made for one combination of argument types and constants.
struct Specialization {
  mlir::Operation *function = nullptr; ///< the tt.func
  bool isComplete = false;             ///< false while its body is being lowered: a call is then a recursion
  bool hasFailed = false;              ///< with an observer: an error left it without a result
  Value result;                        ///< its constants, and the types of its runtime parts (values of the tt.func)
};

/// The function whose body is being lowered.
struct FunctionFrame {
  const Function *function = nullptr;
  FunctionFrame *caller = nullptr;
  SourceRange callRange; ///< in the caller
  Locals locals;
  Exits exits = {};
  LoopFrame *loop = nullptr;        ///< innermost
  llvm::StringRef constructed = {}; ///< in the `__init__` of an aggregate: the parameter whose fields it sets
  bool keepsConstants = false;      ///< a plain assignment of a number leaves it a constant
};

/// Thrown by an expression that reads an unknown name. Only lowerings with an observer have such names.
struct UnknownNameRead {};

class Lowering {
public:
  Lowering(mlir::MLIRContext &context, const LoweringOptions &options);

  mlir::MLIRContext &context;
  const LoweringOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  FunctionFrame *frame = nullptr; ///< innermost
  bool isGluon = false;           ///< every block has a layout
  unsigned numWarps;              ///< of the program, or of the partition of warps that is lowered
  ObjectRef layoutReader;         ///< in Gluon: makes a layout of an encoding's text

  /// The construct being lowered: what `error(message)` points at and what `location()` describes.
  SourceRange range;

  mlir::Location location();
  mlir::Location location(SourceRange at);

  /// Creates an operation at the current place with the current location.
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder, location(), std::forward<Args>(args)...);
  }
  /// The same, folded when its operands are constant.
  template <typename Op, typename... Args> mlir::Value createOrFold(Args &&...args) {
    return builder.createOrFold<Op>(location(), std::forward<Args>(args)...);
  }

  /// The IR type of elements and of tensors. An 8-bit float that the target does not support is an error.
  mlir::Type irType(const ElementType &element);
  mlir::Type irType(const TensorType &type);

  /// Leaves the lowering with a diagnostic at `at`, or at the construct that is being lowered. Adds the chain of kernel
  /// calls that leads to this place.
  template <typename... Args>
  [[noreturn]] void error(SourceRange at, const DiagnosticKind<void(Args...)> &kind,
                          const std::type_identity_t<Args> &...args) {
    raise(diagnose(at, kind, args...));
  }
  template <typename... Args>
  [[noreturn]] void error(const DiagnosticKind<void(Args...)> &kind, const std::type_identity_t<Args> &...args) {
    raise(diagnose(range, kind, args...));
  }
  /// For an error with notes: `raise(std::move(diagnose(at, kind, ...).note(otherKind, source(), otherPlace, ...)))`.
  template <typename... Args>
  Diagnostic diagnose(SourceRange at, const DiagnosticKind<void(Args...)> &kind,
                      const std::type_identity_t<Args> &...args) {
    return makeDiagnostic(kind, source(), at, args...);
  }
  [[noreturn]] void raise(Diagnostic diagnostic);
  /// Reports something that does not stop the compilation.
  template <typename... Args>
  void warn(SourceRange at, const DiagnosticKind<void(Args...)> &kind, const std::type_identity_t<Args> &...args) {
    report(diagnose(at, kind, args...));
  }
  void report(const Diagnostic &warning);
  /// Calls the observer, if there is one.
  void observe(SourceRange at, const Value &value) {
    if (options.observer)
      options.observer->onValue(source(), at, value);
  }
  /// Prints a line of `tl.static_print`.
  void print(const std::string &text);

  /// The text to which ranges in the current function refer.
  const Source &source() const;

  llvm::StringMap<Specialization> specializations; ///< by what lowerFunctionCall makes of callee and arguments
  llvm::StringMap<unsigned> functionNames;         ///< symbols given away, to keep them unique
  /// What the kernel states of values that unfinished loops carry, see StatedFacts.h.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<llvm::StringRef, mlir::DenseIntElementsAttr>>> carriedFacts;
  unsigned depth = 0;       ///< of nested expressions, statements and calls
  uint64_t repetitions = 0; ///< of loop bodies at compile time
  unsigned callDepth = 0;   ///< of nested calls of jit functions
  unsigned leftOut = 0;     ///< statements with an error, of a lowering with an observer

private:
  void checkFloat8(ScalarType type);

  llvm::DenseMap<const Source *, mlir::StringAttr> fileNames;
  /// The result of the last location(), which most operations share.
  std::optional<mlir::Location> lastLocation;
  const Source *lastSource = nullptr;
  SourceRange lastRange;
};

/// Sets Lowering::range while the object lives.
class RangeScope {
public:
  RangeScope(Lowering &lowering, SourceRange range) : lowering(lowering), saved(lowering.range) {
    lowering.range = range;
  }
  ~RangeScope() { lowering.range = saved; }
  RangeScope(const RangeScope &) = delete;
  RangeScope &operator=(const RangeScope &) = delete;

private:
  Lowering &lowering;
  SourceRange saved;
};

/// Counts nesting, and reports source that is nested deeper than the compiler's stack allows.
class DepthScope {
public:
  /// Chosen so that the deepest nesting fits a thread's usual stack of 8 MiB, sanitizers included.
  static constexpr unsigned maximumDepth = 1500;

  explicit DepthScope(Lowering &lowering);
  ~DepthScope() { --lowering.depth; }
  DepthScope(const DepthScope &) = delete;
  DepthScope &operator=(const DepthScope &) = delete;

private:
  Lowering &lowering;
};

/// Lowers an expression; a value of any kind.
Value lowerExpression(Lowering &lowering, const ast::Expression &expression);

/// Calls anything callable: a jit function (specialized; emits tt.call), a builtin, a bound method, a host function, a
/// dtype, a namedtuple class.
Value lowerCall(Lowering &lowering, const Value &callee, llvm::ArrayRef<Argument> arguments, SourceRange callRange);

} // namespace triton::frontend
