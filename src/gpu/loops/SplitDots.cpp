// Divides products whose left operand an iteration computes, so that they begin earlier, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/BufferViews.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSPLITDOTS
#include "gpu/loops/Passes.h.inc"

namespace {

constexpr int64_t fewestBytes = 64; ///< of a row of a part: two steps of the unit

/// Whether operations of the body of `loop` compute `value`, and no product takes part, of this iteration or an earlier
/// one, for which they would wait.
bool isComputedBesideProducts(Value value, scf::ForOp loop) {
  llvm::SetVector<Value> values;
  values.insert(value);
  bool computes = false;
  for (std::size_t next = 0; next < values.size(); ++next) {
    Value now = values[next];
    if (!isa<RankedTensorType>(now.getType()) || loop.isDefinedOutsideOfLoop(now))
      continue;
    if (auto carried = dyn_cast<BlockArgument>(now)) {
      values.insert(loop.getTiedLoopYieldedValue(carried)->get());
      continue;
    }
    Operation *op = now.getDefiningOp();
    if (op->getNumRegions() != 0 || isa<tt::DotOp, WarpGroupDotOp, WarpGroupDotWaitOp>(op))
      return false;
    computes |= !isa<LocalLoadOp>(op);
    values.insert(op->operand_begin(), op->operand_end());
  }
  return computes;
}

/// The type of one half of the columns of `type`; null where these are not a matter of registers alone.
RankedTensorType halveColumns(RankedTensorType type) {
  int64_t columns = type.getDimSize(1) / 2;
  auto half = RankedTensorType::get({type.getDimSize(0), columns}, type.getElementType(), type.getEncoding());
  layout::LinearLayout whole = toLinearLayout(type), part = toLinearLayout(half);
  for (const layout::Input &input : whole.inputs()) {
    std::vector<layout::Basis> bases(input.bases.begin(), input.bases.end());
    if (input.name == "register")
      llvm::erase(bases, layout::Basis{0, int32_t(columns)});
    const layout::Input *own = part.findInput(input.name);
    if (!own || bases != std::vector<layout::Basis>(own->bases.begin(), own->bases.end()))
      return {};
  }
  return half;
}

/// The rows of `view` from `first` on, as many as `extent`.
MemDescSubsliceOp takeRows(OpBuilder &builder, TypedValue<MemDescType> view, int64_t first, int64_t extent) {
  MemDescType type = view.getType();
  auto part =
      MemDescType::get(type.getContext(), {extent, type.getShape()[1]}, type.getElementType(), type.getEncoding(),
                       type.getMemorySpace(), type.getMutableMemory(), type.getAllocShape());
  return MemDescSubsliceOp::create(builder, view.getLoc(), part, view,
                                   builder.getDenseI32ArrayAttr({int32_t(first), 0}));
}

void split(WarpGroupDotOp dot) {
  auto left = dyn_cast<RankedTensorType>(dot.getA().getType());
  if (!left || !hasWholeRegisters(dot) || dot.getMaxNumImpreciseAcc() != 0 ||
      !isComputedBesideProducts(dot.getA(), cast<scf::ForOp>(dot->getParentOp())))
    return;
  int64_t half = left.getDimSize(1) / 2;
  RankedTensorType part =
      half * left.getElementTypeBitWidth() / 8 < fewestBytes ? RankedTensorType() : halveColumns(left);
  if (!part)
    return;
  OpBuilder builder(dot);
  MemDescSubsliceOp first = takeRows(builder, dot.getB(), 0, half), second = takeRows(builder, dot.getB(), half, half);
  if (cutsPattern(second)) {
    first.erase();
    second.erase();
    return;
  }
  auto sum = cast<WarpGroupDotOp>(builder.clone(*dot));
  auto take = [&](int64_t column) {
    return TakeColumnsOp::create(builder, dot.getLoc(), part, dot.getA(), int32_t(column));
  };
  builder.setInsertionPoint(sum);
  Value columns = take(0), others = take(half);
  sum.getAMutable().assign(columns);
  sum.getBMutable().assign(first);
  dot.getAMutable().assign(others);
  dot.getBMutable().assign(second);
  dot.getCMutable().assign(sum.getD());
  dot.getAddsCMutable().clear();
  remarks::decided(dot, remarks::product, "Split")
      << "the unit multiplies one half of the operand while the program computes the other one";
}

struct TritonGPUSplitDots : impl::TritonGPUSplitDotsBase<TritonGPUSplitDots>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    SmallVector<WarpGroupDotOp> dots;
    getOperation().walk([&](scf::ForOp loop) {
      auto own = loop.getBody()->getOps<WarpGroupDotOp>();
      if (llvm::hasSingleElement(own)) // Others would have work for the unit.
        dots.push_back(*own.begin());
    });
    llvm::for_each(dots, split);
  }
};

} // namespace

} // namespace triton::ttg
