// Compile-time objects: what a name in a kernel can denote before any code runs (numbers, strings, dtypes, functions,
// modules, tuples), and the interface through which names outside a kernel resolve. Free of MLIR and of Python: the
// lowering, the module loader (ModuleLoader.h) and the Python binding share it.
#pragma once

#include "base/ElementType.h"
#include "base/Source.h"
#include "frontend/Definition.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "llvm/ADT/APSInt.h"

namespace triton::frontend {

using namespace base;

struct AggregateClass;
struct Builtin;
struct Object;
class Scope;
using ObjectRef = std::shared_ptr<const Object>;

/// A `@triton.jit` function: its text, and where its free names come from. Its address is its identity, so that two
/// loads of one file give two functions.
struct Function {
  std::string name;                     ///< last component
  std::string qualifiedName;            ///< as Python's __qualname__
  std::shared_ptr<const Source> source; ///< the buffer with its file name and first line number
  Definition definition;                ///< owned by source
  SourceRange place;                    ///< of the definition from `def` on, known before it is parsed
  std::shared_ptr<Scope> scope;         ///< globals and closure cells
  bool noInline = false;
  bool isGluon = false;   ///< `@gluon.jit`: a kernel whose blocks have layouts that the user chose
  ObjectRef layoutReader; ///< in Gluon: the function that makes a layout of an encoding's text
  /// Defaults that the resolver (Python) already evaluated, by parameter name. Other defaults are evaluated from the
  /// AST.
  std::map<std::string, ObjectRef> defaults;
};

/// A function of the host that runs at compile time (`triton.constexpr_function`, `math.*`): arguments and result are
/// compile-time objects. Throws std::runtime_error with the host's message.
struct HostFunction {
  std::string name;
  std::string fingerprint; ///< changes with what the function computes; part of cache keys
  /// Run-time values may be passed, as RuntimeValue objects, whose types the function sees and which it may return,
  /// or an ExternCall with them.
  bool passesValues = false;
  bool seesHolders = false; ///< a dtype in a `tl.constexpr` reaches it as such
  std::function<ObjectRef(const std::vector<ObjectRef> &, const std::map<std::string, ObjectRef> &)> call;
  /// Of a part of the language that does not exist yet, for which there is no `call`: the machines that it is for.
  std::optional<std::string> missingFor = {};
  std::string successor = {}; ///< of a function that the language had once; else empty
};

/// A value that only the host's language knows, such as a member of an enum or an object of a dataclass. Kernels pass
/// it on, compare it, ask for its attributes and, at compile time, call it.
struct HostObject {
  std::string description; ///< for messages: "a Mode"
  std::string text;        ///< as the host prints it
  std::string fingerprint; ///< differs between unequal values, also of other processes; part of cache keys
  bool truth = true;
  /// Null when the attribute does not exist.
  std::function<ObjectRef(std::string_view)> attribute;
  std::function<bool(const HostObject &)> equals;
  std::function<bool(const HostObject &)> isInstanceOf; ///< of the class that the other one is
  std::shared_ptr<const HostFunction> call;             ///< null when it cannot be called
  std::shared_ptr<void> host;
};

/// Something with attributes: `triton.language`, an imported sibling module, an enum class of the language.
struct Module {
  std::string name; ///< "triton.language", "triton.language.math", "triton", or the user's
  /// Null when the attribute does not exist.
  std::function<ObjectRef(std::string_view)> attribute;
};

struct Tuple {
  std::vector<ObjectRef> elements;
  std::string typeName;                            ///< namedtuple class, else empty
  std::vector<std::string> fieldNames;             ///< of a namedtuple or an aggregate, else empty
  std::shared_ptr<const AggregateClass> aggregate; ///< the class of an aggregate, else null
};

/// A class made by `triton.aggregate`. Its address is its identity.
struct AggregateClass {
  struct Field {
    std::string name;
    ObjectRef defaultValue; ///< null when there is none
  };
  std::string name;
  std::vector<Field> fields;                 ///< inherited ones first
  std::vector<const AggregateClass *> bases; ///< all that it derives from
  /// What the annotation of a field denotes; null when it is not known.
  std::function<ObjectRef(size_t field)> fieldType;
  std::vector<std::string> memberNames; ///< of methods and constants; `__init__` when the user wrote one
  /// Null when there is no member of that name.
  std::function<ObjectRef(std::string_view)> member;
  std::vector<std::string> staticMembers; ///< methods that do not take the object
  bool initializesAsPython = false;       ///< `__init__` is not a kernel function, so that numbers stay constants in it
  std::shared_ptr<void> host;             ///< the class in the loader's language, such as Python's
};

struct NamedTupleClass {
  std::string name;
  std::vector<std::string> fieldNames;
};

struct NoneType {
  bool operator==(const NoneType &) const = default;
};

/// `NotImplemented`: an operator's method returns it to let the other operand's method be tried.
struct NotImplementedType {};

/// A name that exists but that a kernel may not use, such as a global list or a non-constexpr global.
struct Unsupported {
  std::string description; ///< of the value, for the message: "a list", "an int that is not a tl.constexpr"
  bool isUnknown = false;  ///< only Python knows the value, which kernels may be able to use
};

/// A value that exists at run time, for a host function that is called with it: its type. Or a dtype that a
/// `tl.constexpr` holds.
struct RuntimeValue {
  enum class Kind { Tensor, Descriptor, HeldDtype, Other };
  unsigned number = 0; ///< its place among the values of the call
  Kind kind = Kind::Other;
  ElementType element = {};        ///< of a tensor, or of the blocks that a descriptor moves; the dtype
  std::vector<int64_t> shape = {}; ///< of that
};

/// A call of a library's function on values of the kernel, which a host function describes as its result.
struct ExternCall {
  struct Operand {
    ObjectRef value; ///< a constant, or a RuntimeValue
    ElementType type;
  };
  std::string symbol;
  std::vector<Operand> operands;
  ElementType result;
  bool isPure = false; ///< it neither reads nor writes memory
};

struct Object {
  using Storage =
      std::variant<NoneType, bool, llvm::APSInt, double, std::string, ElementType, Tuple,
                   std::shared_ptr<const Function>, const Builtin *, std::shared_ptr<const HostFunction>,
                   std::shared_ptr<const Module>, NamedTupleClass, Unsupported, std::shared_ptr<const AggregateClass>,
                   NotImplementedType, RuntimeValue, ExternCall, std::shared_ptr<const HostObject>>;
  Storage storage;

  template <typename T> const T *get() const { return std::get_if<T>(&storage); }
  template <typename T> bool is() const { return std::holds_alternative<T>(storage); }
};

template <typename T> ObjectRef makeObject(T value) {
  return std::make_shared<const Object>(Object{Object::Storage(std::move(value))});
}
/// Integers are of any width, as in Python; `value` is sign-extended as needed.
ObjectRef makeInteger(int64_t value);
ObjectRef makeNone();

/// Resolves the free names of a function. Implementations: Python globals and closures (python/bindings), a parsed
/// module (ModuleLoader.h).
class Scope {
public:
  virtual ~Scope() = default;
  /// Null when the name is not defined. `Unsupported` when it is defined but kernels may not use it.
  virtual ObjectRef lookup(std::string_view name) = 0;
  /// The value of an expression over the names, such as a layout; null where it is not known.
  virtual ObjectRef evaluate(std::string_view) { return nullptr; }
  /// Whether the name's value is a `tl.constexpr`, which `lookup` unwraps.
  virtual bool holdsConstexpr(std::string_view) { return false; }
};

/// Whether kernels may use globals that are not constexpr: the variable TRITON_ALLOW_NON_CONSTEXPR_GLOBALS decides.
bool allowsNonConstexprGlobals();

/// Python's repr for messages and cache keys: `3`, `'abc'`, `triton.language.float32`, `(1, None)`.
std::string repr(const Object &object);

} // namespace triton::frontend
