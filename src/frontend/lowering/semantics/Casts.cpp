#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend {
namespace {

/// Emits an operation that converts `tensor` to `type`.
template <typename Op, typename... Args>
Tensor convert(Lowering &lowering, const Tensor &tensor, ElementType type, Args &&...args) {
  TensorType resultType = tensor.type.withElement(type);
  mlir::Value result =
      lowering.create<Op>(lowering.irType(resultType), tensor.value, std::forward<Args>(args)...)->getResult(0);
  return {result, resultType};
}

Tensor notEqualZero(Lowering &lowering, const Tensor &tensor) {
  return *comparison(lowering, ast::CompareOperator::NotEq, tensor,
                     constantTensor(lowering, Number(llvm::APSInt::get(0)), tensor.type))
              .tensor();
}

Tensor castFloatToFloat(Lowering &lowering, const Tensor &tensor, ElementType type, Rounding rounding) {
  ScalarType from = tensor.type.element.scalar, to = type.scalar;
  bool narrows = bitWidth(to) < bitWidth(from);
  if (rounding != Rounding::Default && !narrows)
    lowering.error(diagnostics::RoundingWithoutNarrowing, std::string(longName(from)), std::string(longName(to)));
  auto toMode = [](Rounding rounding) {
    return rounding == Rounding::TowardZero ? tt::RoundingMode::TowardZero : tt::RoundingMode::NearestEven;
  };
  if (isFloat8(from) || isFloat8(to) || rounding == Rounding::TowardZero) {
    tt::RoundingModeAttr mode =
        narrows ? tt::RoundingModeAttr::get(&lowering.context, toMode(rounding)) : tt::RoundingModeAttr();
    return convert<tt::FpToFpOp>(lowering, tensor, type, mode);
  }
  if (narrows)
    return convert<mlir::arith::TruncFOp>(lowering, tensor, type);
  if (bitWidth(to) > bitWidth(from))
    return convert<mlir::arith::ExtFOp>(lowering, tensor, type);
  // float16 and bfloat16 represent different values, so the conversion goes through a type that represents both.
  return cast(lowering, cast(lowering, tensor, ElementType{ScalarType::Float32}), type);
}

Tensor castIntegerToInteger(Lowering &lowering, const Tensor &tensor, ElementType type) {
  ScalarType from = tensor.type.element.scalar, to = type.scalar;
  if (to == ScalarType::Int1)
    return notEqualZero(lowering, tensor);
  if (bitWidth(to) < bitWidth(from))
    return convert<mlir::arith::TruncIOp>(lowering, tensor, type);
  if (bitWidth(to) == bitWidth(from))
    return {tensor.value, tensor.type.withElement(type)};
  if (kind(from) == ScalarKind::Signed)
    return convert<mlir::arith::ExtSIOp>(lowering, tensor, type);
  return convert<mlir::arith::ExtUIOp>(lowering, tensor, type);
}

Tensor castScalars(Lowering &lowering, const Tensor &tensor, ElementType type, Rounding rounding) {
  ScalarType from = tensor.type.element.scalar, to = type.scalar;
  if (isFloat(from) && isFloat(to))
    return castFloatToFloat(lowering, tensor, type, rounding);
  if (rounding != Rounding::Default)
    lowering.error(diagnostics::RoundingWithoutNarrowing, std::string(longName(from)), std::string(longName(to)));
  if (isFloat8(from) || isFloat8(to))
    lowering.error(diagnostics::Float8IntegerCast, std::string(longName(from)), std::string(longName(to)));
  if (isInteger(from) && isInteger(to))
    return castIntegerToInteger(lowering, tensor, type);
  if (isFloat(from)) {
    if (to == ScalarType::Int1)
      return notEqualZero(lowering, tensor);
    if (kind(to) == ScalarKind::Signed)
      return convert<mlir::arith::FPToSIOp>(lowering, tensor, type);
    return convert<mlir::arith::FPToUIOp>(lowering, tensor, type);
  }
  if (kind(from) == ScalarKind::Signed)
    return convert<mlir::arith::SIToFPOp>(lowering, tensor, type);
  return convert<mlir::arith::UIToFPOp>(lowering, tensor, type);
}

Tensor castPointer(Lowering &lowering, const Tensor &tensor, ElementType type) {
  const ElementType &from = tensor.type.element;
  if (from.isPointer() && type.isPointer()) {
    if (lowering.irType(from) == lowering.irType(type))
      return {tensor.value, tensor.type.withElement(type)};
    return convert<tt::BitcastOp>(lowering, tensor, type);
  }
  ElementType address{ScalarType::Int64};
  if (!from.isPointer()) {
    if (!isInteger(from.scalar))
      lowering.error(diagnostics::PointerCast, tensor.type.str(), TensorType(type).str());
    return convert<tt::IntToPtrOp>(lowering, cast(lowering, tensor, address), type);
  }
  if (type.scalar == ScalarType::Int1)
    return notEqualZero(lowering, castPointer(lowering, tensor, address));
  if (!isInteger(type.scalar) || bitWidth(type.scalar) != 64)
    lowering.error(diagnostics::PointerCast, tensor.type.str(), TensorType(type).str());
  return convert<tt::PtrToIntOp>(lowering, tensor, type);
}

} // namespace

Tensor cast(Lowering &lowering, const Tensor &tensor, ElementType type, Rounding rounding) {
  const ElementType &from = tensor.type.element;
  if (from == type) // with any rounding
    return tensor;
  if (type.scalar == ScalarType::Void && !type.isPointer())
    lowering.error(diagnostics::CastToVoid);
  if (from.isPointer() || type.isPointer())
    return castPointer(lowering, tensor, type);
  return castScalars(lowering, tensor, type, rounding);
}

Tensor bitcast(Lowering &lowering, const Tensor &tensor, ElementType type) {
  const ElementType &from = tensor.type.element;
  if (from.isPointer() || type.isPointer())
    return cast(lowering, tensor, type);
  if (bitWidth(from.scalar) != bitWidth(type.scalar))
    lowering.error(diagnostics::BitcastWidth, std::string(longName(from.scalar)), int(bitWidth(from.scalar)),
                   std::string(longName(type.scalar)), int(bitWidth(type.scalar)));
  if (lowering.irType(from) == lowering.irType(type))
    return {tensor.value, tensor.type.withElement(type)};
  return convert<tt::BitcastOp>(lowering, tensor, type);
}

Tensor convertTo(Lowering &lowering, const Value &value, ElementType type) {
  if (value.isNumber() && !type.isPointer())
    return constantTensor(lowering, *numberOf(*value.constant()), TensorType(type));
  return cast(lowering, toTensor(lowering, value), type);
}

} // namespace triton::frontend
