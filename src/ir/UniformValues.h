// Tensors whose elements all have the same value.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace triton::tt {

/// The splat constant that defines `value`; null when there is none.
mlir::SplatElementsAttr getConstantSplat(mlir::Value value);

/// Whether the elements of the tensor `value` are known to be equal: tt.splat or a constant.
bool isUniform(mlir::Value value);

/// The value of a uniform tensor as a scalar, at the builder's insertion point.
mlir::Value getUniformScalar(mlir::OpBuilder &builder, mlir::Value uniform);

} // namespace triton::tt
