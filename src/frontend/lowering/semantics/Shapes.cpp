#include "frontend/BuiltinDiagnostics.h"
#include "frontend/lowering/Lowering.h"
#include "frontend/lowering/semantics/Semantics.h"
#include "gpu/ir/Dialect.h"
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

void checkElementCount(Lowering &lowering, llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if ((count *= size) > maximumElementCount) // of sizes within the limit, so the product is within 63 bits
      lowering.error(diagnostics::TooManyElements, shapeText(shape), maximumElementCount);
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

static bool isAuto(mlir::Attribute layout) { return mlir::isa_and_nonnull<ttg::AutoEncodingAttr>(layout); }

/// The layout that operands with these layouts get; null when they have none. One that is to be inferred follows.
static mlir::Attribute commonLayout(mlir::Attribute left, mlir::Attribute right) {
  return !left || (isAuto(left) && right) ? right : left;
}

TensorType commonType(Lowering &lowering, const TensorType &left, const TensorType &right) {
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
  if (left.layout && right.layout && left.layout != right.layout && !isAuto(left.layout) && !isAuto(right.layout))
    lowering.error(diagnostics::LayoutsDiffer, left.str(), right.str());
  bool isFirst = left.element == ElementType(); // The operands come one by one, the first to a block of nothing.
  return TensorType(isFirst ? right.element : left.element, result, commonLayout(left.layout, right.layout));
}

TensorType inferType(Lowering &lowering, const TensorType &operand, llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<mlir::Attribute(const tt::EncodingInferenceInterface &)> infer) {
  TensorType result = operand.withShape(shape);
  if (!operand.layout || shape.empty())
    return result;
  result.layout = infer(*operand.layout.getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>());
  if (!result.layout)
    lowering.error(diagnostics::NoLayoutFollows, operand.str(), shapeText(shape));
  return result;
}

TensorType reducedType(Lowering &lowering, const TensorType &type, unsigned axis) {
  llvm::SmallVector<int64_t, 4> shape(type.shape);
  shape.erase(shape.begin() + axis);
  return inferType(lowering, type, shape, [&](const tt::EncodingInferenceInterface &inference) {
    return inference.reduce(type.shape, type.layout, axis);
  });
}

/// The type with a new dimension. In Gluon only a layout from which that dimension was taken says where elements are.
static TensorType expandedType(Lowering &lowering, const TensorType &type, unsigned axis) {
  llvm::SmallVector<int64_t, 4> shape(type.shape);
  shape.insert(shape.begin() + axis, 1);
  return inferType(lowering, type, shape, [&](const tt::EncodingInferenceInterface &inference) {
    mlir::Attribute expanded = inference.expandDims(type.shape, type.layout, axis);
    if (inference.reduce(shape, expanded, axis) != type.layout)
      lowering.error(diagnostics::NotASlice, type.str(), int(axis));
    return expanded;
  });
}

Tensor expandDims(Lowering &lowering, const Tensor &tensor, unsigned axis) {
  TensorType type = expandedType(lowering, tensor.type, axis);
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

Tensor setAutoLayout(Lowering &lowering, const Tensor &tensor, mlir::Attribute layout) {
  if (!isAuto(tensor.type.layout) || !layout || isAuto(layout))
    return tensor;
  TensorType type(tensor.type.element, tensor.type.shape, layout);
  return {lowering.create<ttg::SetAutoLayoutOp>(lowering.irType(type), tensor.value), type};
}

Tensor broadcastTo(Lowering &lowering, const Tensor &given, const TensorType &block) {
  Tensor tensor = setAutoLayout(lowering, given, block.layout);
  if (tensor.type.shape == block.shape)
    return tensor;
  llvm::ArrayRef<int64_t> shape = block.shape;
  TensorType type = block.withElement(tensor.type.element);
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

Tensor broadcastWithRank(Lowering &lowering, const Tensor &tensor, const TensorType &block) {
  Tensor result = tensor;
  if (!tensor.type.isScalar())
    while (result.type.rank() < block.rank())
      result = expandDims(lowering, result, 0);
  return broadcastTo(lowering, result, block);
}

std::pair<Tensor, Tensor> broadcast(Lowering &lowering, const Tensor &left, const Tensor &right) {
  TensorType block = commonType(lowering, left.type, right.type);
  return {broadcastWithRank(lowering, left, block), broadcastWithRank(lowering, right, block)};
}

Tensor reshape(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> shape, bool canReorder) {
  TensorType type = tensor.type.withShape(shape);
  if (type.elementCount() != tensor.type.elementCount())
    lowering.error(diagnostics::ReshapeCount, tensor.type.str(), tensor.type.elementCount(), shapeText(shape),
                   type.elementCount());
  if (type.shape == tensor.type.shape)
    return tensor;
  if (tensor.type.isScalar())
    return {lowering.create<tt::SplatOp>(lowering.irType(type), tensor.value), type};
  if (shape.empty())
    return {lowering.create<tt::UnsplatOp>(lowering.irType(type), tensor.value), type};
  type = inferType(lowering, tensor.type, shape, [&](const tt::EncodingInferenceInterface &inference) {
    return inference.reshape(tensor.type.shape, tensor.type.layout, shape);
  });
  mlir::UnitAttr reorder = canReorder && !type.layout ? lowering.builder.getUnitAttr() : mlir::UnitAttr();
  return {lowering.create<tt::ReshapeOp>(lowering.irType(type), tensor.value, reorder, mlir::UnitAttr()), type};
}

Tensor permute(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> order) {
  if (tensor.type.isScalar()) // whose only order is that of no dimensions
    return tensor;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int32_t, 4> order32;
  for (int64_t axis : order) {
    shape.push_back(tensor.type.shape[axis]);
    order32.push_back(int32_t(axis));
  }
  TensorType type = inferType(lowering, tensor.type, shape, [&](const tt::EncodingInferenceInterface &inference) {
    return inference.transpose(tensor.type.shape, tensor.type.layout, order32);
  });
  auto orderAttribute = mlir::DenseI32ArrayAttr::get(&lowering.context, order32);
  return {lowering.create<tt::TransOp>(lowering.irType(type), tensor.value, orderAttribute), type};
}

Tensor join(Lowering &lowering, const Tensor &left, const Tensor &right) {
  llvm::SmallVector<int64_t, 4> shape(left.type.shape);
  shape.push_back(2);
  TensorType type = inferType(lowering, left.type, shape, [&](const tt::EncodingInferenceInterface &inference) {
    return inference.join(left.type.shape, left.type.layout);
  });
  return {lowering.create<tt::JoinOp>(lowering.irType(type), left.value, right.value), type};
}

std::pair<Tensor, Tensor> split(Lowering &lowering, const Tensor &tensor) {
  TensorType type = inferType(lowering, tensor.type, llvm::ArrayRef(tensor.type.shape).drop_back(),
                              [&](const tt::EncodingInferenceInterface &inference) {
                                return inference.split(tensor.type.shape, tensor.type.layout);
                              });
  mlir::Type half = lowering.irType(type);
  auto op = lowering.create<tt::SplitOp>(mlir::TypeRange{half, half}, tensor.value);
  return {{op->getResult(0), type}, {op->getResult(1), type}};
}

} // namespace triton::frontend
