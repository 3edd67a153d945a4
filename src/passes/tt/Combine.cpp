// triton-combine: merges operations into cheaper ones.
#include "base/OptionalPass.h"
#include "ir/UniformValues.h"
#include "passes/tt/Passes.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONCOMBINE
#include "passes/tt/Passes.h.inc"

namespace {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// addptr(addptr(p, lanes), uniform) becomes addptr(addptr(p, uniform), lanes). Both additions wrap at 64 bits, so
/// their order does not matter, whatever the widths of the offsets are.
struct UniformOffsetFirst : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
    if (!inner || !isUniform(op.getOffset()) || isUniform(inner.getOffset()))
      return failure();
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), inner.getPtr(), op.getOffset());
    rewriter.replaceOpWithNewOp<AddPtrOp>(op, moved, inner.getOffset());
    return success();
  }
};

/// addptr(broadcast(p), uniform) becomes broadcast(addptr(p, uniform)). The same holds for expand_dims. The offset
/// thereby moves above the operations that make the shape, towards the scalar base.
template <typename ShapeOp> struct UniformOffsetBeforeShape : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto shaped = op.getPtr().getDefiningOp<ShapeOp>();
    if (!shaped || !isUniform(op.getOffset()))
      return failure();
    Value scalar = getUniformScalar(rewriter, op.getOffset());
    Type offsetType = withElementType(shaped.getSrc().getType(), scalar.getType());
    Value offset = SplatOp::create(rewriter, op.getLoc(), offsetType, scalar);
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), shaped.getSrc(), offset);
    rewriter.replaceOpWithNewOp<ShapeOp>(op, op->getResultTypes(), ValueRange{moved}, shaped->getAttrs());
    return success();
  }
};

/// addptr(addptr(p, i), j) becomes addptr(p, i + j) if the sum cannot wrap: for offsets of 64 bits, like the address
/// itself, or two constants.
struct MergeOffsets : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<AddPtrOp>();
    if (!inner || inner.getOffset().getType() != op.getOffset().getType())
      return failure();
    APInt first, second;
    if (matchPattern(inner.getOffset(), m_ConstantInt(&first)) &&
        matchPattern(op.getOffset(), m_ConstantInt(&second))) {
      bool wraps = false;
      APInt sum = first.sadd_ov(second, wraps);
      if (wraps)
        return failure();
      TypedAttr attribute = IntegerAttr::get(getElementTypeOrSelf(op.getOffset().getType()), sum);
      if (auto tensor = dyn_cast<RankedTensorType>(op.getOffset().getType()))
        attribute = SplatElementsAttr::get(tensor, sum);
      Value offset = arith::ConstantOp::create(rewriter, op.getLoc(), attribute);
      rewriter.replaceOpWithNewOp<AddPtrOp>(op, inner.getPtr(), offset);
      return success();
    }
    // A uniform offset stays separate, because it belongs to the scalar base.
    bool bothOrNoneUniform = isUniform(inner.getOffset()) == isUniform(op.getOffset());
    if (!getElementTypeOrSelf(op.getOffset().getType()).isInteger(64) || !bothOrNoneUniform)
      return failure();
    Value offset = arith::AddIOp::create(rewriter, op.getLoc(), inner.getOffset(), op.getOffset());
    rewriter.replaceOpWithNewOp<AddPtrOp>(op, inner.getPtr(), offset);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// dot(a, b, 0) + c becomes dot(a, b, c) when the product has no other use.
template <typename AddOp> struct AddToDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    return success(succeeded(merge(op, op.getLhs(), op.getRhs(), rewriter)) ||
                   succeeded(merge(op, op.getRhs(), op.getLhs(), rewriter)));
  }

private:
  static LogicalResult merge(AddOp op, Value product, Value addend, PatternRewriter &rewriter) {
    auto dot = product.getDefiningOp<DotOp>();
    if (!dot || !dot->hasOneUse())
      return failure();
    bool hasZeroAccumulator = matchPattern(dot.getC(), m_Zero()) || matchPattern(dot.getC(), m_AnyZeroFloat());
    // With a bound on imprecise sums, the product is deliberately accumulated separately from the sum.
    if (!hasZeroAccumulator || dot.getMaxNumImpreciseAcc() != 0)
      return failure();
    rewriter.replaceOpWithNewOp<DotOp>(op, dot.getA(), dot.getB(), addend, dot.getInputPrecision(),
                                       dot.getMaxNumImpreciseAcc());
    return success();
  }
};

/// The sum over k of a[i, k, 1] * b[1, k, j] becomes dot(a, b, 0).
struct ReduceOfProduct : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getAxis() != 1 || !isa_and_nonnull<arith::AddFOp>(op.getSingleCombiner()))
      return failure();
    auto product = op.getSrcs().front().getDefiningOp<arith::MulFOp>();
    auto type = cast<RankedTensorType>(op.getSrcs().front().getType());
    // For other types, matrix units and micro-kernels accumulate in a wider type than this sum.
    if (!product || type.getRank() != 3 || !type.getElementType().isF32())
      return failure();
    Value a = getExpanded(product.getLhs(), 2), b = getExpanded(product.getRhs(), 0);
    if (!a || !b) {
      a = getExpanded(product.getRhs(), 2);
      b = getExpanded(product.getLhs(), 0);
    }
    if (!a || !b)
      return failure();
    auto resultType = cast<RankedTensorType>(op->getResultTypes().front());
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(resultType));
    rewriter.replaceOpWithNewOp<DotOp>(op, a, b, zero, InputPrecision::IEEE, 0);
    return success();
  }

private:
  /// x if `value` is broadcast(expand_dims(x, axis)) and only that axis grew.
  static Value getExpanded(Value value, unsigned axis) {
    auto broadcast = value.getDefiningOp<BroadcastOp>();
    auto expand = broadcast ? broadcast.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
    if (!expand || expand.getAxis() != axis)
      return {};
    auto from = cast<RankedTensorType>(expand.getType()), to = cast<RankedTensorType>(value.getType());
    for (int64_t dimension = 0; dimension < to.getRank(); ++dimension)
      if (dimension != int64_t(axis) && from.getDimSize(dimension) != to.getDimSize(dimension))
        return {};
    return expand.getSrc();
  }
};

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// select(c, load(p, splat(c)), other) becomes load(p, splat(c), other).
struct SelectOfMaskedLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto load = op.getTrueValue().getDefiningOp<LoadOp>();
    if (!load || !load.getMask() || !load->hasOneUse() || load.getIsVolatile())
      return failure();
    auto splat = load.getMask().getDefiningOp<SplatOp>();
    bool sameCondition = load.getMask() == op.getCondition() || (splat && splat.getSrc() == op.getCondition());
    // The load replaces the select, so that the other value is available. Nothing may write in between.
    if (!sameCondition || load->getBlock() != op->getBlock() || writesBetween(load, op))
      return failure();
    rewriter.replaceOpWithNewOp<LoadOp>(op, load.getPtr(), load.getMask(), op.getFalseValue(), load.getCache(),
                                        load.getEvict(), load.getIsVolatile());
    return success();
  }

private:
  static bool writesBetween(Operation *first, Operation *last) {
    for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !isa<LoadOp>(op))
        return true;
    return false;
  }
};

struct Combine : impl::TritonCombineBase<Combine>, base::OptionalPass {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<UniformOffsetFirst, UniformOffsetBeforeShape<BroadcastOp>, UniformOffsetBeforeShape<ExpandDimsOp>,
                 MergeOffsets, AddToDot<arith::AddFOp>, AddToDot<arith::AddIOp>, ReduceOfProduct, SelectOfMaskedLoad>(
        context);
    AddPtrOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::tt
