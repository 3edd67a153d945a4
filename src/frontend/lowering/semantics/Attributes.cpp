#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/builtins/Builtin.h"
#include "frontend/lowering/builtins/Prelude.h"
#include "frontend/lowering/semantics/DtypeAttributes.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "gpu/ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend {
namespace {

Value shapeValue(llvm::ArrayRef<int64_t> shape) {
  TupleValue result;
  for (int64_t size : shape)
    result.elements.push_back(Value::integer(size));
  return result;
}

Value tensorsValue(llvm::ArrayRef<Tensor> tensors) {
  TupleValue result;
  for (const Tensor &tensor : tensors)
    result.elements.push_back(Value(tensor));
  return result;
}

/// A builtin, or a function of the prelude, that takes the value as its first argument.
std::optional<Value> methodOf(const Value &value, llvm::StringRef name) {
  ObjectRef callee;
  BuiltinFlags owner = value.descriptor()                   ? DescriptorMethod
                       : value.blockPointer()               ? BlockPointerMethod
                       : !value.buffer()                    ? TensorMethod
                       : value.buffer()->isInTensorMemory() ? MatrixMethod
                                                            : BufferMethod;
  if (const Builtin *builtin = findMethod(name, owner))
    callee = makeObject(builtin);
  else if (value.tensor())
    callee = preludeMethod(name);
  if (!callee)
    return std::nullopt;
  return BoundMethod{std::make_shared<const Value>(value), name.str(), callee};
}

Tensor transpose(Lowering &lowering, const Tensor &tensor) {
  if (tensor.type.rank() != 2)
    lowering.error(diagnostics::TransposeRank, std::string("T"), tensor.type.str());
  return permute(lowering, tensor, {1, 0});
}

/// The layout and the type of a block or a buffer in Gluon, which show it.
std::optional<Value> layoutAttribute(Lowering &lowering, const TensorType &type, llvm::StringRef name) {
  if (!type.layout || (name != "layout" && name != "type"))
    return std::nullopt;
  ObjectRef layout = layoutObject(lowering, type.layout);
  return Value(name == "layout" ? layout : typeObject(type, layout));
}

/// What tensors, block pointers and descriptors have in common.
std::optional<Value> typeAttribute(const TensorType &type, llvm::StringRef name) {
  if (name == "dtype")
    return Value(makeObject(type.element));
  if (name == "type")
    return Value(typeObject(type));
  if (name == "shape")
    return shapeValue(type.shape);
  if (name == "numel")
    return Value::integer(type.elementCount());
  return std::nullopt;
}

/// Of the part of one block.
Value bytesOf(const TensorType &type) {
  int64_t elements = type.elementCount();
  if (auto shared = mlir::dyn_cast_or_null<ttg::SharedEncodingInterface>(type.layout)) {
    llvm::ArrayRef<int32_t> bases = shared.getBlockBases();
    for (std::size_t i = 0; i < bases.size(); i += shared.getRank())
      elements /= llvm::all_of(bases.slice(i, shared.getRank()), [](int32_t part) { return part == 0; }) ? 1 : 2;
  }
  return Value::integer(elements * (type.element.isPointer() ? 8 : bitWidth(type.element.scalar) / 8));
}

std::optional<Value> descriptorAttribute(const TensorDescriptor &descriptor, llvm::StringRef name) {
  if (name == "shape")
    return tensorsValue(descriptor.shape);
  if (name == "strides")
    return tensorsValue(descriptor.strides);
  if (name == "block_shape")
    return shapeValue(descriptor.type.shape);
  if (name == "block_type")
    return Value(typeObject(descriptor.type));
  if (name == "nbytes_per_cta" && descriptor.type.layout)
    return bytesOf(descriptor.type);
  return typeAttribute(descriptor.type, name);
}

/// A block pointer presents itself as a pointer to its elements, except that its `.type` points to the block.
std::optional<Value> blockPointerAttribute(const BlockPointer &pointer, llvm::StringRef name) {
  if (name == "type")
    return Value(blockPointerTypeObject(pointer.type));
  const ElementType &element = pointer.type.element;
  ElementType pointerType{element.scalar, uint8_t(element.pointerDepth + 1), false};
  return typeAttribute(pointer.type.withElement(pointerType), name);
}

std::optional<Value> bufferAttribute(const TensorType &type, llvm::StringRef name) {
  if (name == "rank")
    return Value::integer(type.rank());
  if (name == "nbytes_per_cta")
    return bytesOf(type);
  return typeAttribute(type, name);
}

bool isNone(const ast::Expression &expression) {
  auto *constant = llvm::dyn_cast<ast::Constant>(&expression);
  return constant && constant->constantKind == ast::ConstantKind::None;
}

bool isFullSlice(const ast::Expression &expression) {
  auto *slice = llvm::dyn_cast<ast::Slice>(&expression);
  return slice && !slice->lower && !slice->upper && !slice->step;
}

} // namespace

Value subscript(Lowering &lowering, const Tensor &tensor, const ast::Expression &index) {
  auto *tuple = llvm::dyn_cast<ast::Tuple>(&index);
  const ast::Expression *single = &index;
  ast::Expressions entries = tuple ? tuple->elements : ast::Expressions(single);
  Tensor result = tensor;
  unsigned axis = 0;
  int64_t kept = 0;
  for (const ast::Expression *entry : entries) {
    if (isFullSlice(*entry)) {
      if (tensor.type.isScalar()) // which has no dimension to keep, as in `scalar[:, None]`
        continue;
      if (++kept > tensor.type.rank())
        lowering.error(entry->range, diagnostics::TooManyIndices, tensor.type.str(), int(kept));
    } else if (isNone(*entry) || (!llvm::isa<ast::Slice>(entry) && lowerExpression(lowering, *entry).isNone())) {
      result = expandDims(lowering, result, axis);
    } else {
      lowering.error(entry->range, diagnostics::UnsupportedIndex, tensor.type.str());
    }
    ++axis;
  }
  return result;
}

std::optional<Value> attribute(Lowering &lowering, const Value &value, llvm::StringRef name) {
  std::optional<Value> result;
  if (const Tensor *tensor = value.tensor()) {
    if (name == "T")
      return transpose(lowering, *tensor);
    result = layoutAttribute(lowering, tensor->type, name);
    if (!result)
      result = typeAttribute(tensor->type, name);
  } else if (const SharedBuffer *buffer = value.buffer()) {
    result = layoutAttribute(lowering, buffer->type, name);
    if (!result)
      result = bufferAttribute(buffer->type, name);
  } else if (const BlockPointer *pointer = value.blockPointer()) {
    result = blockPointerAttribute(*pointer, name);
  } else if (const TensorDescriptor *descriptor = value.descriptor()) {
    result = name == "layout" ? layoutAttribute(lowering, descriptor->type, name) : std::nullopt;
    if (!result)
      result = descriptorAttribute(*descriptor, name);
  } else if (const ElementType *type = value.as<ElementType>()) {
    if (ObjectRef object = dtypeAttribute(*type, name))
      return Value(object);
    return std::nullopt;
  } else {
    return std::nullopt;
  }
  return result ? result : methodOf(value, name);
}

} // namespace triton::frontend
