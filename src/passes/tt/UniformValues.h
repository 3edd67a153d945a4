// Tensors that hold one value everywhere. Private to this folder.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace triton::tt {

/// The constant with one value everywhere that defines `value`; null when there is none.
mlir::SplatElementsAttr getConstantSplat(mlir::Value value);

/// Whether `value` is a tensor known to hold one value everywhere: tt.splat or a constant.
bool isUniform(mlir::Value value);

/// The one value of a uniform tensor, as a scalar at the builder's place.
mlir::Value getUniformScalar(mlir::OpBuilder &builder, mlir::Value uniform);

} // namespace triton::tt
