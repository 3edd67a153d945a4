// Matrix products: on ordinary units for blocked accumulators, on matrix units for their fragments.
#include "backends/nvidia/lowering/FloatConversions.h"
#include "backends/nvidia/lowering/LayoutEmission.h"
#include "backends/nvidia/lowering/Lowerings.h"
#include "backends/nvidia/lowering/MatrixMultiply.h"

using namespace mlir;

namespace triton::nvidia {

namespace {

/// One thread's share of a product on ordinary units: for each of its results all of K.
class OrdinaryDot {
public:
  OrdinaryDot(tt::DotOp op, Emitter &emitter)
      : op(op), emitter(emitter), result(cast<RankedTensorType>(op.getD().getType())),
        left(emitter.layoutOf(cast<RankedTensorType>(op.getA().getType()))),
        right(emitter.layoutOf(cast<RankedTensorType>(op.getB().getType()))) {}

  LogicalResult run() {
    auto operand = cast<RankedTensorType>(op.getA().getType());
    auto depth = int32_t(operand.getShape().back());
    const LinearLayout &layout = emitter.layoutOf(result);
    Registers sums(emitter.registers(op.getC()));
    for (auto [index, sum] : llvm::enumerate(sums)) {
      Coordinates at = registerCoordinates(layout, unsigned(index));
      std::size_t rank = at.size();
      for (int32_t k = 0; k < depth; ++k) {
        Coordinates leftAt = at, rightAt = at;
        leftAt[rank - 1] = k;
        rightAt[rank - 2] = k;
        std::optional<unsigned> a = left.find(leftAt), b = right.find(rightAt);
        if (!a || !b)
          return op.emitError() << "operands of the layouts " << op.getA().getType() << " and " << op.getB().getType()
                                << " do not hold what " << result << " needs";
        sum = multiplyAdd(emitter.registers(op.getA())[*a], emitter.registers(op.getB())[*b], sum);
      }
    }
    emitter.define(op.getD(), std::move(sums));
    return success();
  }

private:
  /// In the type of the accumulator, which is at least as wide.
  Value multiplyAdd(Value a, Value b, Value sum) {
    Type type = sum.getType();
    if (auto number = dyn_cast<FloatType>(type)) {
      auto from = cast<FloatType>(cast<RankedTensorType>(op.getA().getType()).getElementType());
      auto otherFrom = cast<FloatType>(cast<RankedTensorType>(op.getB().getType()).getElementType());
      return emitter.intrinsic("fma", type, {widen(a, from, number), widen(b, otherFrom, number), sum});
    }
    return emitter.add(LLVM::MulOp::create(emitter.b, extend(a, type), extend(b, type)), sum);
  }

  /// Each operand element is converted once.
  Value widen(Value value, FloatType from, FloatType to) {
    Value &known = widened[value];
    return known ? known : known = convertFloat(emitter, value, from, to);
  }

  Value extend(Value value, Type to) {
    if (value.getType() == to)
      return value;
    Value &known = widened[value];
    return known ? known : known = LLVM::SExtOp::create(emitter.b, to, value).getResult();
  }

  tt::DotOp op;
  Emitter &emitter;
  RankedTensorType result;
  RegisterLookup left, right;
  llvm::DenseMap<Value, Value> widened;
};

} // namespace

static LogicalResult lowerDot(tt::DotOp op, Emitter &emitter) {
  if (isa<ttg::NvidiaMmaEncodingAttr>(cast<RankedTensorType>(op.getType()).getEncoding()))
    return lowerMatrixMultiply(op, emitter);
  return OrdinaryDot(op, emitter).run();
}

void addDotLowerings(LoweringTable &table) { table.add<tt::DotOp, lowerDot>(); }

} // namespace triton::nvidia
