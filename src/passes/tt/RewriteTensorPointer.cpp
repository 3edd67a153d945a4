// triton-rewrite-tensor-pointer: block pointers become their parts, accesses go through tensors of pointers.
#include "passes/tt/BlockAccess.h"
#include "passes/tt/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONREWRITETENSORPOINTER
#include "passes/tt/Passes.h.inc"

namespace {

/// The parts of a block pointer: base, extents, strides, offsets. All except the base are i64.
struct BlockPointer {
  StridedArray array;
  SmallVector<Value> offsets;

  explicit BlockPointer(ValueRange parts) {
    unsigned rank = (parts.size() - 1) / 3;
    array.base = parts.front();
    array.shape.assign(parts.begin() + 1, parts.begin() + 1 + rank);
    array.strides.assign(parts.begin() + 1 + rank, parts.begin() + 1 + 2 * rank);
    offsets.assign(parts.begin() + 1 + 2 * rank, parts.end());
  }

  /// `type` is the type of the block pointer.
  BlockAccess createAccess(OpBuilder &builder, Location loc, Type type, ArrayRef<int32_t> checked) const {
    ArrayRef<int64_t> extents = cast<RankedTensorType>(getPointeeType(type)).getShape();
    SmallVector<BlockDimension> dimensions;
    for (auto [offset, extent] : llvm::zip_equal(offsets, extents))
      dimensions.push_back(createRange(builder, loc, offset, extent));
    return tt::createAccess(builder, loc, array, dimensions, checked);
  }
};

struct ConvertMakeTensorPtr : OpConversionPattern<MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{adaptor.getBase()};
    llvm::append_range(parts, adaptor.getShape());
    llvm::append_range(parts, adaptor.getStrides());
    for (Value offset : adaptor.getOffsets())
      parts.push_back(extendToI64(rewriter, op.getLoc(), offset));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

struct ConvertAdvance : OpConversionPattern<AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts(adaptor.getPtr());
    unsigned rank = op.getOffsets().size();
    for (unsigned dimension = 0; dimension < rank; ++dimension) {
      Value &offset = parts[parts.size() - rank + dimension];
      Value step = extendToI64(rewriter, op.getLoc(), op.getOffsets()[dimension]);
      offset = arith::AddIOp::create(rewriter, op.getLoc(), offset, step);
    }
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

struct ConvertLoadOfBlock : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BlockPointer block(adaptor.getPtr());
    BlockAccess access = block.createAccess(rewriter, loc, op.getPtr().getType(), op.getBoundaryCheck());
    Value other;
    if (access.mask && op.getPadding()) {
      auto type = cast<RankedTensorType>(op.getType());
      TypedAttr padding = getPaddingValue(type.getElementType(), *op.getPadding());
      other = arith::ConstantOp::create(rewriter, loc, SplatElementsAttr::get(type, padding));
    }
    rewriter.replaceOpWithNewOp<LoadOp>(op, access.pointers, access.mask, other, op.getCache(), op.getEvict(),
                                        op.getIsVolatile());
    return success();
  }
};

struct ConvertStoreOfBlock : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    BlockPointer block(adaptor.getPtr());
    BlockAccess access = block.createAccess(rewriter, op.getLoc(), op.getPtr().getType(), op.getBoundaryCheck());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, adaptor.getValue().front(), access.mask, op.getCache(),
                                         op.getEvict());
    return success();
  }
};

struct RewriteTensorPointer : impl::TritonRewriteTensorPointerBase<RewriteTensorPointer> {
  void runOnOperation() override {
    if (!anyType(getOperation(), isBlockPointer))
      return markAllAnalysesPreserved();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](PointerType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
      if (!isBlockPointer(type))
        return std::nullopt;
      int64_t rank = cast<RankedTensorType>(type.getPointeeType()).getRank();
      parts.push_back(getElementPointerType(type));
      parts.append(3 * rank, IntegerType::get(type.getContext(), 64));
      return success();
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertMakeTensorPtr, ConvertAdvance, ConvertLoadOfBlock, ConvertStoreOfBlock>(converter,
                                                                                                &getContext());
    if (failed(splitValues(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace triton::tt
