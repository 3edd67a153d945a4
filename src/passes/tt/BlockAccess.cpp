// Splits block pointers and descriptors, and accesses blocks through tensors of pointers.
#include "passes/tt/BlockAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace triton::tt {

//===----------------------------------------------------------------------===//
// Addresses and masks
//===----------------------------------------------------------------------===//

Value extendToI64(OpBuilder &builder, Location loc, Value value) {
  return value.getType().isInteger(64) ? value : arith::ExtSIOp::create(builder, loc, builder.getI64Type(), value);
}

BlockDimension createRange(OpBuilder &builder, Location loc, Value start, int64_t extent) {
  auto narrow = RankedTensorType::get({extent}, builder.getI32Type());
  Value range = MakeRangeOp::create(builder, loc, narrow, 0, extent);
  Value lanes = arith::ExtSIOp::create(builder, loc, narrow.clone(builder.getI64Type()), range);
  return {lanes, start};
}

/// `value`, which has rank 1 along `dimension`, repeated along the other dimensions.
static Value spread(OpBuilder &builder, Location loc, Value value, int64_t dimension, ArrayRef<int64_t> shape) {
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
    if (axis != dimension)
      value = ExpandDimsOp::create(builder, loc, value, axis);
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return value.getType() == type ? value : BroadcastOp::create(builder, loc, type, value);
}

static SmallVector<int64_t> getShape(ArrayRef<BlockDimension> dimensions) {
  SmallVector<int64_t> shape;
  for (const BlockDimension &dimension : dimensions)
    if (dimension.lanes)
      shape.push_back(cast<RankedTensorType>(dimension.lanes.getType()).getDimSize(0));
  return shape;
}

static Value createPointers(OpBuilder &builder, Location loc, const StridedArray &array,
                            ArrayRef<BlockDimension> dimensions) {
  SmallVector<int64_t> shape = getShape(dimensions);
  Value base = array.base, offsets;
  int64_t axis = 0;
  for (auto [dimension, stride] : llvm::zip_equal(dimensions, array.strides)) {
    if (dimension.start) {
      Value moved = arith::MulIOp::create(builder, loc, dimension.start, stride);
      base = AddPtrOp::create(builder, loc, base, moved);
    }
    if (!dimension.lanes)
      continue;
    Value strides = SplatOp::create(builder, loc, dimension.lanes.getType(), stride);
    Value lanes = arith::MulIOp::create(builder, loc, dimension.lanes, strides);
    Value spreadLanes = spread(builder, loc, lanes, axis++, shape);
    offsets = offsets ? arith::AddIOp::create(builder, loc, offsets, spreadLanes) : spreadLanes;
  }
  Value pointers = SplatOp::create(builder, loc, RankedTensorType::get(shape, base.getType()), base);
  return offsets ? AddPtrOp::create(builder, loc, pointers, offsets) : pointers;
}

/// Which coordinates of `dimension` are those of an array of this extent: a tensor of rank 1, or a scalar.
static Value createBounds(OpBuilder &builder, Location loc, const BlockDimension &dimension, Value extent) {
  Value coordinates = dimension.lanes ? dimension.lanes : dimension.start;
  Type type = coordinates.getType();
  if (dimension.lanes) {
    extent = SplatOp::create(builder, loc, type, extent);
    if (dimension.start)
      coordinates = arith::AddIOp::create(builder, loc, coordinates,
                                          SplatOp::create(builder, loc, type, dimension.start).getResult());
  }
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value notBefore = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, coordinates, zero);
  Value notAfter = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, coordinates, extent);
  return arith::AndIOp::create(builder, loc, notBefore, notAfter);
}

static Value createMask(OpBuilder &builder, Location loc, const StridedArray &array,
                        ArrayRef<BlockDimension> dimensions, ArrayRef<int32_t> checked) {
  SmallVector<int64_t> shape = getShape(dimensions);
  Value mask;
  for (int32_t index : checked) {
    const BlockDimension &dimension = dimensions[index];
    Value inside = createBounds(builder, loc, dimension, array.shape[index]);
    int64_t axis =
        llvm::count_if(dimensions.take_front(index), [](const BlockDimension &before) { return bool(before.lanes); });
    inside = dimension.lanes ? spread(builder, loc, inside, axis, shape)
                             : SplatOp::create(builder, loc, RankedTensorType::get(shape, inside.getType()), inside);
    mask = mask ? arith::AndIOp::create(builder, loc, mask, inside) : inside;
  }
  return mask;
}

BlockAccess createAccess(OpBuilder &builder, Location loc, const StridedArray &array,
                         ArrayRef<BlockDimension> dimensions, ArrayRef<int32_t> checked) {
  Value pointers = createPointers(builder, loc, array, dimensions);
  return {pointers, createMask(builder, loc, array, dimensions, checked)};
}

TypedAttr getPaddingValue(Type element, PaddingOption padding) {
  if (padding == PaddingOption::NaN) {
    auto type = cast<FloatType>(element);
    return FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()));
  }
  return Builder(element.getContext()).getZeroAttr(element);
}

//===----------------------------------------------------------------------===//
// Carrying parts instead of wholes
//===----------------------------------------------------------------------===//

static SmallVector<Value> flatten(ArrayRef<ValueRange> ranges) {
  SmallVector<Value> values;
  for (ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

namespace {

struct SplitFunction : OpConversionPattern<FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FuncOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    FunctionType type = op.getFunctionType();
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    SmallVector<Type> results;
    if (failed(getTypeConverter()->convertSignatureArgs(type.getInputs(), signature)) ||
        failed(getTypeConverter()->convertTypes(type.getResults(), results)) ||
        (!op.isExternal() && failed(rewriter.convertRegionTypes(&op.getBody(), *getTypeConverter(), &signature))))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      splitArgumentAttributes(op, signature);
      op.setFunctionType(rewriter.getFunctionType(signature.getConvertedTypes(), results));
    });
    return success();
  }

private:
  /// Attributes of a whole do not hold for its parts; other parameters keep their attributes.
  static void splitArgumentAttributes(FuncOp op, const TypeConverter::SignatureConversion &signature) {
    ArrayAttr old = op.getArgAttrsAttr();
    if (!old)
      return;
    SmallVector<Attribute> attributes(signature.getConvertedTypes().size(), DictionaryAttr::get(op.getContext()));
    for (auto [index, attribute] : llvm::enumerate(old))
      if (auto mapping = signature.getInputMapping(index); mapping && mapping->size == 1)
        attributes[mapping->inputNo] = attribute;
    op.setArgAttrsAttr(ArrayAttr::get(op.getContext(), attributes));
  }
};

struct SplitCall : OpConversionPattern<CallOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CallOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<unsigned> sizes;
    for (Type type : op.getResultTypes()) {
      unsigned before = types.size();
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      sizes.push_back(types.size() - before);
    }
    auto call = CallOp::create(rewriter, op.getLoc(), op.getCallee(), types, flatten(adaptor.getOperands()));
    SmallVector<ValueRange> replacements;
    ValueRange remaining = call.getResults();
    for (unsigned size : sizes) {
      replacements.push_back(remaining.take_front(size));
      remaining = remaining.drop_front(size);
    }
    rewriter.replaceOpWithMultiple(op, replacements);
    return success();
  }
};

struct SplitReturn : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReturnOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ReturnOp>(op, flatten(adaptor.getOperands()));
    return success();
  }
};

struct SplitSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [whenTrue, whenFalse] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(rewriter, op.getLoc(), op.getCondition(), whenTrue, whenFalse));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

struct SplitPoison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OneToNOpAdaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> parts;
    for (Type type : types)
      parts.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type, op.getValue()));
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>(parts));
    return success();
  }
};

} // namespace

/// Checks every type that `op` mentions outside of its attributes.
static bool allTypes(Operation *op, function_ref<bool(Type)> predicate) {
  if (auto function = dyn_cast<FuncOp>(op))
    if (!llvm::all_of(function.getArgumentTypes(), predicate) || !llvm::all_of(function.getResultTypes(), predicate))
      return false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (!llvm::all_of(block.getArgumentTypes(), predicate))
        return false;
  return llvm::all_of(op->getOperandTypes(), predicate) && llvm::all_of(op->getResultTypes(), predicate);
}

bool anyType(ModuleOp module, function_ref<bool(Type)> predicate) {
  WalkResult walk = module.walk([&](Operation *op) {
    return allTypes(op, [&](Type type) { return !predicate(type); }) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return walk.wasInterrupted();
}

LogicalResult splitValues(ModuleOp module, TypeConverter &converter, RewritePatternSet &&patterns) {
  MLIRContext *context = module.getContext();
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return allTypes(op, [&](Type type) { return converter.isLegal(type); }); });
  patterns.add<SplitFunction, SplitCall, SplitReturn, SplitSelect, SplitPoison>(converter, context);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  cf::populateCFStructuralTypeConversions(converter, patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

} // namespace triton::tt
