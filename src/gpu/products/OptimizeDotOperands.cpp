// Brings operands of matrix products from memory through swizzled buffers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/ir/Dialect.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUOPTIMIZEDOTOPERANDS
#include "gpu/products/Passes.h.inc"

namespace {

/// The order of the buffer for an operand: that in which threads hold neighbours, or along K where they hold patches
/// (TransposeInThreads.cpp).
SmallVector<unsigned> findOrder(RankedTensorType contents, bool isTransposed, DotOperandEncodingAttr operand,
                                const gpu::Machine &machine) {
  SmallVector<unsigned> order = getOrder(contents);
  if (machine.readsTransposed(contents.getElementTypeBitWidth()) || operand.getKWidth() == 0 || order.size() != 2)
    return order;
  unsigned kDimension = (operand.getOpIdx() == 0) != isTransposed ? 1 : 0;
  if (order.front() != kDimension && holdsNeighbors(contents, kDimension))
    std::swap(order[0], order[1]);
  return order;
}

/// The product that `user` is, or for which alone it widens an operand.
tt::DotOp findProduct(Operation *user) {
  if (isa<arith::ExtFOp>(user) && user->hasOneUse() && user->getBlock() == (*user->user_begin())->getBlock())
    user = *user->user_begin();
  return dyn_cast<tt::DotOp>(user);
}

/// Whether both operands of every product that uses `operand` fit into shared memory. Matrix units have no other way to
/// get their operands.
bool fitsBuffers(ConvertLayoutOp operand, const gpu::Machine &machine) {
  int64_t capacity = Budget(machine, getNumWarps(operand)).bytesOfOperands();
  auto bytesOf = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() * int64_t(type.getElementTypeBitWidth()) / 8;
  };
  return llvm::all_of(operand->getUsers(), [&](Operation *user) {
    tt::DotOp dot = findProduct(user);
    return dot && bytesOf(dot.getA()) + bytesOf(dot.getB()) <= capacity;
  });
}

/// A buffer with what `contents` holds, which may be one that another operand of the same block has. Threads also read
/// what units read themselves: two buffers for one load would keep copies from bringing it ahead.
Value getBuffer(PatternRewriter &rewriter, ConvertLayoutOp op, Value contents, MemDescType type) {
  for (Operation *user : contents.getUsers())
    if (auto known = dyn_cast<LocalAllocOp>(user);
        known && known->getBlock() == op->getBlock() &&
        (known.getType() == type || isa<NvmmaSharedEncodingAttr>(known.getType().getEncoding()))) {
      if (op->isBeforeInBlock(known))
        rewriter.moveOpBefore(known, op);
      return known;
    }
  return LocalAllocOp::create(rewriter, op.getLoc(), type, contents);
}

/// convert(x) to an operand becomes load(alloc(x)); for a transposed tensor, load(trans(alloc(x))).
struct OperandThroughBuffer : OpRewritePattern<ConvertLayoutOp> {
  OperandThroughBuffer(MLIRContext *context, const gpu::Machine &machine)
      : OpRewritePattern(context), machine(machine) {}

  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    auto target = cast<RankedTensorType>(op.getType()), source = cast<RankedTensorType>(op.getSrc().getType());
    auto operand = dyn_cast<DotOperandEncodingAttr>(target.getEncoding());
    // Pointers reach an operand's layout where a product's loads go through them; no unit reads them from a buffer.
    if (!operand || !target.getElementType().isIntOrFloat() || target.getElementTypeBitWidth() < 8)
      return failure();
    // A conversion may also precede the transposition, which then needs no second one.
    auto transposed = op.getSrc().getDefiningOp<tt::TransOp>();
    auto early = transposed ? transposed.getSrc().getDefiningOp<ConvertLayoutOp>() : ConvertLayoutOp();
    auto converted = early ? cast<RankedTensorType>(early.getSrc().getType()) : source;
    if (isa<MatrixEncodingInterface>(converted.getEncoding()) ||
        (!early && areLayoutsEquivalent(source.getShape(), source.getEncoding(), target.getEncoding())))
      return failure();
    Value contents = early ? early.getSrc() : transposed ? transposed.getSrc() : op.getSrc();
    auto contentsType = cast<RankedTensorType>(contents.getType());
    bool isOrdinary = isa<BlockedEncodingAttr>(operand.getParent());
    if (isOrdinary && !fitsBuffers(op, machine))
      return failure();
    SwizzledSharedEncodingAttr shared = getSwizzledEncoding(
        contentsType, findOrder(contentsType, bool(transposed), operand, machine), operand.getKWidth(), machine);
    MemDescType type = getOperandBufferType(contentsType, shared);
    // Ordinary units keep sums in the buffers of their factors.
    Value buffer = isOrdinary ? LocalAllocOp::create(rewriter, op.getLoc(), type, contents).getResult()
                              : getBuffer(rewriter, op, contents, type);
    if (transposed) {
      auto encoding = cast<SharedEncodingInterface>(cast<MemDescType>(buffer.getType()).getEncoding());
      buffer = MemDescTransOp::create(rewriter, op.getLoc(),
                                      getOperandBufferType(source, encoding.getPermuted(transposed.getOrder())), buffer,
                                      transposed.getOrder());
    }
    // A product on ordinary units reads its buffer step by step, so the load must directly precede it.
    auto load = [&] { return LocalLoadOp::create(rewriter, op.getLoc(), target, buffer, Value()).getResult(); };
    if (!isOrdinary) {
      rewriter.replaceOp(op, load());
      return success();
    }
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      if (tt::DotOp dot = findProduct(use.getOwner()); dot != use.getOwner())
        rewriter.moveOpBefore(use.getOwner(), dot);
      rewriter.setInsertionPoint(use.getOwner());
      rewriter.modifyOpInPlace(use.getOwner(), [&] { use.set(load()); });
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  const gpu::Machine &machine;
};

struct TritonGPUOptimizeDotOperands : impl::TritonGPUOptimizeDotOperandsBase<TritonGPUOptimizeDotOperands>,
                                      base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<OperandThroughBuffer>(&getContext(), target->machine());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::ttg
