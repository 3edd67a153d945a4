// Operations of the dialect tt that make tensors or rearrange their elements: inference, verifiers, folders,
// canonicalization.
#include "ir/Dialect.h"
#include "ir/EncodingInference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace triton::tt {

/// The constant of type `type` whose elements have the one value of the elements of `operand`; null when `operand` has
/// more than one.
static Attribute resizeSplat(Attribute operand, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(operand);
  if (!splat)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(type), splat.getSplatValue<Attribute>());
}

bool areTypesEquivalent(TypeRange left, TypeRange right) {
  auto areEquivalent = [](std::tuple<Type, Type> types) {
    auto [one, other] = types;
    auto tensor = dyn_cast<RankedTensorType>(one), same = dyn_cast<RankedTensorType>(other);
    if (one == other || !tensor || !same || tensor.getShape() != same.getShape() ||
        tensor.getElementType() != same.getElementType() || !tensor.getEncoding() || !same.getEncoding())
      return one == other;
    const auto *encodings = tensor.getEncoding().getDialect().getRegisteredInterface<EncodingInferenceInterface>();
    return encodings->areEquivalent(tensor.getShape(), tensor.getEncoding(), same.getEncoding());
  };
  return left.size() == right.size() && llvm::all_of(llvm::zip(left, right), areEquivalent);
}

/// An operation that only rearranges, applied to a splat, is a splat of the result's shape.
template <typename OpType> struct RearrangeOfSplat : OpRewritePattern<OpType> {
  using OpRewritePattern<OpType>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpType op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// MakeRangeOp
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  // The bounds are unsigned, so ranges up to 2^32 exist.
  int64_t start = getStart(), end = getEnd();
  if (start >= end)
    return emitOpError() << "goes from " << start << " to " << end << ", but the start must be below the end";
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || type.getDimSize(0) != end - start)
    return emitOpError() << "has " << end - start << " elements, but its type is " << type;
  if (!type.getElementType().isInteger(32))
    return emitOpError() << "has elements of type " << type.getElementType() << ", they must be i32";
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getEnd() - getStart() != 1)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), APInt(32, getStart()));
}

//===----------------------------------------------------------------------===//
// SplatOp and UnsplatOp
//===----------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (getSrc().getType() != element)
    return emitOpError() << "repeats " << getSrc().getType() << ", but the elements are " << element;
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_nonnull<FloatAttr, IntegerAttr>(value))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  results.push_back(getElementTypeOrSelf(adaptor.getSrc().getType()));
  return success();
}

LogicalResult UnsplatOp::verify() {
  auto type = cast<RankedTensorType>(getSrc().getType());
  if (type.getNumElements() != 1)
    return emitOpError() << "takes the value of " << type << ", which must have exactly one element";
  return success();
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto constant = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return constant.getSplatValue<Attribute>();
  return {};
}

//===----------------------------------------------------------------------===//
// ExpandDimsOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  if (!source)
    return emitOptionalError(location, "tt.expand_dims needs a tensor");
  int64_t axis = adaptor.getAxis();
  if (axis > source.getRank())
    return emitOptionalError(location, "inserts a dimension at ", axis, ", but the operand has rank ",
                             source.getRank());
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  results.push_back(inferTensorType(source, shape, [&](const EncodingInferenceInterface &encodings) {
    return encodings.expandDims(source.getShape(), source.getEncoding(), axis);
  }));
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return resizeSplat(adaptor.getSrc(), getType()); }

namespace {

/// expand_dims(broadcast(x)) becomes broadcast(expand_dims(x)), so that the smaller tensor is rearranged.
struct ExpandDimsOfBroadcast : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandDimsOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    Value expanded = ExpandDimsOp::create(rewriter, op.getLoc(), broadcast.getSrc(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), expanded);
    return success();
  }
};

} // namespace

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<RearrangeOfSplat<ExpandDimsOp>, ExpandDimsOfBroadcast>(context);
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
  if (source.getNumElements() != result.getNumElements())
    return emitOpError() << "makes " << result << " of " << source << ", but both must have as many elements";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // If elements may be in any order, a reshape to the same type may still be useful for the layout that is chosen
  // later.
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  if (Attribute splat = resizeSplat(adaptor.getSrc(), getType()))
    return splat;
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return dense.reshape(cast<ShapedType>(getType()));
  return {};
}

namespace {

struct ReshapeOfReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto source = op.getSrc().getDefiningOp<ReshapeOp>();
    if (!source)
      return failure();
    bool mayReorder = op.getAllowReorder() || source.getAllowReorder();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), source.getSrc(), mayReorder, op.getEfficientLayout());
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<RearrangeOfSplat<ReshapeOp>, ReshapeOfReshape>(context);
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
  if (source.getRank() != result.getRank())
    return emitOpError() << "makes " << result << " of " << source << ", but both must have the same rank";
  for (auto [dimension, extents] : llvm::enumerate(llvm::zip(source.getShape(), result.getShape()))) {
    auto [from, to] = extents;
    if (from != 1 && from != to)
      return emitOpError() << "changes dimension " << dimension << " from " << from << " to " << to
                           << ", but only an extent of 1 can grow";
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resizeSplat(adaptor.getSrc(), getType());
}

namespace {

struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto source = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!source)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), source.getSrc());
    return success();
  }
};

} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<RearrangeOfSplat<BroadcastOp>, BroadcastOfBroadcast>(context);
}

//===----------------------------------------------------------------------===//
// CatOp, JoinOp, SplitOp
//===----------------------------------------------------------------------===//

LogicalResult CatOp::verify() {
  auto operand = cast<RankedTensorType>(getLhs().getType()), result = cast<RankedTensorType>(getType());
  if (operand.getRank() != 1 || result.getRank() != 1 || result.getDimSize(0) != 2 * operand.getDimSize(0))
    return emitOpError() << "makes " << result << " of two " << operand
                         << ", but it takes two tensors of rank 1 to one of twice the extent";
  return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  auto operand = dyn_cast<RankedTensorType>(adaptor.getLhs().getType());
  if (!operand)
    return emitOptionalError(location, "tt.join needs tensors");
  SmallVector<int64_t> shape(operand.getShape());
  shape.push_back(2);
  results.push_back(inferTensorType(operand, shape, [&](const EncodingInferenceInterface &encodings) {
    return encodings.join(operand.getShape(), operand.getEncoding());
  }));
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto operand = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  if (!operand || operand.getRank() == 0 || operand.getShape().back() != 2)
    return emitOptionalError(location, "splits ", adaptor.getSrc().getType(), ", whose last extent must be 2");
  auto half =
      inferTensorType(operand, operand.getShape().drop_back(), [&](const EncodingInferenceInterface &encodings) {
        return encodings.split(operand.getShape(), operand.getEncoding());
      });
  results.append(2, half);
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  // In Gluon, what comes back has the layout that follows from the join, which may be written in another way.
  if (!join || join.getLhs().getType() != getResult(0).getType())
    return failure();
  results.append({join.getLhs(), join.getRhs()});
  return success();
}

//===----------------------------------------------------------------------===//
// TransOp
//===----------------------------------------------------------------------===//

static RankedTensorType transposedType(RankedTensorType operand, ArrayRef<int32_t> order) {
  SmallVector<int64_t> shape;
  for (int32_t dimension : order)
    shape.push_back(operand.getDimSize(dimension));
  return inferTensorType(operand, shape, [&](const EncodingInferenceInterface &encodings) {
    return encodings.transpose(operand.getShape(), operand.getEncoding(), order);
  });
}

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &results) {
  auto operand = dyn_cast<RankedTensorType>(adaptor.getSrc().getType());
  if (!operand)
    return emitOptionalError(location, "tt.trans needs a tensor");
  ArrayRef<int32_t> order = adaptor.getOrder();
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, operand.getRank())))
    return emitOptionalError(location, "permutes the dimensions in an order that is not a permutation of all ",
                             operand.getRank());
  results.push_back(transposedType(operand, order));
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  // In Gluon, the result may have the layout of the source in another spelling.
  bool keepsOrder = llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size()));
  if (keepsOrder && getSrc().getType() == getType())
    return getSrc();
  if (auto source = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> composed;
    for (int32_t dimension : getOrder())
      composed.push_back(source.getOrder()[dimension]);
    if (transposedType(cast<RankedTensorType>(source.getSrc().getType()), composed) == getType()) {
      setOrder(composed);
      getSrcMutable().assign(source.getSrc());
      return getResult();
    }
  }
  if (auto splat = getSrc().getDefiningOp<SplatOp>(); splat && splat.getType() == getType())
    return splat.getResult();
  return resizeSplat(adaptor.getSrc(), getType());
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(withElementType(adaptor.getIndices().getType(), getElementTypeOrSelf(adaptor.getSrc().getType())));
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (source.getRank() != indices.getRank())
    return emitOpError() << "picks from " << source << " by " << indices << ", but both must have the same rank";
  if (int64_t(getAxis()) >= source.getRank())
    return emitOpError() << "picks along dimension " << getAxis() << ", but the rank is " << source.getRank();
  for (int64_t dimension = 0; dimension < source.getRank(); ++dimension)
    if (dimension != int64_t(getAxis()) && source.getDimSize(dimension) != indices.getDimSize(dimension))
      return emitOpError() << "picks from " << source << " by " << indices << ", but only dimension " << getAxis()
                           << " may differ";
  return success();
}

} // namespace triton::tt
