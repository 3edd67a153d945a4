#include "backends/cpu/codegen/Support.h"

#include "backends/cpu/codegen/Lanes.h"
#include "backends/cpu/codegen/TileAnalysis.h"
#include "ir/UserNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace triton::cpu {

bool hasTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor);
}

void reportUnsupported(Operation *op) {
  if (auto call = dyn_cast<tt::ExternElementwiseOp>(op))
    op->emitError() << "not supported on cpu yet: the function `" << call.getSymbol()
                    << "` on these types; compute it with operators and functions of `tl`, or compile for a GPU";
  else
    op->emitError() << "not supported on cpu yet: " << tt::describeUnsupported(op);
}

/// Operations with regions: loops, branches and scalar code.
static bool canLowerRegions(Operation *op) {
  auto isBlock = [](Region &region) { return region.empty() || region.hasOneBlock(); };
  if (!llvm::all_of(op->getRegions(), isBlock))
    return false;
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op);
}

/// Operations that are supported also outside of code on vectors of scalars.
static bool canLowerAnywhere(Operation *op) {
  if (isElementwise(op)) {
    bool isCloned = !hasTensors(op) && op->getNumResults() != 1; // such as a product of double width
    return isCloned || LaneEmitter::canApply(op);
  }
  if (!isa_and_nonnull<tt::TritonDialect>(op->getDialect()))
    return !hasTensors(op) || isa<ub::PoisonOp>(op);
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicOpInterface, tt::PrintOp, tt::AssertOp, tt::ElementwiseInlineAsmOp>(op))
    return true;
  if (!hasTensors(op))
    return isa<tt::GetProgramIdOp, tt::GetNumProgramsOp, tt::GetTimeOp>(op);
  return isShapeChange(op) || isa<tt::MakeRangeOp, tt::SplitOp, tt::JoinOp, tt::DotOp, tt::ReshapeOp, tt::CatOp,
                                  tt::GatherOp, tt::HistogramOp, tt::UnsplatOp>(op);
}

static bool canLower(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return true;
  bool isScalarCode = op->getParentOfType<tt::ReduceOp>() || op->getParentOfType<tt::ScanOp>() ||
                      op->getParentOfType<tt::MapElementwiseOp>();
  if (isScalarCode && hasTensors(op))
    return false;
  return op->getNumRegions() ? canLowerRegions(op) : canLowerAnywhere(op);
}

LogicalResult checkSupported(tt::FuncOp kernel) {
  if (!kernel.getBody().hasOneBlock()) {
    reportUnsupported(&*std::next(kernel.getBody().begin())->begin());
    return failure();
  }
  Operation *unsupported = nullptr;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (canLower(op))
      return WalkResult::advance();
    unsupported = op;
    return WalkResult::interrupt();
  });
  if (!unsupported)
    return success();
  reportUnsupported(unsupported);
  return failure();
}

} // namespace triton::cpu
