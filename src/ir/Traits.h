// Traits of the operations of the dialect tt.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace triton::tt {

/// The largest number of elements of a tensor.
constexpr int64_t maxTensorElements = 1048576;

/// Checks that every tensor among operands and results has power-of-two extents and at most maxTensorElements elements.
mlir::LogicalResult verifyTensorSizes(mlir::Operation *op);

template <typename ConcreteType> class TensorSize : public mlir::OpTrait::TraitBase<ConcreteType, TensorSize> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTensorSizes(op); }
};

/// The result contains the elements of operand 0 at the same coordinates, so what is known of the operand holds for it.
template <typename ConcreteType> class SameElements : public mlir::OpTrait::TraitBase<ConcreteType, SameElements> {};

} // namespace triton::tt
