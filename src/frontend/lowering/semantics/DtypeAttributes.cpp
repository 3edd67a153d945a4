#include "frontend/lowering/semantics/DtypeAttributes.h"

#include "gpu/ir/TensorMemoryPlaces.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <mutex>
#include <stdexcept>

namespace triton::frontend {
namespace {

/// A method without parameters whose result is already known.
ObjectRef constantMethod(llvm::StringRef name, const ObjectRef &result) {
  auto function = std::make_shared<HostFunction>();
  function->name = name.str();
  function->call = [result, name = name.str()](const std::vector<ObjectRef> &arguments,
                                               const std::map<std::string, ObjectRef> &keywords) {
    if (!arguments.empty() || !keywords.empty())
      throw std::runtime_error("`" + name + "` takes no arguments");
    return result;
  };
  return makeObject(std::shared_ptr<const HostFunction>(std::move(function)));
}

ObjectRef boolean(bool value) { return makeObject(value); }

/// The answer of the predicate `is_<question>()`; none when there is no such predicate.
std::optional<bool> predicate(const ElementType &type, llvm::StringRef question) {
  bool isScalar = !type.isPointer();
  ScalarType scalar = type.scalar;
  if (question == "ptr")
    return !isScalar;
  if (question == "const")
    return !isScalar && type.isConst;
  if (question == "block")
    return false;
  if (question == "fp8")
    return isScalar && isFloat8(scalar);
  if (question == "floating")
    return isScalar && isFloat(scalar);
  if (question == "standard_floating")
    return isScalar && isFloat(scalar) && !isFloat8(scalar);
  if (question == "int")
    return isScalar && isInteger(scalar);
  if (question == "int_signed")
    return isScalar && kind(scalar) == ScalarKind::Signed;
  if (question == "int_unsigned")
    return isScalar && isUnsigned(scalar);
  if (question == "bool")
    return isScalar && scalar == ScalarType::Int1;
  // `is_fp16`, `is_int32`, `is_uint8`, `is_fp8e5`: the names of the types themselves.
  for (unsigned i = 0; i <= unsigned(ScalarType::Float64); ++i) {
    auto candidate = ScalarType(i);
    std::string_view name = isFloat(candidate) ? shortName(candidate) : longName(candidate);
    if (question == llvm::StringRef(name.data(), name.size()))
      return isScalar && scalar == candidate;
  }
  return std::nullopt;
}

/// The order in which promotion ranks kinds.
int64_t kindNumber(ScalarType type) { return isFloat(type) ? 2 : kind(type) == ScalarKind::Boolean ? 0 : 1; }

std::string nameOf(const ElementType &type) {
  if (type.isPointer())
    return (type.isConst ? "const_pointer<" : "pointer<") + nameOf(type.pointee()) + ">";
  return std::string(isFloat(type.scalar) ? shortName(type.scalar) : longName(type.scalar));
}

ObjectRef integerAttribute(ScalarType type, llvm::StringRef name) {
  if (name == "int_bitwidth")
    return makeInteger(bitWidth(type));
  if (name == "int_signedness")
    return makeInteger(isUnsigned(type) ? 1 : 0);
  bool isSigned = kind(type) == ScalarKind::Signed;
  if (name == "get_int_max_value")
    return constantMethod(name, makeObject(llvm::APSInt::getMaxValue(bitWidth(type), !isSigned)));
  if (name == "get_int_min_value")
    return constantMethod(name, makeObject(llvm::APSInt::getMinValue(bitWidth(type), !isSigned)));
  return nullptr;
}

} // namespace

ObjectRef dtypeAttribute(const ElementType &type, llvm::StringRef name) {
  unsigned width = type.isPointer() ? 64 : bitWidth(type.scalar);
  if (name == "element_ty")
    return type.isPointer() ? makeObject(type.pointee()) : nullptr;
  if (name == "scalar")
    return makeObject(type);
  if (name == "name")
    return makeObject(nameOf(type));
  if (name == "primitive_bitwidth")
    return makeInteger(width);
  if (name == "itemsize")
    return makeInteger(width / 8);
  if (name == "address_space" && type.isPointer())
    return makeInteger(1);
  if (name.consume_front("is_"))
    if (std::optional<bool> answer = predicate(type, name))
      return constantMethod("is_" + name.str(), boolean(*answer));
  if (type.isPointer())
    return nullptr;
  if (name == "kind")
    return constantMethod(name, makeInteger(kindNumber(type.scalar)));
  if (isInteger(type.scalar))
    return integerAttribute(type.scalar, name);
  if (name == "fp_mantissa_width")
    return makeInteger(mantissaWidth(type.scalar));
  if (name == "exponent_bias")
    return makeInteger(exponentBias(type.scalar));
  return nullptr;
}

/// Makes one object for each name, because kernels compare types, and modules compare by identity.
static ObjectRef namedType(std::string name, std::function<ObjectRef(llvm::StringRef)> attribute) {
  static std::mutex mutex;
  static llvm::StringMap<ObjectRef> objects;
  std::lock_guard lock(mutex);
  ObjectRef &object = objects[name];
  if (object)
    return object;
  auto module = std::make_shared<Module>();
  module->name = std::move(name);
  module->attribute = [attribute = std::move(attribute)](std::string_view text) -> ObjectRef {
    return attribute(llvm::StringRef(text.data(), text.size()));
  };
  object = makeObject(std::shared_ptr<const Module>(std::move(module)));
  return object;
}

/// The class of Gluon that a type is of.
static std::string className(mlir::Attribute layout) {
  if (ttg::isTensorMemoryEncoding(layout))
    return "tensor_memory_descriptor_type";
  return mlir::isa<ttg::SharedEncodingInterface>(layout) ? "shared_memory_descriptor_type" : "distributed_type";
}

ObjectRef typeObject(const TensorType &type, const ObjectRef &layout) {
  if (type.isScalar())
    return makeObject(type.element);
  return namedType(type.str(), [type, layout](llvm::StringRef name) -> ObjectRef {
    if (name == "layout")
      return layout;
    if (name == typeClassAttribute)
      return layout ? makeObject(className(type.layout)) : nullptr;
    if (name == "element_ty" || name == "scalar")
      return makeObject(type.element);
    if (name == "is_block")
      return constantMethod(name, boolean(true));
    if (name == "numel")
      return makeInteger(type.elementCount());
    if (name == "shape") {
      Tuple shape;
      for (int64_t size : type.shape)
        shape.elements.push_back(makeInteger(size));
      return makeObject(std::move(shape));
    }
    return dtypeAttribute(type.element, name);
  });
}

ObjectRef blockPointerTypeObject(const TensorType &block) {
  return namedType("pointer<" + block.str() + ">", [block](llvm::StringRef name) -> ObjectRef {
    if (name == "element_ty")
      return typeObject(block);
    return dtypeAttribute({block.element.scalar, uint8_t(block.element.pointerDepth + 1), false}, name);
  });
}

} // namespace triton::frontend
