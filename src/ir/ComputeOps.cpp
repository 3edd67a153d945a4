// Matrix products, reductions, scans, printing of the dialect tt: inference, verifiers, folders.
#include "ir/Dialect.h"
#include "ir/EncodingInference.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::tt {

//===----------------------------------------------------------------------===//
// DotOp
//===----------------------------------------------------------------------===//

/// Checks that (batch x) M x K times (batch x) K x N gives (batch x) M x N. `packA` and `packB` are the numbers of
/// elements of K in one stored element.
static LogicalResult verifyMatrixShapes(Operation *op, RankedTensorType a, RankedTensorType b, RankedTensorType c,
                                        int64_t packA = 1, int64_t packB = 1) {
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || c.getRank() != rank)
    return op->emitOpError() << "multiplies " << a << " by " << b << " into " << c
                             << ", but all must be matrices or batches of them";
  bool sameBatch = rank == 2 || (a.getDimSize(0) == b.getDimSize(0) && a.getDimSize(0) == c.getDimSize(0));
  bool fits = a.getDimSize(rank - 1) * packA == b.getDimSize(rank - 2) * packB &&
              a.getDimSize(rank - 2) == c.getDimSize(rank - 2) && b.getDimSize(rank - 1) == c.getDimSize(rank - 1);
  if (!sameBatch || !fits)
    return op->emitOpError() << "multiplies " << a << " by " << b << " into " << c << ", but the extents do not fit";
  return success();
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  bool isInteger = a.getElementType().isInteger();
  if (isInteger != b.getElementType().isInteger() || isInteger != c.getElementType().isInteger())
    return emitOpError() << "multiplies " << a << " by " << b << " into " << c
                         << ", but integers and floating-point numbers do not mix";
  return verifyMatrixShapes(*this, a, b, c);
}

/// Each scale is for a group along the dimension of the sum, which is the last dimension of the scales of both sides.
static LogicalResult verifyScale(Operation *op, Value scale, int64_t outer, int64_t sum) {
  if (!scale)
    return success();
  auto type = cast<RankedTensorType>(scale.getType());
  int64_t rank = type.getRank();
  bool fits = rank >= 2 && type.getDimSize(rank - 2) == outer && sum % type.getDimSize(rank - 1) == 0;
  if (!fits || !(type.getElementType().isInteger(8) || isa<Float8E4M3FNType>(type.getElementType())))
    return op->emitOpError() << "has scales " << type << " for " << outer << " rows or columns of " << sum
                             << " elements; they must be i8 or f8E4M3FN, and their last extent a divisor of " << sum;
  return success();
}

LogicalResult DotScaledOp::verify() {
  auto packs = [](ScaleDotElemType type, bool here) { return type == ScaleDotElemType::E2M1 && here ? 2 : 1; };
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  int64_t last = a.getRank() - 1;
  if (a.getRank() < 2 || b.getRank() != a.getRank())
    return emitOpError() << "multiplies " << a << " by " << b << ", but both must be matrices or batches of them";
  if (failed(verifyScale(*this, getAScale(), a.getDimSize(last - 1) * packs(getAElemType(), !getLhsKPack()),
                         a.getDimSize(last) * packs(getAElemType(), getLhsKPack()))) ||
      failed(verifyScale(*this, getBScale(), b.getDimSize(last) * packs(getBElemType(), !getRhsKPack()),
                         b.getDimSize(last - 1) * packs(getBElemType(), getRhsKPack()))))
    return failure();
  if (!getLhsKPack() || !getRhsKPack())
    return success(); // Packed along M or N: the extents depend on the element formats of both sides.
  return verifyMatrixShapes(*this, a, b, cast<RankedTensorType>(getC().getType()), packs(getAElemType(), true),
                            packs(getBElemType(), true));
}

//===----------------------------------------------------------------------===//
// ReduceOp and ScanOp
//===----------------------------------------------------------------------===//

template <typename OpType> static SmallVector<Type> operandElementTypes(OpType op) {
  return llvm::map_to_vector(op.getSrcs().getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
}

template <typename OpType> static LogicalResult verifyCombining(OpType op) {
  if (op.getSrcs().empty())
    return op.emitOpError() << "has no operand, it must have at least one";
  int64_t rank = cast<RankedTensorType>(op.getSrcs().front().getType()).getRank();
  if (int64_t(op.getAxis()) >= rank)
    return op.emitOpError() << "combines along dimension " << op.getAxis() << ", but the operand has rank " << rank;
  return success();
}

template <typename OpType, typename ReturnType> static LogicalResult verifyCombiningRegion(OpType op) {
  SmallVector<Type> elements = operandElementTypes(op);
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  Block &block = op.getCombineOp().front();
  if (block.getArgumentTypes() != TypeRange(arguments))
    return op.emitOpError() << "must have a region with arguments (" << arguments << ")";
  auto returnOp = block.empty() ? ReturnType() : dyn_cast<ReturnType>(block.back());
  if (!returnOp)
    return op.emitOpError() << "must have a region that ends with " << ReturnType::getOperationName();
  if (returnOp.getOperandTypes() != TypeRange(elements))
    return returnOp.emitOpError() << "must return (" << elements << ")";
  auto takesTensor = [](Operation *inner) {
    return llvm::any_of(inner->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
  };
  if (block.walk(takesTensor).wasInterrupted())
    return op.emitOpError() << "must have a region that takes no tensor; it combines scalars";
  return success();
}

template <typename OpType> static Operation *findSingleCombiner(OpType op) {
  Block &block = op.getCombineOp().front();
  if (op.getSrcs().size() != 1 || block.getOperations().size() != 2)
    return nullptr;
  Operation &combiner = block.front();
  bool isApplied = combiner.getNumOperands() == 2 && combiner.getNumResults() == 1 &&
                   combiner.getOperand(0) == block.getArgument(0) && combiner.getOperand(1) == block.getArgument(1) &&
                   block.back().getOperand(0) == combiner.getResult(0);
  return isApplied ? &combiner : nullptr;
}

template <typename OpType> static SmallVector<RankedTensorType> operandTensorTypes(OpType op) {
  return llvm::map_to_vector(op.getSrcs().getTypes(), [](Type type) { return cast<RankedTensorType>(type); });
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  int64_t axis = adaptor.getAxis();
  for (Type type : adaptor.getSrcs().getTypes()) {
    auto operand = dyn_cast<RankedTensorType>(type);
    if (!operand || axis >= operand.getRank())
      return emitOptionalError(location, "combines along dimension ", axis, ", but the operand is ", type);
    SmallVector<int64_t> shape(operand.getShape());
    shape.erase(shape.begin() + axis);
    if (shape.empty()) {
      results.push_back(operand.getElementType());
      continue;
    }
    results.push_back(inferTensorType(operand, shape, [&](const EncodingInferenceInterface &encodings) {
      return encodings.reduce(operand.getShape(), operand.getEncoding(), unsigned(axis));
    }));
  }
  return success();
}

LogicalResult ReduceOp::verify() { return verifyCombining(*this); }
LogicalResult ReduceOp::verifyRegions() { return verifyCombiningRegion<ReduceOp, ReduceReturnOp>(*this); }
SmallVector<RankedTensorType> ReduceOp::getInputTypes() { return operandTensorTypes(*this); }
SmallVector<Type> ReduceOp::getElementTypes() { return operandElementTypes(*this); }
Operation *ReduceOp::getSingleCombiner() { return findSingleCombiner(*this); }

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  llvm::append_range(results, adaptor.getSrcs().getTypes());
  return success();
}

LogicalResult ScanOp::verify() { return verifyCombining(*this); }
LogicalResult ScanOp::verifyRegions() { return verifyCombiningRegion<ScanOp, ScanReturnOp>(*this); }
SmallVector<RankedTensorType> ScanOp::getInputTypes() { return operandTensorTypes(*this); }
SmallVector<Type> ScanOp::getElementTypes() { return operandElementTypes(*this); }
Operation *ScanOp::getSingleCombiner() { return findSingleCombiner(*this); }

//===----------------------------------------------------------------------===//
// HistogramOp, PrintOp, AssertOp
//===----------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSrc().getType()), result = cast<RankedTensorType>(getType());
  if (source.getRank() != 1 || result.getRank() != 1)
    return emitOpError() << "counts " << source << " into " << result << ", but both must have rank 1";
  return success();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size())
    return emitOpError() << "states the sign of " << getIsSigned().size() << " operands, but prints "
                         << getArgs().size();
  return success();
}

/// Removes an assertion whose condition is always true.
LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

} // namespace triton::tt
