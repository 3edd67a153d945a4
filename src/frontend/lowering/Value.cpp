#include "frontend/lowering/Value.h"

#include "gpu/ir/ForeignDialects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::frontend {

using llvm::APSInt;

int64_t TensorType::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

static std::string elementName(const ElementType &element) {
  if (element.isPointer())
    return (element.isConst ? "const_pointer<" : "pointer<") + elementName(element.pointee()) + ">";
  return std::string(isFloat(element.scalar) ? shortName(element.scalar) : longName(element.scalar));
}

std::string TensorType::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << elementName(element);
  if (!shape.empty()) {
    out << '[';
    llvm::interleaveComma(shape, out);
    out << ']';
  }
  if (layout)
    out << " with the layout " << layout;
  return text;
}

/// Constant tuples become tuples of constants, so that tuples have only one form.
static Value fromObject(ObjectRef object) {
  const auto *tuple = object->get<Tuple>();
  if (!tuple)
    return Value(std::move(object));
  TupleValue result{{}, tuple->typeName, tuple->fieldNames, tuple->aggregate};
  for (const ObjectRef &element : tuple->elements)
    result.elements.push_back(Value(element));
  return Value(std::move(result));
}

const Value *TupleValue::field(llvm::StringRef name) const {
  auto found = llvm::find(fieldNames, name);
  return found == fieldNames.end() ? nullptr : &elements[found - fieldNames.begin()];
}

Value::Value() : storage(makeNone()) {}
Value::Value(ObjectRef constant) : storage(constant) {
  if (constant->is<Tuple>())
    *this = fromObject(std::move(constant));
}
Value::Value(TupleValue tuple) : storage(std::make_shared<const TupleValue>(std::move(tuple))) {}
Value::Value(RangeValue range) : storage(std::make_shared<const RangeValue>(std::move(range))) {}

std::optional<int64_t> Value::asInt64() const {
  if (const bool *flag = as<bool>())
    return *flag ? 1 : 0;
  const APSInt *integer = as<APSInt>();
  if (!integer)
    return std::nullopt;
  return integer->tryExtValue();
}

bool Value::isCompileTime() const {
  if (const TupleValue *elements = composite())
    return llvm::all_of(elements->elements, [](const Value &element) { return element.isCompileTime(); });
  return constant() != nullptr;
}

ObjectRef Value::toObject() const {
  const TupleValue *elements = composite();
  if (!elements)
    return constantRef();
  Tuple result{{}, elements->typeName, elements->fieldNames, elements->aggregateClass};
  for (const Value &element : elements->elements) {
    ObjectRef object = element.toObject();
    if (!object)
      return nullptr;
    result.elements.push_back(std::move(object));
  }
  return makeObject(std::move(result));
}

static std::string describeObject(const Object &object) {
  if (const auto *function = object.get<std::shared_ptr<const Function>>())
    return "the function `" + (*function)->name + "`";
  if (const auto *module = object.get<std::shared_ptr<const Module>>())
    return "the module `" + (*module)->name + "`";
  if (const auto *type = object.get<ElementType>())
    return "the dtype `" + elementName(*type) + "`";
  if (const auto *unsupported = object.get<Unsupported>())
    return unsupported->description;
  if (object.is<NoneType>())
    return "`None`";
  if (object.is<std::string>())
    return "the string " + repr(object);
  if (object.is<bool>() || object.is<APSInt>() || object.is<double>())
    return "the constant " + repr(object);
  if (const auto *aClass = object.get<NamedTupleClass>())
    return "the class `" + aClass->name + "`";
  if (const auto *function = object.get<std::shared_ptr<const HostFunction>>())
    return "the function `" + (*function)->name + "`";
  if (const auto *type = object.get<std::shared_ptr<const AggregateClass>>())
    return "the class `" + (*type)->name + "`";
  if (object.is<NotImplementedType>())
    return "`NotImplemented`";
  if (const auto *host = object.get<std::shared_ptr<const HostObject>>())
    return (*host)->description;
  return "the builtin `" + repr(object) + "`";
}

bool SharedBuffer::isInTensorMemory() const { return ttg::isInTensorMemory(value.getType()); }

std::string Value::describe() const {
  if (const Tensor *value = tensor())
    return value->type.str();
  if (const BlockPointer *value = blockPointer())
    return "a block pointer to " + value->type.str();
  if (const SharedBuffer *value = buffer())
    return (value->isInTensorMemory() ? "a buffer in tensor memory of " : "a buffer of ") + value->type.str();
  if (const TensorDescriptor *value = descriptor())
    return "a tensor descriptor of " + value->type.str();
  if (const TupleValue *value = composite()) {
    if (!value->typeName.empty())
      return "a `" + value->typeName + "`";
    size_t count = value->elements.size();
    return "a tuple of " + std::to_string(count) + (count == 1 ? " element" : " elements");
  }
  if (const BoundMethod *value = method())
    return "the method `" + value->name + "`";
  if (range())
    return "a range";
  if (condition())
    return "a loop condition";
  return describeObject(*constant());
}

bool isSubclass(const AggregateClass &type, const AggregateClass &base) {
  return &type == &base || llvm::is_contained(type.bases, &base);
}

static bool sameNumber(const Object &a, const Object &b) {
  if (const auto *left = a.get<APSInt>())
    return APSInt::isSameValue(*left, *b.get<APSInt>());
  // Compares bit patterns: for a kernel, 0.0 and -0.0 are different constants, and a NaN equals itself.
  return llvm::bit_cast<uint64_t>(*a.get<double>()) == llvm::bit_cast<uint64_t>(*b.get<double>());
}

/// Whether an object that the host has made is the type of a block in Gluon.
static bool describesType(const HostObject &described, const Module &type) {
  ObjectRef name = type.attribute(typeClassAttribute.str()), ownClass = described.attribute("__class__");
  const auto *host = ownClass ? ownClass->get<std::shared_ptr<const HostObject>>() : nullptr;
  ObjectRef ownName = host ? (*host)->attribute("__name__") : nullptr;
  if (!name || !ownName || !sameObject(*name, *ownName))
    return false;
  for (const char *field : {"element_ty", "shape", "layout"}) {
    ObjectRef left = described.attribute(field), right = type.attribute(field);
    if (!left || !right || !sameObject(*left, *right))
      return false;
  }
  return true;
}

bool sameObject(const Object &a, const Object &b) {
  if (&a == &b)
    return true;
  const auto *host = a.get<std::shared_ptr<const HostObject>>();
  if (const auto *type = b.get<std::shared_ptr<const Module>>(); host && type)
    return describesType(**host, **type);
  if (a.storage.index() != b.storage.index())
    return b.get<std::shared_ptr<const HostObject>>() && a.get<std::shared_ptr<const Module>>() && sameObject(b, a);
  if (a.is<APSInt>() || a.is<double>())
    return sameNumber(a, b);
  if (const auto *left = a.get<Tuple>()) {
    const auto *right = b.get<Tuple>();
    return left->fieldNames == right->fieldNames && left->aggregate == right->aggregate &&
           llvm::equal(left->elements, right->elements,
                       [](const ObjectRef &x, const ObjectRef &y) { return sameObject(*x, *y); });
  }
  if (const bool *left = a.get<bool>())
    return *left == *b.get<bool>();
  if (const auto *left = a.get<std::string>())
    return *left == *b.get<std::string>();
  if (const auto *left = a.get<ElementType>())
    return *left == *b.get<ElementType>();
  if (const auto *left = a.get<std::shared_ptr<const Function>>())
    return *left == *b.get<std::shared_ptr<const Function>>();
  if (const auto *left = a.get<const Builtin *>())
    return *left == *b.get<const Builtin *>();
  if (const auto *left = a.get<std::shared_ptr<const HostFunction>>())
    return *left == *b.get<std::shared_ptr<const HostFunction>>();
  if (const auto *left = a.get<std::shared_ptr<const Module>>())
    return *left == *b.get<std::shared_ptr<const Module>>();
  if (const auto *left = a.get<NamedTupleClass>())
    return left->name == b.get<NamedTupleClass>()->name && left->fieldNames == b.get<NamedTupleClass>()->fieldNames;
  if (const auto *left = a.get<std::shared_ptr<const AggregateClass>>())
    return *left == *b.get<std::shared_ptr<const AggregateClass>>();
  if (const auto *left = a.get<std::shared_ptr<const HostObject>>())
    return (*left)->equals(**b.get<std::shared_ptr<const HostObject>>());
  return a.is<NoneType>() || a.is<NotImplementedType>();
}

void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &parts) {
  if (const Tensor *tensor = value.tensor()) {
    parts.push_back(tensor->value);
  } else if (const BlockPointer *pointer = value.blockPointer()) {
    parts.push_back(pointer->value);
  } else if (const SharedBuffer *buffer = value.buffer()) {
    parts.push_back(buffer->value);
  } else if (const TensorDescriptor *descriptor = value.descriptor()) {
    parts.push_back(descriptor->value);
    if (descriptor->base)
      parts.push_back(descriptor->base);
    for (const Tensor &extent : descriptor->shape)
      parts.push_back(extent.value);
    for (const Tensor &stride : descriptor->strides)
      parts.push_back(stride.value);
  } else if (const TupleValue *tuple = value.composite()) {
    for (const Value &element : tuple->elements)
      flatten(element, parts);
  } else if (const BoundMethod *method = value.method()) {
    flatten(*method->self, parts);
  }
}

Value rebuild(const Value &like, llvm::ArrayRef<mlir::Value> &parts) {
  auto take = [&parts] {
    mlir::Value part = parts.front();
    parts = parts.drop_front();
    return part;
  };
  if (const Tensor *tensor = like.tensor())
    return Tensor{take(), tensor->type};
  if (const BlockPointer *pointer = like.blockPointer())
    return BlockPointer{take(), pointer->type};
  if (const SharedBuffer *buffer = like.buffer())
    return SharedBuffer{take(), buffer->type};
  if (const TensorDescriptor *descriptor = like.descriptor()) {
    TensorDescriptor result = *descriptor;
    result.value = take();
    if (result.base)
      result.base = take();
    for (Tensor &extent : result.shape)
      extent.value = take();
    for (Tensor &stride : result.strides)
      stride.value = take();
    return result;
  }
  if (const TupleValue *tuple = like.composite()) {
    TupleValue result = *tuple;
    for (Value &element : result.elements)
      element = rebuild(element, parts);
    return result;
  }
  if (const BoundMethod *method = like.method()) {
    BoundMethod result = *method;
    result.self = std::make_shared<const Value>(rebuild(*method->self, parts));
    return result;
  }
  return like;
}

bool sameType(const Value &a, const Value &b) {
  if (const Tensor *left = a.tensor())
    return b.tensor() && left->type == b.tensor()->type;
  if (const BlockPointer *left = a.blockPointer())
    return b.blockPointer() && left->type == b.blockPointer()->type;
  if (const SharedBuffer *left = a.buffer())
    return b.buffer() && left->type == b.buffer()->type;
  if (const TensorDescriptor *left = a.descriptor())
    return b.descriptor() && left->type == b.descriptor()->type;
  if (const TupleValue *left = a.composite()) {
    const TupleValue *right = b.composite();
    return right && left->fieldNames == right->fieldNames && left->aggregateClass == right->aggregateClass &&
           llvm::equal(left->elements, right->elements, sameType);
  }
  if (const BoundMethod *left = a.method())
    return b.method() && left->name == b.method()->name && sameType(*left->self, *b.method()->self);
  return a.constant() && b.constant() && sameObject(*a.constant(), *b.constant());
}

} // namespace triton::frontend
