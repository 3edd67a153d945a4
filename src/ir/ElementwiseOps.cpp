// Elementwise operations of the dialect tt: verifiers, folders, canonicalization.
#include "ir/Dialect.h"
#include "ir/PackedElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::tt {

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto source = getSrc().getDefiningOp<PtrToIntOp>();
  return source && source.getSrc().getType() == getType() ? source.getSrc() : Value();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto source = getSrc().getDefiningOp<IntToPtrOp>();
  return source && source.getSrc().getType() == getType() ? source.getSrc() : Value();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto source = getSrc().getDefiningOp<BitcastOp>()) {
    getSrcMutable().assign(source.getSrc());
    return getResult();
  }
  return {};
}

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType()), to = getElementTypeOrSelf(getType());
  if (isa<PointerType>(from) != isa<PointerType>(to))
    return emitOpError() << "casts " << from << " to " << to
                         << ", but pointers and numbers do not mix; use tt.ptr_to_int or tt.int_to_ptr";
  if (isa<PointerType>(from))
    return success();
  if (!from.isIntOrFloat() || !to.isIntOrFloat() || from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError() << "casts " << from << " to " << to << ", but both must have the same width";
  return success();
}

LogicalResult FpToFpOp::verify() {
  unsigned from = getElementTypeOrSelf(getSrc().getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
  if (to < from && !getRounding())
    return emitOpError() << "narrows " << from << " bits to " << to << ", so it must state its rounding";
  if (to > from && getRounding())
    return emitOpError() << "converts " << from << " bits to " << to
                         << "; a conversion to more bits has no rounding to state";
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  auto resultType = cast<FloatType>(getElementTypeOrSelf(getType()));
  if (isa<Float8E4B15Type>(resultType))
    return {};
  llvm::RoundingMode mode = getRounding() == RoundingMode::TowardZero ? llvm::RoundingMode::TowardZero
                                                                      : llvm::RoundingMode::NearestTiesToEven;
  return constFoldCastOp<FloatAttr, FloatAttr>(
      adaptor.getOperands(), getType(), [&](const APFloat &value, bool &castStatus) {
        APFloat converted = value;
        bool losesInfo = false;
        // Formats differ in their result for an overflow or a NaN, so these are left to the target.
        castStatus = value.isFinite() &&
                     !(converted.convert(resultType.getFloatSemantics(), mode, &losesInfo) & APFloat::opOverflow) &&
                     converted.isFinite();
        return converted;
      });
}

OpFoldResult MulhiUIOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getY(), m_Zero()) || matchPattern(getY(), m_One()))
    return Builder(getContext()).getZeroAttr(getType());
  return constFoldBinaryOp<IntegerAttr>(adaptor.getOperands(),
                                        [](const APInt &x, const APInt &y) { return llvm::APIntOps::mulhu(x, y); });
}

//===----------------------------------------------------------------------===//
// AddPtrOp
//===----------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor) { return matchPattern(getOffset(), m_Zero()) ? getPtr() : Value(); }

namespace {

/// addptr(splat(p), splat(i)) becomes splat(addptr(p, i)), so that the scalar addition is done once.
struct AddPtrOfSplats : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto pointer = op.getPtr().getDefiningOp<SplatOp>();
    if (!pointer)
      return failure();
    Value offset;
    DenseIntElementsAttr constant;
    if (auto splat = op.getOffset().getDefiningOp<SplatOp>())
      offset = splat.getSrc();
    else if (matchPattern(op.getOffset(), m_Constant(&constant)) && constant.isSplat())
      offset = arith::ConstantOp::create(rewriter, op.getLoc(), constant.getSplatValue<IntegerAttr>());
    else
      return failure();
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), pointer.getSrc(), offset);
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), moved);
    return success();
  }
};

} // namespace

void AddPtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddPtrOfSplats>(context);
}

//===----------------------------------------------------------------------===//
// External code
//===----------------------------------------------------------------------===//

/// Code that is not declared pure may read and write anything.
static void addEffects(bool pure, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

static Speculation::Speculatability speculatability(bool pure) {
  return pure ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ExternElementwiseOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addEffects(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() { return speculatability(getPure()); }

LogicalResult ExternElementwiseOp::verify() {
  if (!getSrcs().empty())
    return OpTrait::impl::verifySameOperandsAndResultShape(*this);
  if (isa<RankedTensorType>(getType()))
    return emitOpError("without operands has a scalar as its result, not a block");
  return success();
}

void ElementwiseInlineAsmOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addEffects(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() { return speculatability(getPure()); }

/// Each execution has operands and results for so many elements.
static LogicalResult verifyPack(Operation *op, uint32_t pack) {
  if (pack > mostPackedElements || !llvm::isPowerOf2_32(pack))
    return op->emitOpError() << "packs " << pack << " elements, the number must be a power of two up to "
                             << mostPackedElements;
  return success();
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (getNumResults() == 0)
    return emitOpError() << "has no result, it must have at least one";
  return verifyPack(*this, getPackedElement());
}

//===----------------------------------------------------------------------===//
// MapElementwiseOp
//===----------------------------------------------------------------------===//

LogicalResult MapElementwiseOp::verify() {
  if (getOperands().empty())
    return emitOpError() << "has no operand, it must have at least one";
  return verifyPack(*this, getPack());
}

/// `pack` copies of each element type, type by type.
static SmallVector<Type> packedElementTypes(TypeRange types, uint32_t pack) {
  SmallVector<Type> result;
  for (Type type : types)
    result.append(pack, getElementTypeOrSelf(type));
  return result;
}

LogicalResult MapElementwiseOp::verifyRegions() {
  if (getScalarOp().empty())
    return emitOpError() << "has an empty region, it must hold the scalar code";
  SmallVector<Type> arguments = packedElementTypes(getOperandTypes(), getPack());
  if (getScalarOp().getArgumentTypes() != TypeRange(arguments))
    return emitOpError() << "must have a region with arguments (" << arguments << ")";
  SmallVector<Type> results = packedElementTypes(getResultTypes(), getPack());
  WalkResult walk = getScalarOp().walk([&](MapElementwiseReturnOp returnOp) -> WalkResult {
    if (returnOp.getOperandTypes() != TypeRange(results))
      return returnOp.emitOpError() << "must return (" << results << ")";
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace triton::tt
