// triton-rewrite-tensor-descriptor-to-pointer: descriptors become their parts, accesses go through tensors of pointers.
#include "ir/DescriptorReduction.h"
#include "ir/Remarks.h"
#include "passes/tt/BlockAccess.h"
#include "passes/tt/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONREWRITETENSORDESCRIPTORTOPOINTER
#include "passes/tt/Passes.h.inc"

namespace {

/// The parts of a descriptor: base, extents and strides (i64), whether loads pad with NaN and whether they round to
/// tf32 (i1).
struct Descriptor {
  StridedArray array;
  Value padsWithNaN, roundsToTF32;

  explicit Descriptor(ValueRange parts) {
    unsigned rank = (parts.size() - 3) / 2;
    array.base = parts.front();
    array.shape.assign(parts.begin() + 1, parts.begin() + 1 + rank);
    array.strides.assign(parts.begin() + 1 + rank, parts.begin() + 1 + 2 * rank);
    padsWithNaN = parts.drop_back().back();
    roundsToTF32 = parts.back();
  }

  /// The value that loads give for elements outside of the array.
  Value createPadding(OpBuilder &builder, Location loc, RankedTensorType type) const {
    Type element = type.getElementType();
    Value value = arith::ConstantOp::create(builder, loc, getPaddingValue(element, PaddingOption::Zero));
    if (isa<FloatType>(element)) {
      Value nan = arith::ConstantOp::create(builder, loc, getPaddingValue(element, PaddingOption::NaN));
      value = arith::SelectOp::create(builder, loc, padsWithNaN, nan, value);
    }
    return SplatOp::create(builder, loc, type, value);
  }

  /// The result of a load of the elements `loaded`.
  Value createRounding(OpBuilder &builder, Location loc, Value loaded) const {
    if (!getElementTypeOrSelf(loaded).isF32())
      return loaded;
    return arith::SelectOp::create(builder, loc, roundsToTF32, createTF32(builder, loc, loaded), loaded);
  }

private:
  /// `value`, a tensor of f32, rounded to ten mantissa bits: to nearest, ties to even. If rounding up carries into the
  /// exponent, values that are too large become infinite. A NaN is not changed.
  static Value createTF32(OpBuilder &builder, Location loc, Value value) {
    auto bitsType = cast<RankedTensorType>(value.getType()).clone(builder.getI32Type());
    auto constant = [&](int32_t number) -> Value {
      return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(bitsType, number));
    };
    constexpr int32_t dropped = 13;
    Value bits = BitcastOp::create(builder, loc, bitsType, value);
    Value shifted = arith::ShRUIOp::create(builder, loc, bits, constant(dropped));
    Value isOdd = arith::AndIOp::create(builder, loc, shifted, constant(1));
    Value half = arith::AddIOp::create(builder, loc, isOdd, constant((1 << (dropped - 1)) - 1));
    Value rounded = arith::AddIOp::create(builder, loc, bits, half);
    Value kept = arith::AndIOp::create(builder, loc, rounded, constant(-(1 << dropped)));
    Value result = BitcastOp::create(builder, loc, value.getType(), kept);
    Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
    return arith::SelectOp::create(builder, loc, isNaN, value, result);
  }
};

RankedTensorType getBlockType(Value descriptor) {
  return cast<TensorDescType>(descriptor.getType()).getSignlessBlockType();
}

/// The access to elements of these coordinates, all checked.
BlockAccess createCheckedAccess(OpBuilder &builder, Location loc, const Descriptor &descriptor,
                                ArrayRef<BlockDimension> dimensions) {
  auto checked = llvm::to_vector(llvm::seq<int32_t>(0, dimensions.size()));
  return createAccess(builder, loc, descriptor.array, dimensions, checked);
}

/// The access to the block at `indices`, whose leading dimensions of extent 1 `accessed` may lack.
BlockAccess createBlockAccess(OpBuilder &builder, Location loc, const Descriptor &descriptor, Type accessed,
                              ValueRange indices) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(accessed).getShape();
  size_t dropped = indices.size() - shape.size();
  SmallVector<BlockDimension> dimensions;
  for (Value index : indices.take_front(dropped))
    dimensions.push_back({/*lanes=*/Value(), extendToI64(builder, loc, index)});
  for (auto [index, extent] : llvm::zip_equal(indices.drop_front(dropped), shape))
    dimensions.push_back(createRange(builder, loc, extendToI64(builder, loc, index), extent));
  return createCheckedAccess(builder, loc, descriptor, dimensions);
}

/// The access to the rows `rows`, from column `column` on.
BlockAccess createRowsAccess(OpBuilder &builder, Location loc, const Descriptor &descriptor, RankedTensorType block,
                             Value rows, Value column) {
  auto wide = cast<RankedTensorType>(rows.getType()).clone(builder.getI64Type());
  Value rowLanes = arith::ExtSIOp::create(builder, loc, wide, rows);
  BlockDimension columns = createRange(builder, loc, extendToI64(builder, loc, column), block.getDimSize(1));
  return createCheckedAccess(builder, loc, descriptor, {BlockDimension{rowLanes, Value()}, columns});
}

struct ConvertMakeTensorDesc : OpConversionPattern<MakeTensorDescOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeTensorDescOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{adaptor.getBase()};
    for (Value extent : adaptor.getShape())
      parts.push_back(extendToI64(rewriter, op.getLoc(), extent));
    llvm::append_range(parts, adaptor.getStrides());
    bool padsWithNaN = op.getPadding() == PaddingOption::NaN;
    parts.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(padsWithNaN)));
    parts.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(op.getRoundToTF32())));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

struct ConvertLoad : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor descriptor(adaptor.getDesc());
    BlockAccess access = createBlockAccess(rewriter, loc, descriptor, op.getType(), op.getIndices());
    Value padding = descriptor.createPadding(rewriter, loc, cast<RankedTensorType>(op.getType()));
    Value loaded = LoadOp::create(rewriter, loc, access.pointers, access.mask, padding, op.getCache(), op.getEvict());
    rewriter.replaceOp(op, descriptor.createRounding(rewriter, loc, loaded));
    return success();
  }
};

struct ConvertStore : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BlockAccess access =
        createBlockAccess(rewriter, loc, Descriptor(adaptor.getDesc()), op.getSrc().getType(), op.getIndices());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, op.getSrc(), access.mask);
    return success();
  }
};

struct ConvertReduce : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = cast<TensorDescType>(op.getDesc().getType()).getBlockType().getElementType();
    std::optional<RMWOp> operation = findAtomicOperation(op.getKind(), element);
    if (!operation)
      return op.emitError() << "not supported on targets without descriptors in hardware: `atomic_"
                            << stringifyDescriptorReduceKind(op.getKind()) << "` of a tensor descriptor of " << element
                            << " elements; of these `atomic_add`, of integers, float16 and bfloat16 also `atomic_min` "
                               "and `atomic_max`, are; "
                               "or use `tl.atomic_"
                            << stringifyDescriptorReduceKind(op.getKind()) << "` on pointers";
    BlockAccess access =
        createBlockAccess(rewriter, loc, Descriptor(adaptor.getDesc()), op.getSrc().getType(), op.getIndices());
    AtomicRMWOp::create(rewriter, loc, *operation, access.pointers, op.getSrc(), access.mask, MemSemantic::Relaxed,
                        MemSyncScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertGather : OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor descriptor(adaptor.getDesc());
    BlockAccess access =
        createRowsAccess(rewriter, loc, descriptor, getBlockType(op.getDesc()), op.getXOffsets(), op.getYOffset());
    Value padding = descriptor.createPadding(rewriter, loc, cast<RankedTensorType>(op.getType()));
    Value loaded = LoadOp::create(rewriter, loc, access.pointers, access.mask, padding);
    rewriter.replaceOp(op, descriptor.createRounding(rewriter, loc, loaded));
    return success();
  }
};

struct ConvertScatter : OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    BlockAccess access = createRowsAccess(rewriter, op.getLoc(), Descriptor(adaptor.getDesc()),
                                          getBlockType(op.getDesc()), op.getXOffsets(), op.getYOffset());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, op.getSrc(), access.mask);
    return success();
  }
};

struct RewriteTensorDescriptorToPointer
    : impl::TritonRewriteTensorDescriptorToPointerBase<RewriteTensorDescriptorToPointer> {
  using TritonRewriteTensorDescriptorToPointerBase::TritonRewriteTensorDescriptorToPointerBase;

  void runOnOperation() override {
    if (!anyType(getOperation(), [](Type type) { return isa<TensorDescType>(type); }))
      return markAllAnalysesPreserved();
    if (!bulkCopyObstacle.empty() && remarks::areWanted(getOperation()))
      getOperation().walk([&](Operation *op) { reportObstacle(op); });
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](TensorDescType type, SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
      RankedTensorType block = type.getSignlessBlockType();
      parts.push_back(PointerType::get(block.getElementType()));
      parts.append(2 * block.getRank(), IntegerType::get(type.getContext(), 64));
      parts.append(2, IntegerType::get(type.getContext(), 1));
      return success();
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertMakeTensorDesc, ConvertLoad, ConvertStore, ConvertReduce, ConvertGather, ConvertScatter>(
        converter, &getContext());
    if (failed(splitValues(getOperation(), converter, std::move(patterns))))
      signalPassFailure();
  }

private:
  void reportObstacle(Operation *op) {
    if (isa<DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp, DescriptorGatherOp, DescriptorScatterOp>(op))
      remarks::missed(op, remarks::access, "BulkCopy")
          << "the block of the tensor descriptor is accessed through pointers"
          << remarks::reason("{0}", bulkCopyObstacle.getValue());
  }
};

} // namespace

} // namespace triton::tt
