// Computes on 8-bit floats in f32, see Passes.td.
#include "gpu/tiles/Passes.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUWIDENFLOAT8
#include "gpu/tiles/Passes.h.inc"

namespace {

bool isFloat8(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() == 8;
}

/// Whether `op` computes an 8-bit float from others, rather than converting, selecting or moving them.
bool computesFloat8(Operation *op) {
  bool isArithmetic = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
                      isa<tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op);
  if (!isArithmetic || isa<arith::BitcastOp>(op) || op->getNumOperands() == 0 || op->getNumResults() != 1)
    return false;
  Type type = op->getResult(0).getType();
  return isFloat8(type) && llvm::all_of(op->getOperandTypes(), [&](Type operand) { return operand == type; });
}

Type widen(Type type) { return tt::withElementType(type, Float32Type::get(type.getContext())); }

Value widen(OpBuilder &builder, Location location, Value value) {
  return tt::FpToFpOp::create(builder, location, widen(value.getType()), value, tt::RoundingModeAttr());
}

/// Makes the only result an f32, which is rounded for its users.
void widenResult(Operation *op) {
  Value result = op->getResult(0);
  Type narrow = result.getType();
  result.setType(widen(narrow));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto rounding = tt::RoundingModeAttr::get(op->getContext(), tt::RoundingMode::NearestEven);
  auto rounded = tt::FpToFpOp::create(builder, op->getLoc(), narrow, result, rounding);
  result.replaceAllUsesExcept(rounded, rounded);
}

void widenOperands(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(widen(builder, op->getLoc(), operand.get()));
}

/// A sum or another single operation is rounded once, at its end. False for other combinations, whose operations are
/// widened one by one.
template <typename Op> bool widenCombination(Op op) {
  Operation *combiner = op.getSingleCombiner();
  if (!combiner || op.getSrcs().size() != 1 || !computesFloat8(combiner))
    return false;
  widenOperands(op);
  for (BlockArgument argument : op.getCombineOp().getArguments())
    argument.setType(widen(argument.getType()));
  combiner->getResult(0).setType(widen(combiner->getResult(0).getType()));
  widenResult(op);
  return true;
}

struct TritonGPUWidenFloat8 : impl::TritonGPUWidenFloat8Base<TritonGPUWidenFloat8> {
  void runOnOperation() override {
    SmallVector<Operation *> computing;
    getOperation().walk([&](Operation *op) {
      if (isa<tt::ReduceOp, tt::ScanOp>(op) || computesFloat8(op))
        computing.push_back(op);
    });
    // Combinations follow the operations in their regions, and must be handled first.
    for (Operation *op : llvm::reverse(computing)) {
      if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
        widenCombination(reduce);
      } else if (auto scan = dyn_cast<tt::ScanOp>(op)) {
        widenCombination(scan);
      } else if (computesFloat8(op)) {
        widenOperands(op);
        widenResult(op);
      }
    }
  }
};

} // namespace

} // namespace triton::ttg
