#include "passes/llvm/ForLoops.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

bool triton::passes::mayWrap(scf::ForOp loop) {
  APInt step, upper;
  if (!loop.getUpperBound().getType().isSignlessInteger())
    return false; // An index of the compiler's own loops.
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return true;
  if (step.isOne())
    return false;
  if (!matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
    return true;
  bool wraps = false;
  (void)(loop.getUnsignedCmp() ? upper.uadd_ov(step, wraps) : upper.sadd_ov(step, wraps));
  return wraps;
}

namespace {

/// Tests at the end of an iteration whether there is a next index. In general, that must be known before it is
/// computed. From a number that is not negative, one step leads to a number that is right without its sign.
struct LowerWrappingLoop : OpRewritePattern<scf::ForOp> {
  LowerWrappingLoop(MLIRContext *context, const llvm::DenseSet<Operation *> &upwards)
      : OpRewritePattern(context, /*benefit=*/10), upwards(upwards) {}

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    if (!triton::passes::mayWrap(loop))
      return failure();
    Location location = loop.getLoc();
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
    bool isUnsigned = loop.getUnsignedCmp(), isUpwards = upwards.contains(loop);
    Block *before = rewriter.getInsertionBlock();
    Block *rest = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    Block *after =
        rewriter.createBlock(rest, loop.getResultTypes(), SmallVector<Location>(loop.getNumResults(), location));
    cf::BranchOp::create(rewriter, location, rest);
    Block *first = &loop.getRegion().front(), *last = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), after);

    auto below = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    rewriter.setInsertionPointToEnd(before);
    Value limit = isUpwards ? Value() : lastIndexButOne(rewriter, location, upper, step, isUnsigned);
    Value isEntered = arith::CmpIOp::create(rewriter, location, below, lower, upper);
    SmallVector<Value> entering = {lower};
    llvm::append_range(entering, loop.getInitArgs());
    cf::CondBranchOp::create(rewriter, location, isEntered, first, entering, after, loop.getInitArgs());

    Operation *yield = last->getTerminator();
    Value index = first->getArgument(0), goesOn;
    if (isUpwards) {
      rewriter.setInsertionPointToStart(first);
      assumeNotNegative(rewriter, location, index);
    }
    rewriter.setInsertionPoint(yield);
    if (!isUpwards)
      goesOn = arith::CmpIOp::create(rewriter, location, below, index, limit);
    auto flags = isUnsigned || isUpwards ? arith::IntegerOverflowFlags::nuw : arith::IntegerOverflowFlags::nsw;
    SmallVector<Value> next = {arith::AddIOp::create(rewriter, location, index, step, flags)};
    if (isUpwards)
      goesOn = arith::CmpIOp::create(rewriter, location, arith::CmpIPredicate::ult, next.front(), upper);
    llvm::append_range(next, yield->getOperands());
    auto branch = cf::CondBranchOp::create(rewriter, location, goesOn, first, next, after, yield->getOperands());
    for (NamedAttribute attribute : loop->getDiscardableAttrs())
      if (isa_and_nonnull<LLVM::LLVMDialect>(attribute.getNameDialect()))
        branch->setDiscardableAttr(attribute.getName(), attribute.getValue());
    rewriter.eraseOp(yield);
    rewriter.replaceOp(loop, after->getArguments());
    return success();
  }

private:
  /// LLVM does not find it out by itself, and divides numbers that have no sign by fewer instructions.
  static void assumeNotNegative(OpBuilder &builder, Location location, Value index) {
    Value zero = arith::ConstantOp::create(builder, location, builder.getIntegerAttr(index.getType(), 0));
    Value isNotNegative = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge, index, zero);
    LLVM::AssumeOp::create(builder, location, isNotNegative);
  }

  /// upper - step, or the least number where that is less: an index below it has a next one.
  static Value lastIndexButOne(OpBuilder &builder, Location location, Value upper, Value step, bool isUnsigned) {
    Type type = upper.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    APInt least = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
    Value end = arith::ConstantOp::create(builder, location, builder.getIntegerAttr(type, least));
    Value difference = arith::SubIOp::create(builder, location, upper, step);
    auto above = isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    Value wraps = arith::CmpIOp::create(builder, location, above, difference, upper);
    return arith::SelectOp::create(builder, location, wraps, end, difference);
  }

  const llvm::DenseSet<Operation *> upwards;
};

} // namespace

void triton::passes::populateControlFlowPatterns(RewritePatternSet &patterns,
                                                 const llvm::DenseSet<Operation *> &upwards) {
  populateSCFToControlFlowConversionPatterns(patterns);
  patterns.add<LowerWrappingLoop>(patterns.getContext(), upwards);
}
