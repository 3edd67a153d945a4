#include "gpu/passes/LayoutRules.h"

#include "ir/EncodingInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::ttg {

/// Whether memory is written through `pointers` as well, in whatever layout.
static bool isWrittenThrough(Value pointers) {
  while (auto conversion = pointers.getDefiningOp<ConvertLayoutOp>())
    pointers = conversion.getSrc();
  return llvm::any_of(pointers.getUsers(), [&](Operation *user) {
    auto writes = [](Operation *op, Value value) {
      return isa<tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp>(op) && op->getOperand(0) == value;
    };
    if (auto conversion = dyn_cast<ConvertLayoutOp>(user))
      return llvm::any_of(conversion->getUsers(), [&](Operation *op) { return writes(op, conversion); });
    return writes(user, pointers);
  });
}

/// A load of so few elements that loading them twice costs less than a trip through shared memory. Not where the thread
/// that wrote an element must be the one that loads it.
static bool isCheapLoad(Operation *op) {
  auto load = dyn_cast<tt::LoadOp>(op);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  return type && !load.getIsVolatile() && type.getNumElements() <= getNumWarps(op) * getThreadsPerWarp(op) &&
         !isWrittenThrough(load.getPtr());
}

bool computesInAnyLayout(Operation *op) {
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (isCheapLoad(op))
    return true;
  if (isa<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (isa<tt::SplatOp, tt::MakeRangeOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::JoinOp, tt::SplitOp>(op))
    return true;
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return !reshape.getEfficientLayout();
  return op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
}

static const tt::EncodingInferenceInterface &inferenceOf(Attribute encoding) {
  return *encoding.getDialect().getRegisteredInterface<tt::EncodingInferenceInterface>();
}

static RankedTensorType firstTensor(ValueRange values) {
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      return type;
  return {};
}

Attribute inferResultLayout(Operation *op, Attribute operand) {
  const tt::EncodingInferenceInterface &inference = inferenceOf(operand);
  RankedTensorType source = firstTensor(op->getOperands());
  if (!source)
    return {};
  llvm::ArrayRef<int64_t> shape = source.getShape();
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case([&](tt::ExpandDimsOp expand) { return inference.expandDims(shape, operand, expand.getAxis()); })
      .Case([&](tt::ReduceOp reduce) -> Attribute {
        return source.getRank() == 1 ? operand : inference.reduce(shape, operand, reduce.getAxis());
      })
      .Case([&](tt::TransOp trans) { return inference.transpose(shape, operand, trans.getOrder()); })
      .Case([&](tt::ReshapeOp reshape) {
        return inference.reshape(shape, operand, cast<RankedTensorType>(reshape.getType()).getShape());
      })
      .Case([&](tt::JoinOp) { return inference.join(shape, operand); })
      .Case([&](tt::SplitOp) { return inference.split(shape, operand); })
      .Default([&](Operation *) { return operand; });
}

Attribute inferOperandLayout(Operation *op, Attribute result) {
  const tt::EncodingInferenceInterface &inference = inferenceOf(result);
  auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  return llvm::TypeSwitch<Operation *, Attribute>(op)
      .Case([&](tt::ExpandDimsOp expand) { return SliceEncodingAttr::get(op->getContext(), expand.getAxis(), result); })
      .Case([&](tt::TransOp trans) {
        SmallVector<int32_t> inverse(trans.getOrder().size());
        for (auto [dimension, source] : llvm::enumerate(trans.getOrder()))
          inverse[source] = int32_t(dimension);
        return inference.transpose(shape, result, inverse);
      })
      .Case([&](tt::ReshapeOp reshape) {
        return inference.reshape(shape, result, cast<RankedTensorType>(reshape.getSrc().getType()).getShape());
      })
      .Case([&](tt::JoinOp) { return inference.split(shape, result); })
      .Case([&](tt::SplitOp) { return inference.join(shape, result); })
      .Default([&](Operation *) { return result; });
}

} // namespace triton::ttg
