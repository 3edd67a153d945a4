#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"

namespace triton::frontend {
namespace {

llvm::APFloat toFloat(const Number &number, const llvm::fltSemantics &semantics) {
  llvm::APFloat result(0.0);
  if (auto *integer = std::get_if<llvm::APSInt>(&number)) {
    result = llvm::APFloat(semantics);
    result.convertFromAPInt(*integer, integer->isSigned(), llvm::APFloat::rmNearestTiesToEven);
    return result;
  }
  auto *flag = std::get_if<bool>(&number);
  result = llvm::APFloat(flag ? double(*flag) : std::get<double>(number));
  bool losesInfo;
  result.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

llvm::APInt toInteger(const Number &number, ScalarType type) {
  unsigned width = bitWidth(type);
  if (auto *flag = std::get_if<bool>(&number))
    return llvm::APInt(width, *flag);
  if (auto *integer = std::get_if<llvm::APSInt>(&number)) {
    if (type == ScalarType::Int1)
      return llvm::APInt(1, !integer->isZero());
    return integer->extOrTrunc(width);
  }
  double value = std::get<double>(number);
  if (type == ScalarType::Int1)
    return llvm::APInt(1, value != 0);
  llvm::APSInt result(width, kind(type) != ScalarKind::Signed);
  bool isExact;
  llvm::APFloat(value).convertToInteger(result, llvm::APFloat::rmTowardZero, &isExact);
  return result;
}

} // namespace

bool isNumeric(const Value &value) { return value.tensor() || value.isNumber(); }

Tensor constantTensor(Lowering &lowering, const Number &number, const TensorType &type) {
  ScalarType scalar = type.element.scalar;
  if (scalar == ScalarType::Float8E4B15) // MLIR has no constants of the format
    return cast(lowering, constantTensor(lowering, number, type.withElement(ElementType{ScalarType::Float16})),
                type.element);
  mlir::Type element = lowering.irType(type.element);
  mlir::TypedAttr attribute;
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(element))
    attribute = mlir::FloatAttr::get(element, toFloat(number, floatType.getFloatSemantics()));
  else
    attribute = mlir::IntegerAttr::get(element, toInteger(number, scalar));
  if (!type.isScalar())
    attribute = mlir::SplatElementsAttr::get(mlir::cast<mlir::ShapedType>(lowering.irType(type)), attribute);
  return {lowering.create<mlir::arith::ConstantOp>(attribute), type};
}

Tensor toTensor(Lowering &lowering, const Value &value) {
  if (const Tensor *tensor = value.tensor())
    return *tensor;
  if (!value.isNumber())
    lowering.error(value.buffer() ? diagnostics::BufferAsTensor : diagnostics::NotATensor, value.describe());
  Number number = *numberOf(*value.constant());
  std::optional<ScalarType> type = naturalType(number);
  if (!type)
    lowering.error(diagnostics::NumberTooLarge, repr(*value.constant()));
  return constantTensor(lowering, number, *type);
}

Tensor toTensor(Lowering &lowering, const Value &value, ScalarType type) {
  if (value.isNumber())
    return constantTensor(lowering, *numberOf(*value.constant()), type);
  return toTensor(lowering, value);
}

} // namespace triton::frontend
