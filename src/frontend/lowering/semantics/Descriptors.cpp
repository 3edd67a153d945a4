#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "ir/Dialect.h"

namespace triton::frontend {

/// The type of the IR, in which the elements say whether they are signed: a reduction depends on it.
static tt::TensorDescType descriptorType(Lowering &lowering, const TensorType &type) {
  mlir::Type element = lowering.irType(TensorType(type.element));
  if (!type.element.isPointer() && isInteger(type.element.scalar)) {
    bool isSigned = kind(type.element.scalar) == ScalarKind::Signed;
    auto signedness = isSigned ? mlir::IntegerType::Signed : mlir::IntegerType::Unsigned;
    element = mlir::IntegerType::get(&lowering.context, bitWidth(type.element.scalar), signedness);
  }
  return tt::TensorDescType::get(mlir::RankedTensorType::get(type.shape, element));
}

TensorDescriptor createDescriptor(Lowering &lowering, mlir::Value base, const TensorType &type,
                                  llvm::ArrayRef<Tensor> shape, llvm::ArrayRef<Tensor> strides, bool padsWithNaN,
                                  bool roundsToTF32) {
  TensorDescriptor result;
  result.type = type;
  result.shape.assign(shape.begin(), shape.end());
  result.strides.assign(strides.begin(), strides.end());
  auto values = [](llvm::ArrayRef<Tensor> tensors) {
    return llvm::map_to_vector(tensors, [](const Tensor &tensor) { return tensor.value; });
  };
  auto padding = padsWithNaN ? tt::PaddingOption::NaN : tt::PaddingOption::Zero;
  result.value = lowering.create<tt::MakeTensorDescOp>(descriptorType(lowering, type), base, values(shape),
                                                       values(strides), padding, roundsToTF32);
  return result;
}

} // namespace triton::frontend
