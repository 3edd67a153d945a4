// LayoutOpInterface for operations of tt and arith: how the layouts of their tensors are related.
#include "gpu/ir/Dialect.h"
#include "ir/EncodingInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

static const tt::EncodingInferenceInterface &inferenceOf(Attribute encoding) {
  return *encoding.getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>();
}

static RankedTensorType distributed(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding() ? tensor : RankedTensorType();
}

static llvm::ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

LogicalResult verifyRelatedLayouts(Operation *op, llvm::function_ref<Attribute(Attribute)> inferResult) {
  RankedTensorType first;
  for (Type type : op->getOperandTypes()) {
    RankedTensorType tensor = distributed(type);
    if (!first)
      first = tensor;
    else if (tensor && !areLayoutsEquivalent(tensor.getShape(), first.getEncoding(), tensor.getEncoding()))
      return op->emitError() << "ttgir-2: operands have the layouts of " << first << " and " << tensor;
  }
  if (!first)
    return success();
  Attribute expected = inferResult(first.getEncoding());
  for (Type type : op->getResultTypes())
    if (RankedTensorType tensor = distributed(type);
        tensor && (!expected || !areLayoutsEquivalent(tensor.getShape(), expected, tensor.getEncoding())))
      return op->emitError() << "ttgir-2: the result " << tensor << " does not have the layout that follows from "
                             << first;
  return success();
}

namespace {

/// Operands and results have the same layout. `anywhere`: the operation can be repeated in another layout.
template <typename Op, bool anywhere>
struct SameLayout : LayoutOpInterface::ExternalModel<SameLayout<Op, anywhere>, Op> {
  bool computesInAnyLayout(Operation *) const { return anywhere; }
  Attribute inferResultLayout(Operation *, Attribute operand) const { return operand; }
  Attribute inferOperandLayout(Operation *, Attribute result) const { return result; }
};

/// The layouts of the tensors are independent.
template <typename Op> struct OwnLayouts : LayoutOpInterface::ExternalModel<OwnLayouts<Op>, Op> {
  bool computesInAnyLayout(Operation *) const { return false; }
  Attribute inferResultLayout(Operation *, Attribute) const { return {}; }
  Attribute inferOperandLayout(Operation *, Attribute) const { return {}; }
  LogicalResult verifyLayouts(Operation *) const { return success(); }
};

struct ConstantLayout : LayoutOpInterface::ExternalModel<ConstantLayout, arith::ConstantOp> {
  bool computesInAnyLayout(Operation *op) const {
    return isa<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  }
  Attribute inferResultLayout(Operation *, Attribute operand) const { return operand; }
  Attribute inferOperandLayout(Operation *, Attribute result) const { return result; }
};

struct BroadcastLayout : LayoutOpInterface::ExternalModel<BroadcastLayout, tt::BroadcastOp> {
  bool computesInAnyLayout(Operation *) const { return true; }
  Attribute inferResultLayout(Operation *, Attribute operand) const { return operand; }
  Attribute inferOperandLayout(Operation *, Attribute result) const { return result; }
  /// Layouts that differ where the source has one element alone are the same for it.
  LogicalResult verifyLayouts(Operation *op) const {
    auto broadcast = cast<tt::BroadcastOp>(op);
    RankedTensorType source = distributed(broadcast.getSrc().getType()), result = distributed(broadcast.getType());
    if (source && result &&
        toLinearLayout(source).removeZeroBases("register") ==
            toLinearLayout(source.getShape(), result.getEncoding()).removeZeroBases("register"))
      return success();
    return verifyRelatedLayouts(op, [&](Attribute operand) { return inferResultLayout(op, operand); });
  }
};

struct ExpandDimsLayout : LayoutOpInterface::ExternalModel<ExpandDimsLayout, tt::ExpandDimsOp> {
  bool computesInAnyLayout(Operation *) const { return true; }
  Attribute inferResultLayout(Operation *op, Attribute operand) const {
    auto expand = cast<tt::ExpandDimsOp>(op);
    return inferenceOf(operand).expandDims(shapeOf(expand.getSrc()), operand, expand.getAxis());
  }
  Attribute inferOperandLayout(Operation *op, Attribute result) const {
    return SliceEncodingAttr::get(op->getContext(), cast<tt::ExpandDimsOp>(op).getAxis(), result);
  }
};

struct TransLayout : LayoutOpInterface::ExternalModel<TransLayout, tt::TransOp> {
  bool computesInAnyLayout(Operation *) const { return true; }
  Attribute inferResultLayout(Operation *op, Attribute operand) const {
    auto trans = cast<tt::TransOp>(op);
    return inferenceOf(operand).transpose(shapeOf(trans.getSrc()), operand, trans.getOrder());
  }
  Attribute inferOperandLayout(Operation *op, Attribute result) const {
    auto trans = cast<tt::TransOp>(op);
    SmallVector<int32_t> inverse(trans.getOrder().size());
    for (auto [dimension, source] : llvm::enumerate(trans.getOrder()))
      inverse[source] = int32_t(dimension);
    return inferenceOf(result).transpose(shapeOf(trans.getResult()), result, inverse);
  }
};

struct ReshapeLayout : LayoutOpInterface::ExternalModel<ReshapeLayout, tt::ReshapeOp> {
  bool computesInAnyLayout(Operation *op) const { return !cast<tt::ReshapeOp>(op).getEfficientLayout(); }
  Attribute inferResultLayout(Operation *op, Attribute operand) const {
    auto reshape = cast<tt::ReshapeOp>(op);
    return inferenceOf(operand).reshape(shapeOf(reshape.getSrc()), operand, shapeOf(reshape.getResult()));
  }
  Attribute inferOperandLayout(Operation *op, Attribute result) const {
    auto reshape = cast<tt::ReshapeOp>(op);
    return inferenceOf(result).reshape(shapeOf(reshape.getResult()), result, shapeOf(reshape.getSrc()));
  }
  /// If the elements may be in any order, every layout is correct.
  LogicalResult verifyLayouts(Operation *op) const {
    if (cast<tt::ReshapeOp>(op).getAllowReorder())
      return success();
    return verifyRelatedLayouts(op, [&](Attribute operand) { return inferResultLayout(op, operand); });
  }
};

struct JoinLayout : LayoutOpInterface::ExternalModel<JoinLayout, tt::JoinOp> {
  bool computesInAnyLayout(Operation *) const { return true; }
  Attribute inferResultLayout(Operation *op, Attribute operand) const {
    return inferenceOf(operand).join(shapeOf(op->getOperand(0)), operand);
  }
  Attribute inferOperandLayout(Operation *op, Attribute result) const {
    return inferenceOf(result).split(shapeOf(op->getResult(0)), result);
  }
};

struct SplitLayout : LayoutOpInterface::ExternalModel<SplitLayout, tt::SplitOp> {
  bool computesInAnyLayout(Operation *) const { return true; }
  Attribute inferResultLayout(Operation *op, Attribute operand) const {
    return inferenceOf(operand).split(shapeOf(op->getOperand(0)), operand);
  }
  Attribute inferOperandLayout(Operation *op, Attribute result) const {
    return inferenceOf(result).join(shapeOf(op->getResult(0)), result);
  }
};

/// A reduction is never repeated, because the results of two reductions may differ in the last bit.
struct ReduceLayout : LayoutOpInterface::ExternalModel<ReduceLayout, tt::ReduceOp> {
  bool computesInAnyLayout(Operation *) const { return false; }
  Attribute inferResultLayout(Operation *op, Attribute operand) const {
    auto reduce = cast<tt::ReduceOp>(op);
    llvm::ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
    return shape.size() == 1 ? operand : inferenceOf(operand).reduce(shape, operand, reduce.getAxis());
  }
  Attribute inferOperandLayout(Operation *, Attribute) const { return {}; }
};

/// Of a product: operands 0 and 1 are the factors, operand 2 is the accumulator.
LogicalResult verifyFactors(Operation *product) {
  auto result = cast<RankedTensorType>(product->getResult(0).getType());
  if (cast<RankedTensorType>(product->getOperand(2).getType()).getEncoding() != result.getEncoding())
    return product->emitError() << "ttgir-2: the accumulator has another layout than the result";
  for (auto [index, operand] : llvm::enumerate(product->getOperands().take_front(2))) {
    auto encoding = dyn_cast<DotOperandEncodingAttr>(cast<RankedTensorType>(operand.getType()).getEncoding());
    if (!encoding || encoding.getOpIdx() != index || encoding.getParent() != result.getEncoding())
      return product->emitError() << "ttgir-2: operand " << index << " has the layout of " << operand.getType()
                                  << ", not that of an operand of " << result;
  }
  return success();
}

struct DotLayout : LayoutOpInterface::ExternalModel<DotLayout, tt::DotOp> {
  bool computesInAnyLayout(Operation *) const { return false; }
  Attribute inferResultLayout(Operation *, Attribute) const { return {}; }
  Attribute inferOperandLayout(Operation *, Attribute) const { return {}; }
  LogicalResult verifyLayouts(Operation *op) const { return verifyFactors(op); }
};

/// Until a unit is chosen, the layouts are independent.
struct ScaledDotLayout : LayoutOpInterface::ExternalModel<ScaledDotLayout, tt::DotScaledOp> {
  bool computesInAnyLayout(Operation *) const { return false; }
  Attribute inferResultLayout(Operation *, Attribute) const { return {}; }
  Attribute inferOperandLayout(Operation *, Attribute) const { return {}; }
  LogicalResult verifyLayouts(Operation *op) const {
    return isa<MatrixEncodingInterface>(cast<RankedTensorType>(op->getResult(0).getType()).getEncoding())
               ? verifyFactors(op)
               : success();
  }
};

template <typename... Ops> void attachOwnLayouts(MLIRContext &context) {
  (Ops::template attachInterface<OwnLayouts<Ops>>(context), ...);
}

template <bool anywhere, typename... Ops> void attachSameLayout(MLIRContext &context) {
  (Ops::template attachInterface<SameLayout<Ops, anywhere>>(context), ...);
}

} // namespace

void attachLayoutModels(MLIRContext &context) {
  attachSameLayout</*anywhere=*/true, tt::SplatOp, tt::MakeRangeOp>(context);
  attachSameLayout</*anywhere=*/false, tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::AtomicLoadOp,
                   tt::AtomicStoreOp, tt::AtomicPollOp, tt::ScanOp, tt::AssertOp>(context);
  attachOwnLayouts<tt::HistogramOp, tt::GatherOp, tt::CatOp, tt::UnsplatOp, tt::PrintOp, tt::MappedLoadOp,
                   tt::MappedStoreOp>(context);
  arith::ConstantOp::attachInterface<ConstantLayout>(context);
  tt::BroadcastOp::attachInterface<BroadcastLayout>(context);
  tt::ExpandDimsOp::attachInterface<ExpandDimsLayout>(context);
  tt::TransOp::attachInterface<TransLayout>(context);
  tt::ReshapeOp::attachInterface<ReshapeLayout>(context);
  tt::JoinOp::attachInterface<JoinLayout>(context);
  tt::SplitOp::attachInterface<SplitLayout>(context);
  tt::ReduceOp::attachInterface<ReduceLayout>(context);
  tt::DotOp::attachInterface<DotLayout>(context);
  tt::DotScaledOp::attachInterface<ScaledDotLayout>(context);
}

} // namespace triton::ttg
