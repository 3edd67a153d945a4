// Shorthand for emitting arithmetic that applies to a scalar and to each lane of a vector in the same way.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace triton::cpu {

/// Emits operations whose values all have the shape of the value given to the constructor.
class LaneBuilder {
public:
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value shape)
      : builder(builder), loc(loc), vector(llvm::dyn_cast<mlir::VectorType>(shape.getType())) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Type type(mlir::Type element) const {
    return vector ? mlir::Type(mlir::VectorType::get(vector.getShape(), element)) : element;
  }
  mlir::Type integerType(unsigned bits) const { return type(builder.getIntegerType(bits)); }
  int64_t lanes() const { return vector ? vector.getNumElements() : 1; }

  mlir::Value integer(unsigned bits, uint64_t value) const { return integer(llvm::APInt(64, value).zextOrTrunc(bits)); }
  mlir::Value integer(const llvm::APInt &value) const {
    auto element = builder.getIntegerType(value.getBitWidth());
    return constant(element, builder.getIntegerAttr(element, value));
  }
  mlir::Value number(mlir::Type element, double value) const {
    return constant(element, builder.getFloatAttr(element, value));
  }

  /// An operand that is not a vector, whatever the shape.
  mlir::Value scalarInteger(unsigned bits, int64_t value) const {
    return mlir::arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(builder.getIntegerType(bits), value));
  }
  mlir::Value callIntrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands) const {
    return mlir::LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(name), operands)
        .getResult(0);
  }
  template <typename Op> mlir::Value emit(mlir::Value a, mlir::Value b) const { return Op::create(builder, loc, a, b); }
  mlir::Value bitcast(mlir::Value value, mlir::Type element) const {
    return mlir::arith::BitcastOp::create(builder, loc, type(element), value);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) const {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) const {
    return mlir::arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) const {
    return mlir::arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  /// Converts integers to another width by zero extension; unchanged when the width is the same.
  mlir::Value resize(mlir::Value value, unsigned bits) const {
    unsigned from = mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    if (from == bits)
      return value;
    if (from < bits)
      return mlir::arith::ExtUIOp::create(builder, loc, integerType(bits), value);
    return mlir::arith::TruncIOp::create(builder, loc, integerType(bits), value);
  }

private:
  mlir::Value constant(mlir::Type element, mlir::Attribute value) const {
    if (!vector)
      return mlir::arith::ConstantOp::create(builder, loc, llvm::cast<mlir::TypedAttr>(value));
    return mlir::arith::ConstantOp::create(
        builder, loc, mlir::DenseElementsAttr::get(mlir::VectorType::get(vector.getShape(), element), value));
  }

  mlir::VectorType vector;
};

} // namespace triton::cpu
