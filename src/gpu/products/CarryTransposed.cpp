// Lets loops carry matrices in the form in which products compute them, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/ir/Dialect.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUCARRYTRANSPOSED
#include "gpu/products/Passes.h.inc"

namespace {

constexpr std::array<int32_t, 2> exchange{1, 0};

Value skipConversions(Value value) {
  while (auto conversion = value.getDefiningOp<ConvertLayoutOp>())
    value = conversion.getSrc();
  return value;
}

bool transposesMatrix(tt::TransOp op) { return op && op.getOrder() == llvm::ArrayRef<int32_t>(exchange); }

/// The transpositions of `value` and the conversions before them, each behind what it uses. False where something else
/// uses the value.
bool collectUses(Value value, SmallVectorImpl<Operation *> &uses) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    uses.push_back(user);
    if (isa<ConvertLayoutOp>(user))
      return collectUses(user->getResult(0), uses);
    return transposesMatrix(dyn_cast<tt::TransOp>(user));
  });
}

Value transpose(OpBuilder &builder, Value value) {
  return tt::TransOp::create(builder, value.getLoc(), value, llvm::ArrayRef<int32_t>(exchange));
}

/// Lets `loop` carry value `index` transposed, if each iteration transposes it and gives the next one what it has
/// transposed.
void carryTransposed(scf::ForOp loop, unsigned index) {
  BlockArgument carried = loop.getRegionIterArg(index);
  OpOperand &next = loop.getBody()->getTerminator()->getOpOperand(index);
  auto given = skipConversions(next.get()).getDefiningOp<tt::TransOp>();
  SmallVector<Operation *> uses;
  if (!transposesMatrix(given) || carried.use_empty() || !collectUses(carried, uses) || llvm::is_contained(uses, given))
    return;
  OpBuilder builder(loop);
  Attribute encoding = cast<RankedTensorType>(carried.getType()).getEncoding();
  Value first = transpose(builder, loop.getInits()[index]);
  loop.getInitArgsMutable()[index].set(first);
  carried.setType(first.getType());
  for (Operation *use : llvm::reverse(uses)) {
    if (auto transposed = dyn_cast<tt::TransOp>(use)) {
      builder.setInsertionPoint(transposed);
      transposed.replaceAllUsesWith(
          convertTo(builder, carried, cast<RankedTensorType>(transposed.getType()).getEncoding()));
    }
    use->erase();
  }
  builder.setInsertionPoint(next.getOwner());
  next.set(convertTo(builder, given.getSrc(), cast<RankedTensorType>(first.getType()).getEncoding()));
  Value last = loop.getResult(index);
  last.setType(first.getType());
  builder.setInsertionPointAfter(loop);
  Value result = transpose(builder, last);
  last.replaceAllUsesExcept(convertTo(builder, result, encoding), result.getDefiningOp());
}

struct TritonGPUCarryTransposed : impl::TritonGPUCarryTransposedBase<TritonGPUCarryTransposed>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    // Inner loops first: what they take and give is transposed then for the outer ones.
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        carryTransposed(loop, index);
    });
  }
};

} // namespace

} // namespace triton::ttg
