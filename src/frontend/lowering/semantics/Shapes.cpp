#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace triton::frontend {

static constexpr int64_t maximumElementCount = 1048576;

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (int64_t size : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

void checkBlockShape(Lowering &lowering, llvm::ArrayRef<int64_t> shape, SourceRange range) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size <= 0 || !llvm::isPowerOf2_64(size))
      lowering.error(range, diagnostics::SizeNotPowerOfTwo, shapeText(shape), size);
    // Each factor is within 63 bits; stop before the product is not.
    if (size > maximumElementCount || (count *= size) > maximumElementCount)
      lowering.error(range, diagnostics::TooManyElements, shapeText(shape), maximumElementCount);
  }
}

llvm::SmallVector<int64_t, 4> commonShape(Lowering &lowering, const TensorType &left, const TensorType &right) {
  size_t rank = std::max(left.shape.size(), right.shape.size());
  llvm::SmallVector<int64_t, 4> result(rank, 1);
  auto sizeAt = [&](const TensorType &type, size_t dimension) {
    size_t missing = rank - type.shape.size();
    return dimension < missing ? 1 : type.shape[dimension - missing];
  };
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    int64_t leftSize = sizeAt(left, dimension), rightSize = sizeAt(right, dimension);
    if (leftSize != rightSize && leftSize != 1 && rightSize != 1)
      lowering.error(diagnostics::IncompatibleShapes, shapeText(left.shape), shapeText(right.shape), int(dimension),
                     leftSize, rightSize);
    result[dimension] = std::max(leftSize, rightSize);
  }
  return result;
}

Tensor expandDims(Lowering &lowering, const Tensor &tensor, unsigned axis) {
  llvm::SmallVector<int64_t, 4> shape(tensor.type.shape);
  shape.insert(shape.begin() + axis, 1);
  TensorType type = tensor.type.withShape(shape);
  if (tensor.type.isScalar())
    return {lowering.create<tt::SplatOp>(lowering.irType(type), tensor.value), type};
  return {lowering.create<tt::ExpandDimsOp>(lowering.irType(type), tensor.value, axis), type};
}

/// A splat constant in another shape; null when `tensor` is not a splat constant.
static mlir::Value respreadConstant(Lowering &lowering, const Tensor &tensor, const TensorType &type) {
  mlir::Attribute constant;
  if (!mlir::matchPattern(tensor.value, mlir::m_Constant(&constant)))
    return nullptr;
  auto shaped = mlir::cast<mlir::ShapedType>(lowering.irType(type));
  if (auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(constant))
    constant = splat.getSplatValue<mlir::Attribute>();
  if (!mlir::isa<mlir::IntegerAttr, mlir::FloatAttr>(constant))
    return nullptr;
  return lowering.create<mlir::arith::ConstantOp>(mlir::SplatElementsAttr::get(shaped, constant));
}

Tensor broadcastTo(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> shape) {
  if (llvm::ArrayRef<int64_t>(tensor.type.shape) == shape)
    return tensor;
  TensorType type = tensor.type.withShape(shape);
  if (!tensor.type.isScalar()) {
    if (tensor.type.shape.size() != shape.size())
      lowering.error(diagnostics::BroadcastRank, tensor.type.str(), shapeText(shape));
    for (auto [from, to] : llvm::zip_equal(tensor.type.shape, shape))
      if (from != to && from != 1)
        lowering.error(diagnostics::BroadcastSize, tensor.type.str(), shapeText(shape), from, to);
  }
  if (mlir::Value constant = respreadConstant(lowering, tensor, type))
    return {constant, type};
  if (tensor.type.isScalar())
    return {lowering.create<tt::SplatOp>(lowering.irType(type), tensor.value), type};
  return {lowering.create<tt::BroadcastOp>(lowering.irType(type), tensor.value), type};
}

Tensor broadcastWithRank(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> shape) {
  Tensor result = tensor;
  if (!tensor.type.isScalar())
    while (result.type.shape.size() < shape.size())
      result = expandDims(lowering, result, 0);
  return broadcastTo(lowering, result, shape);
}

std::pair<Tensor, Tensor> broadcast(Lowering &lowering, const Tensor &left, const Tensor &right) {
  llvm::SmallVector<int64_t, 4> shape = commonShape(lowering, left.type, right.type);
  return {broadcastWithRank(lowering, left, shape), broadcastWithRank(lowering, right, shape)};
}

Tensor reshape(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> shape, bool canReorder) {
  TensorType type = tensor.type.withShape(shape);
  if (type.elementCount() != tensor.type.elementCount())
    lowering.error(diagnostics::ReshapeCount, tensor.type.str(), tensor.type.elementCount(), shapeText(shape),
                   type.elementCount());
  if (type == tensor.type)
    return tensor;
  if (tensor.type.isScalar())
    return {lowering.create<tt::SplatOp>(lowering.irType(type), tensor.value), type};
  if (shape.empty())
    return {lowering.create<tt::UnsplatOp>(lowering.irType(type), tensor.value), type};
  mlir::UnitAttr reorder = canReorder ? lowering.builder.getUnitAttr() : mlir::UnitAttr();
  return {lowering.create<tt::ReshapeOp>(lowering.irType(type), tensor.value, reorder, mlir::UnitAttr()), type};
}

Tensor permute(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int32_t, 4> order32;
  for (int64_t axis : order) {
    shape.push_back(tensor.type.shape[axis]);
    order32.push_back(int32_t(axis));
  }
  TensorType type = tensor.type.withShape(shape);
  auto orderAttribute = mlir::DenseI32ArrayAttr::get(&lowering.context, order32);
  return {lowering.create<tt::TransOp>(lowering.irType(type), tensor.value, orderAttribute), type};
}

} // namespace triton::frontend
