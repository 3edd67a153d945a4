// Lets groups of warps take turns at the matrix units, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUALTERNATEGROUPS
#include "gpu/loops/Passes.h.inc"

namespace {

constexpr unsigned warpsOfGroup = 4, groups = 2;

/// Whether all warps of the program, or those of both groups, may have to wait for each other at `op`.
bool meets(Operation *op) {
  return isa<BarrierOp, mlir::gpu::BarrierOp, CallOpInterface>(op) || analysis::getScratchBytes(op) != 0;
}

bool holdsMeeting(scf::ForOp loop) {
  return loop.walk([](Operation *op) { return meets(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

bool isExponential(Operation &op) { return isa<math::ExpOp, math::Exp2Op>(op) && isFloatTensor(op.getResult(0)); }

/// Where the groups of a loop change turns.
struct Turns {
  WarpGroupDotOp last; ///< of a turn
  Operation *next;     ///< the turn comes before it
  Value sums;          ///< of all exponentials of a row; null: there are none between
};

/// The turns whose groups compute exponentials between `last` and `next`.
std::optional<Turns> findTurns(WarpGroupDotOp last, Operation *next) {
  Turns turns{last, next, {}};
  bool hasExponentials = false;
  for (Operation *op = last; op != next; op = op->getNextNode()) {
    hasExponentials |= isExponential(*op);
    auto reduce = dyn_cast<tt::ReduceOp>(op);
    if (reduce && hasExponentials && reduce->getNumResults() == 1 && isFloatTensor(reduce->getResult(0)))
      turns.sums = reduce->getResult(0);
  }
  return hasExponentials ? std::optional(turns) : std::nullopt;
}

std::optional<Turns> findTurns(scf::ForOp loop) {
  SmallVector<WarpGroupDotOp> dots(loop.getBody()->getOps<WarpGroupDotOp>());
  if (dots.size() != 2 || dots[1].getC() == dots[0].getD() || holdsMeeting(loop))
    return std::nullopt;
  if (std::optional<Turns> between = findTurns(dots[0], dots[1]))
    return between;
  auto wait = dyn_cast<WarpGroupDotWaitOp>(*dots[1]->user_begin());
  return wait && wait->getBlock() == loop.getBody() ? findTurns(dots[1], wait) : std::nullopt;
}

/// The turn goes on when the product has been issued: units work in that order.
void passBehind(OpBuilder &builder, WarpGroupDotOp dot) {
  builder.setInsertionPointAfter(dot);
  PassTurnOp::create(builder, dot.getLoc(), /*begins=*/false);
  if (dot.getIsAsync())
    return;
  dot.setIsAsync(true);
  auto wait = WarpGroupDotWaitOp::create(builder, dot.getLoc(), dot.getD(), 0u);
  dot.getD().replaceAllUsesExcept(wait.getOutputs().front(), wait);
}

void alternate(scf::ForOp loop, const Turns &turns) {
  OpBuilder builder(loop);
  WaitTurnOp::create(builder, loop.getLoc(), Value());
  passBehind(builder, turns.last);
  builder.setInsertionPoint(turns.next);
  WaitTurnOp::create(builder, loop.getLoc(), turns.sums);
  builder.setInsertionPointAfter(loop);
  PassTurnOp::create(builder, loop.getLoc(), /*begins=*/false);
}

struct TritonGPUAlternateGroups : impl::TritonGPUAlternateGroupsBase<TritonGPUAlternateGroups>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    if (getNumWarps(getOperation()) != groups * warpsOfGroup)
      return;
    getOperation().walk([](scf::IfOp specialized) {
      auto role = specialized.getCondition().getDefiningOp<IsMoverOp>();
      if (role && role.getAnyThread())
        alternateIn(*specialized.elseBlock());
    });
  }

private:
  static void alternateIn(Block &computing) {
    SmallVector<std::pair<scf::ForOp, Turns>> loops;
    computing.walk([&](scf::ForOp loop) {
      if (std::optional<Turns> turns = findTurns(loop))
        loops.push_back({loop, *turns});
    });
    if (loops.empty())
      return;
    for (auto &[loop, turns] : loops) {
      remarks::decided(loop, remarks::loop, "Turns")
          << "groups of four warps take turns at the matrix units (ping-pong)";
      alternate(loop, turns);
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&computing);
    PassTurnOp::create(builder, loops.front().first.getLoc(), /*begins=*/true);
  }
};

} // namespace

} // namespace triton::ttg
