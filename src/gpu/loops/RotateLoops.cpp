// Lets the last product of an iteration run beside the work of the next one, see Passes.td.
#include "analysis/BlockIndices.h"
#include "base/OptionalPass.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/IterationBounds.h"
#include "gpu/loops/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/LoopMotion.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUROTATELOOPS
#include "gpu/loops/Passes.h.inc"

namespace {

/// The operations of a body in two parts: the late part, the last product and what belongs to it, needs the early part
/// of its own iteration only through values, and the early part never needs the late one.
struct Parts {
  WarpGroupDotOp first, last;
  llvm::SetVector<Operation *> late; ///< in the order of the body
  llvm::SetVector<Value> crossing;   ///< what late operations use of the early part, and of what the loop gives it
  unsigned sum;                      ///< the position of the last product among what the loop carries
};

/// Whether `op` makes nothing but another view of its operand, which costs less than to keep its result.
bool isViewOrShape(Operation *op) {
  return isa<MemDescIndexOp, MemDescTransOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::SplatOp>(op);
}

/// Whether `op` may stand before or behind any other that passes this test, as far as memory is concerned. Barriers
/// count what is in which slot; the two parts use different ones.
bool isMovable(Operation &op) {
  return isPure(&op) || isa<tt::LoadOp, WaitBarrierOp, ArriveBarrierOp, WarpGroupDotOp>(op);
}

/// Whether the loop is known to have so few iterations that at most one product would run beside another iteration.
bool hasFewIterations(scf::ForOp loop) {
  constexpr int64_t fewIterations = 2;
  analysis::BlockIndices indices;
  SmallVector<analysis::BlockIndices::Bound> valid;
  std::optional<analysis::IndexPolynomial> lower = indices.find(loop.getLowerBound(), valid),
                                           upper = indices.find(loop.getUpperBound(), valid);
  APInt step;
  if (!lower || !upper || !valid.empty() || !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return false;
  int64_t extent = (*upper - *lower).coefficientOf({});
  return *upper - *lower == analysis::IndexPolynomial({}, extent) && extent <= fewIterations * step.getSExtValue();
}

class Partition {
public:
  explicit Partition(scf::ForOp loop) : loop(loop) {}

  std::optional<Parts> find() {
    if (!findProducts() || !llvm::all_of(loop.getBody()->without_terminator(), isMovable))
      return std::nullopt;
    collectSum();
    collectBuffers();
    collectViews();
    if (!isSound())
      return std::nullopt;
    sortLate();
    collectCrossing();
    return canCarry() && isLong() ? std::optional(parts) : std::nullopt;
  }

private:
  /// Two products, the second of which adds to a carried sum and reads a ring that others fill.
  bool findProducts() {
    SmallVector<WarpGroupDotOp> dots(loop.getBody()->getOps<WarpGroupDotOp>());
    if (dots.size() != 2 || dots[0].getIsAsync() || dots[1].getIsAsync() || !hasWholeRegisters(dots[0]) ||
        !hasWholeRegisters(dots[1]) || isa<MemDescType>(dots[1].getA().getType()))
      return false;
    parts.first = dots[0];
    parts.last = dots[1];
    SmallVector<ArriveBarrierOp> releases = findReleases(loop, parts.last);
    if (releases.size() != 1 || releases.front().getReleased().size() != 1 || releases.front().getCondition())
      return false;
    release = releases.front();
    auto slot = release.getReleased().front().getDefiningOp<MemDescIndexOp>();
    // With one slot the filler might wait for it before it fills what the next iteration's first product reads.
    return slot && slot.getSrc().getType().getShape().front() > 1 && parts.last->hasOneUse() &&
           *parts.last->user_begin() == loop.getBody()->getTerminator();
  }

  /// What computes the sum's new value from its old one.
  void collectSum() {
    parts.sum = parts.last->use_begin()->getOperandNumber();
    SmallVector<Value> worklist{loop.getRegionIterArg(parts.sum)};
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val().getUsers()) {
        Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
        if (!op->hasTrait<OpTrait::IsTerminator>() && parts.late.insert(op))
          llvm::append_range(worklist, op->getResults());
      }
    parts.late.insert(parts.last);
  }

  /// The waits for the buffer of the last product, and its release.
  void collectBuffers() {
    for (Operation *op = parts.first->getNextNode(); op != parts.last; op = op->getNextNode())
      if (isa<WaitBarrierOp>(op))
        parts.late.insert(op);
    parts.late.insert(release);
  }

  void collectViews() {
    for (Operation &op : llvm::reverse(loop.getBody()->without_terminator()))
      if (isViewOrShape(&op) && llvm::all_of(op.getUsers(), [&](Operation *user) { return isLate(user); }))
        parts.late.insert(&op);
  }

  bool isLate(Operation *user) { return parts.late.contains(loop.getBody()->findAncestorOpInBlock(*user)); }

  /// Whether the early part needs nothing of the late one, and the sum is all that the late one carries.
  bool isSound() {
    if (parts.late.contains(parts.first))
      return false;
    for (Operation *op : parts.late)
      for (Operation *user : op->getUsers())
        if (!isLate(user) && !(op == parts.last && user->hasTrait<OpTrait::IsTerminator>()))
          return false;
    return true;
  }

  void collectCrossing() {
    for (Operation *op : parts.late)
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *definition = operand.getDefiningOp();
          bool isOfLatePart =
              definition ? isLate(definition) : isInside(operand) || operand == loop.getRegionIterArg(parts.sum);
          if (!loop.isDefinedOutsideOfLoop(operand) && !isOfLatePart)
            parts.crossing.insert(operand);
        }
      });
  }

  /// Whether the argument belongs to a block inside an operation of the body.
  bool isInside(Value argument) { return cast<BlockArgument>(argument).getOwner() != loop.getBody(); }

  /// Says why the last product does not run beside the next iteration.
  template <typename... Arguments> void reportMissed(const char *reason, Arguments... arguments) {
    remarks::missed(loop, remarks::loop, "Rotation")
        << "the last product of an iteration does not run beside the next one" << remarks::reason(reason, arguments...);
  }

  bool isLong() {
    bool isShort = hasFewIterations(loop);
    if (isShort)
      reportMissed("the loop has two iterations at most");
    return !isShort;
  }

  /// Both products are in flight at once, beside the operand of the last one. Loops carry no buffers.
  bool canCarry() {
    unsigned registers = countRegisters(parts.first.getD()) + countRegisters(parts.last.getD());
    for (Value value : parts.crossing) {
      if (isa<MemDescType>(value.getType()))
        return false;
      registers += countRegisters(value);
    }
    unsigned most = registersOfProducts(loop);
    if (registers > most)
      reportMissed("a thread would hold {0} registers of them at once, more than {1}", registers, most);
    return registers <= most;
  }

  void sortLate() {
    SmallVector<Operation *> sorted(parts.late.takeVector());
    llvm::sort(sorted, [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
    parts.late.insert_range(sorted);
  }

  scf::ForOp loop;
  Parts parts;
  ArriveBarrierOp release;
};

/// Builds the rotated loop in place of `loop`.
class Rotation {
public:
  Rotation(scf::ForOp loop, Parts &parts) : loop(loop), parts(parts), builder(loop), loc(loop.getLoc()) {}

  void run() {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(builder, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInits());
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, buildRotated());
    loop.replaceAllUsesWith(branch.getResults());
    loop.erase();
  }

private:
  /// The results of an iteration at least.
  SmallVector<Value> buildRotated() {
    IRMapping before;
    before.map(loop.getInductionVar(), loop.getLowerBound());
    before.map(loop.getRegionIterArgs(), loop.getInits());
    for (Operation &op : loop.getBody()->without_terminator())
      if (!parts.late.contains(&op))
        builder.clone(op, before);
    scf::ForOp rotated = buildLoop(before);
    IRMapping behind;
    mapCarried(behind, rotated.getResults());
    for (Operation *op : parts.late)
      builder.clone(*op, behind);
    SmallVector<Value> results(rotated.getResults().take_front(loop.getNumResults()));
    results[parts.sum] = behind.lookup(parts.last.getD());
    return results;
  }

  /// What late operations see of `values`, which the rotated loop carries from the iteration before.
  void mapCarried(IRMapping &mapping, ValueRange values) {
    mapping.map(loop.getRegionIterArgs(), values.take_front(loop.getNumRegionIterArgs()));
    mapping.map(parts.crossing.getArrayRef(), values.drop_front(loop.getNumRegionIterArgs()));
  }

  /// What a rotated iteration hands to the next one, with the `sum` that the late part has given.
  SmallVector<Value> collectCarried(IRMapping &early, Value sum) {
    SmallVector<Value> carried;
    for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues()))
      carried.push_back(index == parts.sum ? sum : early.lookupOrDefault(yielded));
    for (Value value : parts.crossing)
      carried.push_back(early.lookupOrDefault(value));
    return carried;
  }

  scf::ForOp buildLoop(IRMapping &before) {
    Value second = IterationBounds(loop, 1).start(builder, 1);
    auto rotated =
        scf::ForOp::create(builder, loc, second, loop.getUpperBound(), loop.getStep(),
                           collectCarried(before, loop.getInits()[parts.sum]), nullptr, loop.getUnsignedCmp());
    tt::copyLoopHints(loop, rotated);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rotated.getBody());
    buildBody(rotated);
    return rotated;
  }

  void buildBody(scf::ForOp rotated) {
    IRMapping early, late;
    early.map(loop.getInductionVar(), rotated.getInductionVar());
    early.map(loop.getRegionIterArgs(), rotated.getRegionIterArgs().take_front(loop.getNumRegionIterArgs()));
    mapCarried(late, rotated.getRegionIterArgs());
    // What is done to the sum before the product would delay it behind the first one.
    cloneLate(late, [](Operation *op) { return isPure(op); });
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (parts.late.contains(&op))
        continue;
      builder.clone(op, early);
      if (&op == parts.first)
        issueLast(early, late);
    }
    auto over = WarpGroupDotWaitOp::create(builder, loc, late.lookup(parts.last.getD()), 0u);
    cloneLate(late, [](Operation *op) { return isa<ArriveBarrierOp>(op); });
    scf::YieldOp::create(builder, loc, collectCarried(early, over.getOutputs().front()));
  }

  /// The last product of the iteration before runs beside all that uses the first one of this iteration.
  void issueLast(IRMapping &early, IRMapping &late) {
    cloneLate(late, [](Operation *op) { return !isPure(op) && !isa<ArriveBarrierOp>(op); });
    auto first = early.lookup(parts.first.getD()).getDefiningOp<WarpGroupDotOp>();
    first.setIsAsync(true);
    late.lookup(parts.last.getD()).getDefiningOp<WarpGroupDotOp>().setIsAsync(true);
    auto wait = WarpGroupDotWaitOp::create(builder, first.getLoc(), first.getD(), 1u);
    early.map(parts.first.getD(), wait.getOutputs().front());
  }

  void cloneLate(IRMapping &mapping, llvm::function_ref<bool(Operation *)> isWanted) {
    for (Operation *op : parts.late)
      if (isWanted(op))
        builder.clone(*op, mapping);
  }

  scf::ForOp loop;
  Parts &parts;
  OpBuilder builder;
  Location loc;
};

struct TritonGPURotateLoops : impl::TritonGPURotateLoopsBase<TritonGPURotateLoops>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (std::optional<Parts> parts = Partition(loop).find()) {
        remarks::decided(loop, remarks::loop, "Rotation")
            << "the last product of an iteration runs beside the next one";
        Rotation(loop, *parts).run();
      }
  }
};

} // namespace

} // namespace triton::ttg
