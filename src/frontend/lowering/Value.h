// What an expression of a kernel denotes while it is lowered: a compile-time object, SSA values with the type that the
// user sees, or a composition of these.
#pragma once

#include "base/ElementType.h"
#include "frontend/Object.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace triton::frontend {

using namespace base;

class Value;

/// The type of a runtime value: elements (with signedness, which the IR lacks) and shape; rank 0 is a scalar.
struct TensorType {
  ElementType element;
  llvm::SmallVector<int64_t, 4> shape;
  mlir::Attribute layout; ///< of a block in Gluon: its encoding; else null

  TensorType() = default;
  TensorType(ElementType element, llvm::ArrayRef<int64_t> shape = {}, mlir::Attribute layout = {})
      : element(element), shape(shape), layout(layout) {}
  TensorType(ScalarType scalar, llvm::ArrayRef<int64_t> shape = {}) : element{scalar, 0, false}, shape(shape) {}

  bool isScalar() const { return shape.empty(); }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elementCount() const;
  TensorType withElement(ElementType other) const { return {other, shape, layout}; }
  /// Without a layout, which inferType finds (Semantics.h).
  TensorType withShape(llvm::ArrayRef<int64_t> other) const { return {element, other}; }
  bool operator==(const TensorType &) const = default;
  /// As the user writes it: "fp32", "int32[16, 32]", "pointer<fp32>[16]". A layout follows as IR has it.
  std::string str() const;
};

/// A runtime scalar or block.
struct Tensor {
  mlir::Value value;
  TensorType type;
};

/// The result of `tl.make_block_ptr` or `tl.advance`; `value` is a `!tt.ptr<tensor<...>>`.
struct BlockPointer {
  mlir::Value value;
  TensorType type; ///< element type and shape of the block that a load returns
};

/// The result of `tl.make_tensor_descriptor`; `value` is a `!tt.tensordesc<...>`, in Gluon the map of an array.
struct TensorDescriptor {
  mlir::Value value;
  TensorType type;  ///< of one block; in Gluon its layout is that of buffers
  mlir::Value base; ///< in Gluon the array's address, else null
  llvm::SmallVector<Tensor, 5> shape;
  llvm::SmallVector<Tensor, 5> strides;
};

/// A buffer in shared or tensor memory or a view of one, in Gluon; `value` is a `!ttg.memdesc<...>`.
struct SharedBuffer {
  mlir::Value value;
  TensorType type; ///< whose layout is the encoding of the buffer

  bool isInTensorMemory() const;
};

/// A tuple, list, namedtuple or aggregate of any values. Constant tuples of scopes are converted to this form on entry.
struct TupleValue {
  std::vector<Value> elements;
  std::string typeName;                                           ///< namedtuple class, empty where that is not known
  std::vector<std::string> fieldNames;                            ///< of a namedtuple or an aggregate, else empty
  std::shared_ptr<const AggregateClass> aggregateClass = nullptr; ///< of an aggregate

  /// The element of that field; null when there is none.
  const Value *field(llvm::StringRef name) const;
};

/// `x.sum`: a builtin or a jit function whose first argument is `self`.
struct BoundMethod {
  std::shared_ptr<const Value> self;
  std::string name;
  ObjectRef callee;
};

/// What `for` iterates: `range`, `tl.range` or `tl.static_range` with its hints.
struct RangeValue;

/// `tl.condition(test, disable_licm)`: the test of a `while`.
struct LoopCondition {
  std::shared_ptr<const Value> test;
  bool disableLicm = false;
};

class Value {
public:
  /// `None`.
  Value();
  Value(ObjectRef constant);
  Value(Tensor tensor) : storage(std::move(tensor)) {}
  Value(BlockPointer pointer) : storage(std::move(pointer)) {}
  Value(SharedBuffer buffer) : storage(std::make_shared<const SharedBuffer>(std::move(buffer))) {}
  Value(TensorDescriptor descriptor) : storage(std::make_shared<const TensorDescriptor>(std::move(descriptor))) {}
  Value(TupleValue tuple);
  Value(BoundMethod method) : storage(std::make_shared<const BoundMethod>(std::move(method))) {}
  Value(RangeValue range);
  Value(LoopCondition condition) : storage(std::move(condition)) {}

  static Value integer(int64_t value) { return Value(makeInteger(value)); }
  static Value boolean(bool value) { return Value(makeObject(value)); }
  static Value string(std::string value) { return Value(makeObject(std::move(value))); }

  /// Each accessor returns null when the value is of another kind.
  const Tensor *tensor() const { return std::get_if<Tensor>(&storage); }
  const BlockPointer *blockPointer() const { return std::get_if<BlockPointer>(&storage); }
  const SharedBuffer *buffer() const { return shared<SharedBuffer>(); }
  const TensorDescriptor *descriptor() const { return shared<TensorDescriptor>(); }
  /// Tuples and aggregates. Loops, branches and calls carry both in the same way.
  const TupleValue *composite() const { return shared<TupleValue>(); }
  const TupleValue *tuple() const { return composite() && !composite()->aggregateClass ? composite() : nullptr; }
  const TupleValue *aggregate() const { return composite() && composite()->aggregateClass ? composite() : nullptr; }
  const BoundMethod *method() const { return shared<BoundMethod>(); }
  const RangeValue *range() const { return shared<RangeValue>(); }
  const LoopCondition *condition() const { return std::get_if<LoopCondition>(&storage); }
  const Object *constant() const {
    const ObjectRef *object = std::get_if<ObjectRef>(&storage);
    return object ? object->get() : nullptr;
  }
  ObjectRef constantRef() const {
    const ObjectRef *object = std::get_if<ObjectRef>(&storage);
    return object ? *object : nullptr;
  }
  /// `value.as<llvm::APSInt>()`: the payload of a constant of that kind, else null.
  template <typename T> const T *as() const {
    const Object *object = constant();
    return object ? object->get<T>() : nullptr;
  }

  bool isNone() const { return as<NoneType>() != nullptr; }
  /// A constant that is a number: bool, int or float.
  bool isNumber() const { return as<bool>() || as<llvm::APSInt>() || as<double>(); }
  /// The value of a constant int or bool that fits 64 bits.
  std::optional<int64_t> asInt64() const;
  /// Whether no part of it exists only at run time (for tuples: no part of any element).
  bool isCompileTime() const;
  /// The compile-time object, tuples converted; null when a part exists only at run time.
  ObjectRef toObject() const;

  /// The words for messages: "int32[16]", "the constant 3", "a tuple of 2 elements", "the function `f`".
  std::string describe() const;

private:
  template <typename T> const T *shared() const {
    const auto *pointer = std::get_if<std::shared_ptr<const T>>(&storage);
    return pointer ? pointer->get() : nullptr;
  }

  /// The larger kinds are shared, so that values are cheap to copy.
  std::variant<ObjectRef, Tensor, BlockPointer, std::shared_ptr<const SharedBuffer>,
               std::shared_ptr<const TensorDescriptor>, std::shared_ptr<const TupleValue>,
               std::shared_ptr<const BoundMethod>, std::shared_ptr<const RangeValue>, LoopCondition>
      storage;
};

struct RangeValue {
  Value lower, upper, step;
  bool isStatic = false; ///< unrolled here, the index being a constant
  std::optional<int64_t> numStages, loopUnrollFactor;
  bool disallowAccMultiBuffer = false, flatten = false, warpSpecialize = false, disableLicm = false;
};

/// Whether objects of `type` are objects of `base`.
bool isSubclass(const AggregateClass &type, const AggregateClass &base);

/// Whether two compile-time objects are equal as Python's `==` on values of the same type; functions by identity.
bool sameObject(const Object &a, const Object &b);
/// What the type of a block or a buffer of Gluon calls the name of its class.
constexpr llvm::StringLiteral typeClassAttribute = "_class";

/// Appends the SSA values in `value`, in a fixed order. Loops, branches and calls carry values by this and by
/// `rebuild`.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &parts);
/// A value like `like` whose SSA values are the first of `parts`. Removes these from `parts`.
Value rebuild(const Value &like, llvm::ArrayRef<mlir::Value> &parts);
/// Whether two values have the same kind, types and constants, so that one can stand where the other did.
bool sameType(const Value &a, const Value &b);

} // namespace triton::frontend
