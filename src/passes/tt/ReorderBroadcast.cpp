// triton-reorder-broadcast: elementwise operations move above splats and broadcasts.
#include "base/OptionalPass.h"
#include "ir/UniformValues.h"
#include "passes/tt/Passes.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONREORDERBROADCAST
#include "passes/tt/Passes.h.inc"

namespace {

/// Whether `op` computes one tensor element by element and can be applied to other shapes without changes.
bool isMovableElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->getNumOperands() != 0 && isMemoryEffectFree(op) && isa<RankedTensorType>(op->getResultTypes().front());
}

/// Creates `op` with other operands, which have another shape.
Value rebuild(Operation *op, ValueRange operands, Type resultType, PatternRewriter &rewriter) {
  OperationState state(op->getLoc(), op->getName(), operands, resultType, op->getAttrs());
  return rewriter.create(state)->getResult(0);
}

/// For operations of any name. A pattern for a trait would make an entry for each operation of all dialects, and that
/// takes longer than this pass.
struct ElementwisePattern : RewritePattern {
  explicit ElementwisePattern(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}
};

/// op(splat, splat, constant) becomes splat(op(scalar, scalar, constant)).
struct MoveBelowSplat : ElementwisePattern {
  using ElementwisePattern::ElementwisePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isMovableElementwise(op))
      return failure();
    bool anySplat = false;
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType()) && !isUniform(operand))
        return failure();
      anySplat |= bool(operand.getDefiningOp<SplatOp>());
    }
    if (!anySplat)
      return failure();

    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(isa<RankedTensorType>(operand.getType()) ? getUniformScalar(rewriter, operand) : operand);
    Type resultType = op->getResultTypes().front();
    Value scalar = rebuild(op, scalars, getElementTypeOrSelf(resultType), rewriter);
    rewriter.replaceOpWithNewOp<SplatOp>(op, resultType, scalar);
    return success();
  }
};

/// op(broadcast(x), broadcast(y), splat) becomes broadcast(op(x, y, splat)) where x and y have the same shape.
struct MoveBelowBroadcast : ElementwisePattern {
  using ElementwisePattern::ElementwisePattern;

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isMovableElementwise(op))
      return failure();
    RankedTensorType smallType;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        auto type = cast<RankedTensorType>(broadcast.getSrc().getType());
        if (smallType && smallType.getShape() != type.getShape())
          return failure();
        smallType = type;
      } else if (isa<RankedTensorType>(operand.getType()) && !isUniform(operand)) {
        return failure();
      }
    }
    if (!smallType)
      return failure();

    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(shrink(operand, smallType, op->getLoc(), rewriter));
    Type resultType = op->getResultTypes().front();
    Value small = rebuild(op, operands, withElementType(smallType, getElementTypeOrSelf(resultType)), rewriter);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, resultType, small);
    return success();
  }

private:
  /// `operand`, which does not vary along the broadcast dimensions, with the shape of `smallType`.
  static Value shrink(Value operand, RankedTensorType smallType, Location loc, PatternRewriter &rewriter) {
    if (!isa<RankedTensorType>(operand.getType()))
      return operand;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return broadcast.getSrc();
    auto type = cast<RankedTensorType>(withElementType(smallType, getElementTypeOrSelf(operand.getType())));
    if (auto splat = operand.getDefiningOp<SplatOp>())
      return SplatOp::create(rewriter, loc, type, splat.getSrc());
    return arith::ConstantOp::create(rewriter, loc, getConstantSplat(operand).resizeSplat(type));
  }
};

struct ReorderBroadcast : impl::TritonReorderBroadcastBase<ReorderBroadcast>, base::OptionalPass {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<MoveBelowSplat, MoveBelowBroadcast>(context);
    BroadcastOp::getCanonicalizationPatterns(patterns, context);
    ExpandDimsOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::tt
