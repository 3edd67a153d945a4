// Memory operations of the dialect tt: effects, verifiers, canonicalization.
#include "ir/Dialect.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace triton::tt {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// What loads and stores share
//===----------------------------------------------------------------------===//

/// `dimensions` must be distinct dimensions of the block. Only block pointers are checked against bounds, and they do
/// not take a mask.
static LogicalResult verifyBlockAccess(Operation *op, Type pointer, ArrayRef<int32_t> boundaryCheck, bool hasMask) {
  if (!isBlockPointer(pointer)) {
    if (!boundaryCheck.empty())
      return op->emitOpError() << "has boundaryCheck, but " << pointer << " is not a block pointer";
    return success();
  }
  if (hasMask)
    return op->emitOpError() << "has a mask, but a block pointer is masked by boundaryCheck alone";
  int64_t rank = cast<RankedTensorType>(getPointeeType(pointer)).getRank();
  llvm::SmallBitVector seen(rank);
  for (int32_t dimension : boundaryCheck) {
    if (dimension < 0 || dimension >= rank)
      return op->emitOpError() << "checks dimension " << dimension << ", but the block has rank " << rank;
    if (seen.test(dimension))
      return op->emitOpError() << "checks dimension " << dimension << " twice";
    seen.set(dimension);
  }
  return success();
}

/// Whether `mask` is the constant `value` everywhere. A missing mask is not a constant.
static bool isConstantMask(Value mask, bool value) { return mask && matchPattern(mask, value ? m_One() : m_Zero()); }

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  Type result = getPointeeType(adaptor.getPtr().getType());
  if (!result)
    return emitOptionalError(location, "tt.load needs a pointer, not ", adaptor.getPtr().getType());
  results.push_back(result);
  return success();
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  // A volatile access must neither disappear nor move. The declared write keeps it in place.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError() << "has a value for masked elements, but no mask";
  if (getPadding() && !isBlockPointer(getPtr().getType()))
    return emitOpError() << "has padding, but " << getPtr().getType() << " is not a block pointer";
  if (getPadding() == PaddingOption::NaN && !isa<FloatType>(getElementTypeOrSelf(getType())))
    return emitOpError() << "pads with nan, but the elements are " << getElementTypeOrSelf(getType());
  return verifyBlockAccess(*this, getPtr().getType(), getBoundaryCheck(), bool(getMask()));
}

namespace {

/// Removes a mask that is true everywhere. A load whose mask is false everywhere becomes `other`, or zeros.
struct LoadOfConstantMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    if (isConstantMask(op.getMask(), true)) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getMaskMutable().clear();
        op.getOtherMutable().clear();
      });
      return success();
    }
    if (!isConstantMask(op.getMask(), false) || op.getIsVolatile())
      return failure();
    if (op.getOther()) {
      rewriter.replaceOp(op, op.getOther());
      return success();
    }
    auto zeros = dyn_cast_if_present<TypedAttr>(rewriter.getZeroAttr(op.getType()));
    if (!zeros) // pointers
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zeros);
    return success();
  }
};

} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LoadOfConstantMask>(context);
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

void StoreOp::getEffects(Effects &effects) { effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable()); }

LogicalResult StoreOp::verify() {
  return verifyBlockAccess(*this, getPtr().getType(), getBoundaryCheck(), bool(getMask()));
}

namespace {

struct StoreOfConstantMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    if (isConstantMask(op.getMask(), true)) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
      return success();
    }
    if (!isConstantMask(op.getMask(), false))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StoreOfConstantMask>(context);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

void AtomicRMWOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

LogicalResult AtomicRMWOp::verify() {
  Type element = getElementTypeOrSelf(getType());
  bool isFloat = isa<FloatType>(element), isHalf = element.isF16() || element.isBF16();
  bool isExtremum = getAtomicRmwOp() == RMWOp::Max || getAtomicRmwOp() == RMWOp::Min;
  bool fits =
      getAtomicRmwOp() == RMWOp::Exchange || (isExtremum && isHalf) || isFloat == (getAtomicRmwOp() == RMWOp::FAdd);
  if (!fits)
    return emitOpError() << "applies " << stringifyRMWOp(getAtomicRmwOp()) << " to " << element << ", which needs "
                         << (isFloat ? "an integer" : "a floating-point type");
  return success();
}

void AtomicCASOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

/// An atomic read keeps its place, because it orders other accesses and sees what others write meanwhile.
static void addOrderedRead(Effects &effects, OpOperand &pointer) {
  effects.emplace_back(MemoryEffects::Read::get(), &pointer);
  effects.emplace_back(MemoryEffects::Write::get());
}

static LogicalResult verifyOrdering(AtomicOpInterface op, MemSemantic ordering) {
  if (op.getSem() != ordering && op.getSem() != MemSemantic::Relaxed)
    return op->emitOpError() << "is " << stringifyMemSemantic(op.getSem()) << ", but must be "
                             << stringifyMemSemantic(ordering) << " or relaxed";
  return success();
}

/// Loads and stores move numbers that occupy whole bytes.
static LogicalResult verifyMovedElement(AtomicOpInterface op) {
  Type element = getElementTypeOrSelf(getPointeeType(op.getPtr().getType()));
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return op->emitOpError() << "accesses elements of type " << element << ", but needs numbers of 8 bits or more";
  return success();
}

void AtomicLoadOp::getEffects(Effects &effects) { addOrderedRead(effects, getPtrMutable()); }

LogicalResult AtomicLoadOp::verify() {
  return success(succeeded(verifyMovedElement(*this)) && succeeded(verifyOrdering(*this, MemSemantic::Acquire)));
}

void AtomicStoreOp::getEffects(Effects &effects) {
  // The declared read keeps earlier loads in their place.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

LogicalResult AtomicStoreOp::verify() {
  return success(succeeded(verifyMovedElement(*this)) && succeeded(verifyOrdering(*this, MemSemantic::Release)));
}

void AtomicPollOp::getEffects(Effects &effects) { addOrderedRead(effects, getPtrMutable()); }

LogicalResult AtomicPollOp::verify() {
  Type element = getElementTypeOrSelf(getExpected().getType());
  if (!element.isInteger(16) && !element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "polls elements of type " << element << ", but needs integers of 16, 32 or 64 bits";
  return verifyOrdering(*this, MemSemantic::Acquire);
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

void MakeTensorPtrOp::build(OpBuilder &builder, OperationState &state, Value base, ValueRange shape, ValueRange strides,
                            ValueRange offsets, ArrayRef<int32_t> blockShape, ArrayRef<int32_t> order) {
  auto pointer = cast<PointerType>(base.getType());
  SmallVector<int64_t> extents(blockShape);
  auto block = RankedTensorType::get(extents, pointer.getPointeeType());
  build(builder, state, PointerType::get(block, pointer.getAddressSpace()), base, shape, strides, offsets, order);
}

LogicalResult MakeTensorPtrOp::verify() {
  int64_t rank = cast<RankedTensorType>(getPointeeType(getType())).getRank();
  if (int64_t(getShape().size()) != rank)
    return emitOpError() << "has " << getShape().size() << " extents, but the block has rank " << rank;
  SmallVector<int32_t> sorted(getOrder());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, rank)))
    return emitOpError() << "has an order that is not a permutation of the " << rank << " dimensions";
  return success();
}

LogicalResult AdvanceOp::verify() {
  int64_t rank = cast<RankedTensorType>(getPointeeType(getType())).getRank();
  if (int64_t(getOffsets().size()) != rank)
    return emitOpError() << "has " << getOffsets().size() << " offsets, but the block has rank " << rank;
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor) {
  bool allZero = llvm::all_of(getOffsets(), [](Value offset) { return matchPattern(offset, m_Zero()); });
  return allZero ? getPtr() : Value();
}

} // namespace triton::tt
