// triton-loop-unroll: unrolls the loops that ask for it.
#include "base/OptionalPass.h"
#include "passes/tt/Passes.h"

#include "ir/AttributeNames.h"
#include "ir/Debug.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

#define DEBUG_TYPE "triton-loop-unroll"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONLOOPUNROLL
#include "passes/tt/Passes.h.inc"

namespace {

// Factors are hints: a factor that would give more operations than this is ignored. In nests factors multiply, which
// counts what unrolled loops inside have. This many operations take a GPU's compiler about ten seconds.
constexpr int64_t mostOperations = 1 << 13;

APInt longestStep(scf::ForOp loop, int64_t factor) {
  Type type = loop.getStep().getType();
  APInt most = APInt::getSignedMaxValue(type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  return most.sdiv(APInt(most.getBitWidth(), uint64_t(factor)));
}

/// A loop must have a positive step, because the function that unrolls divides by it, and its type must hold the step
/// of the unrolled loop.
bool hasFittingStep(scf::ForOp loop, int64_t factor) {
  std::optional<APInt> step = loop.getConstantStep();
  return !step || (step->isStrictlyPositive() && step->sle(longestStep(loop, factor)));
}

/// The end of the unrolled loop was computed by arithmetic that wraps around if the range is empty or long, the steps
/// are, or the last one passes the end of the type. Then all iterations are those of the loop for the rest.
void guard(scf::ForOp unrolled, scf::ForOp rest, Value step, int64_t factor) {
  Value lower = unrolled.getLowerBound(), upper = rest.getUpperBound(), end = unrolled.getUpperBound();
  OpBuilder builder(unrolled);
  Location location = unrolled.getLoc();
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
    return arith::CmpIOp::create(builder, location, predicate, left, right);
  };
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(lower.getType(), value));
  };
  APInt longest = longestStep(unrolled, factor);
  bool isUnsigned = unrolled.getUnsignedCmp();
  Value holds = compare(isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, lower, upper);
  Value distance = arith::SubIOp::create(builder, location, upper, lower);
  Value isShort = compare(arith::CmpIPredicate::sge, distance, constant(APInt::getZero(longest.getBitWidth())));
  Value fits = compare(arith::CmpIPredicate::ule, step, constant(longest));
  Value isAfter = compare(isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle, lower, end);
  for (Value condition : {isShort, fits, isAfter})
    holds = arith::AndIOp::create(builder, location, holds, condition);
  Value guarded = arith::SelectOp::create(builder, location, holds, end, lower);
  unrolled.setUpperBound(guarded);
  rest.setLowerBound(guarded);
}

/// The function that unrolls counts constants as numbers with a sign.
bool hasBoundsBeyondSign(scf::ForOp loop) {
  return loop.getUnsignedCmp() && llvm::any_of(ValueRange{loop.getLowerBound(), loop.getUpperBound()}, [](Value bound) {
           APInt constant;
           return matchPattern(bound, m_ConstantInt(&constant)) && constant.isNegative();
         });
}

bool unroll(scf::ForOp loop, int64_t factor) {
  if (!hasFittingStep(loop, factor) || hasBoundsBeyondSign(loop))
    return false;
  Value step = loop.getStep();
  bool isKnown = loop.getStaticTripCount().has_value();
  FailureOr<UnrolledLoopInfo> loops = loopUnrollByFactor(loop, uint64_t(factor));
  if (succeeded(loops) && !isKnown && loops->mainLoopOp && loops->epilogueLoopOp)
    guard(*loops->mainLoopOp, *loops->epilogueLoopOp, step, factor);
  return succeeded(loops);
}

int64_t operationsIn(scf::ForOp loop) {
  int64_t count = 0;
  loop->walk([&](Operation *) { ++count; });
  return count;
}

struct LoopUnroll : impl::TritonLoopUnrollBase<LoopUnroll>, base::OptionalPass {
  void runOnOperation() override {
    // Collected first, inner loops before outer ones, because unrolling makes new loops, which do not ask for anything.
    SmallVector<std::pair<scf::ForOp, int64_t>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (auto factor = loop->getAttrOfType<IntegerAttr>(tt::unrollFactorAttribute))
        loops.emplace_back(loop, factor.getInt());
    });
    for (auto [loop, factor] : loops) {
      loop->removeAttr(tt::unrollFactorAttribute);
      if (factor < 2)
        continue;
      if (factor > mostOperations / operationsIn(loop)) {
        loop.emitWarning() << "is not unrolled by " << factor << ": that would make more than " << mostOperations
                           << " operations";
        continue;
      }
      TRITON_DEBUG(llvm::dbgs() << "unrolling by " << factor << ": " << loop.getLoc() << "\n");
      if (!unroll(loop, factor))
        loop.emitWarning() << "cannot be unrolled by " << factor;
    }
  }
};

} // namespace

} // namespace triton::tt

#undef DEBUG_TYPE // which sources that are compiled together define, too
