#include "gpu/loops/NestFusion.h"

#include "gpu/analysis/LoopSchedule.h"
#include "gpu/ir/Products.h"
#include "ir/AttributeNames.h"
#include "ir/Reached.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace triton::ttg {

/// Whether computing `op` again costs little and has no effect.
static bool mayBeRepeated(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 && !isRegisterProduct(op) && !isa<ConvertLayoutOp>(op);
}

//===----------------------------------------------------------------------===//
// What can be fused
//===----------------------------------------------------------------------===//

bool NestFusion::isInOuterBody(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == outer.getBody();
}

/// Whether the value is the same in all iterations of the outer loop and can be computed before it.
bool NestFusion::isInvariant(Value value) {
  return holdsForAllReached(value, [&](Value next, SmallVectorImpl<Value> &operands) {
    if (outer.isDefinedOutsideOfLoop(next))
      return true;
    if (!isInOuterBody(next) || !mayBeRepeated(next.getDefiningOp()) || !isSpeculatable(next.getDefiningOp()))
      return false;
    llvm::append_range(operands, next.getDefiningOp()->getOperands());
    return true;
  });
}

/// Whether the value can be computed again from the induction variable and the values `carried` of the outer loop.
bool NestFusion::isPureOf(Value value, const llvm::DenseSet<unsigned> &carried) {
  return holdsForAllReached(value, [&](Value next, SmallVectorImpl<Value> &operands) {
    if (outer.isDefinedOutsideOfLoop(next) || next == outer.getInductionVar())
      return true;
    if (auto argument = dyn_cast<BlockArgument>(next))
      return carried.contains(argument.getArgNumber() - outer.getNumInductionVars());
    if (!mayBeRepeated(next.getDefiningOp()))
      return false;
    llvm::append_range(operands, next.getDefiningOp()->getOperands());
    return true;
  });
}

void NestFusion::findPinned() {
  for (Operation &op : *outer.getBody()) {
    if (&op == inner)
      return;
    if (!mayBeRepeated(&op))
      pinned.push_back(&op);
  }
}

/// Finds the results of pinned operations that anything else uses, and then the other values that the inner loop uses
/// directly.
void NestFusion::findShared() {
  for (Operation *op : pinned)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !llvm::is_contained(pinned, user); }))
        shared.insert(result);
  pinnedResults = shared.size();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(inner.getRegion(), captured);
  for (Value value : captured)
    if (isInOuterBody(value))
      shared.insert(value);
}

void NestFusion::findEarlyCarried() {
  for (unsigned index = 0; index < outer.getNumRegionIterArgs(); ++index)
    earlyCarried.insert(index);
  bool shrinks = true;
  while (shrinks) {
    shrinks = false;
    for (auto [index, next] : llvm::enumerate(outer.getYieldedValues()))
      if (earlyCarried.contains(index) && !isPureOf(next, earlyCarried))
        shrinks |= earlyCarried.erase(index);
  }
}

std::optional<NestFusion> NestFusion::plan(scf::ForOp outer, Refusal &refusal) {
  auto refuse = [&](Operation *op, llvm::StringRef text) {
    refusal.add(op, text);
    return std::nullopt;
  };
  auto loops = llvm::to_vector(outer.getBody()->getOps<scf::ForOp>());
  if (loops.empty())
    return refuse(outer, "there is no loop in it");
  if (loops.size() > 1)
    return refuse(loops[1], "this is a second loop in it, and only one can become one with it");
  NestFusion nest(outer, loops.front());
  for (Value bound : {nest.inner.getLowerBound(), nest.inner.getUpperBound(), nest.inner.getStep()})
    if (!nest.isInvariant(bound))
      return refuse(nest.inner,
                    "the number of iterations of this loop may be another in each iteration of the outer one");
  nest.findPinned();
  nest.findShared();
  for (Value value : nest.shared)
    if (isa<MemDescType, AsyncTokenType>(value.getType()))
      return refuse(value.getDefiningOp(), "each iteration of the outer loop has a buffer of its own here");
  nest.findEarlyCarried();
  return nest;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The counterpart of `value` at the insertion point: known, from outside, or computed again.
Value NestFusion::copy(OpBuilder &builder, Value value, Mapping &mapping) {
  if (isInOuterBody(value) && !mapping.contains(value))
    copyOperation(builder, value.getDefiningOp(), mapping);
  return mapping.lookupOrDefault(value);
}

void NestFusion::copyOperation(OpBuilder &builder, Operation *op, Mapping &mapping) {
  visitReachedFirst(
      op,
      [&](Operation *next, SmallVectorImpl<Operation *> &needed) {
        analysis::forEachOperand(next, [&](OpOperand &operand) {
          if (isInOuterBody(operand.get()) && !mapping.contains(operand.get()))
            needed.push_back(operand.get().getDefiningOp());
        });
      },
      [&](Operation *next) { builder.clone(*next, mapping); });
}

//===----------------------------------------------------------------------===//
// Numbers of iterations
//===----------------------------------------------------------------------===//

/// The loop's type can represent the differences as unsigned numbers. A step below 1 has no meaning, but must not
/// divide.
NestFusion::Count NestFusion::countIterations(OpBuilder &builder, scf::ForOp loop, Mapping &mapping) {
  Location location = loop.getLoc();
  Value lower = copy(builder, loop.getLowerBound(), mapping), upper = copy(builder, loop.getUpperBound(), mapping),
        step = copy(builder, loop.getStep(), mapping);
  Value one = arith::ConstantOp::create(builder, location, builder.getOneAttr(lower.getType()));
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value isSome = arith::CmpIOp::create(builder, location, predicate, lower, upper);
  Value distance = arith::SubIOp::create(builder, location, upper, lower);
  Value before = arith::SubIOp::create(builder, location, distance, one);
  Value atLeastOne = arith::MaxUIOp::create(builder, location, step, one);
  Value steps = arith::DivUIOp::create(builder, location, before, atLeastOne);
  return {isSome, arith::AddIOp::create(builder, location, steps, one)};
}

static Value toWide(OpBuilder &builder, Location location, Value value) {
  Type wide = builder.getI64Type();
  if (value.getType() == wide)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastUIOp::create(builder, location, wide, value);
  return arith::ExtUIOp::create(builder, location, wide, value);
}

static bool isKnownToRun(scf::ForOp loop) {
  APInt lower, upper;
  return matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
         matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
         (loop.getUnsignedCmp() ? lower.ult(upper) : lower.slt(upper));
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Whether the inner loop starts from the same value in each iteration of the outer one. If so, the last position of an
/// outer iteration prepares the value for the next one; otherwise the first position does.
bool NestFusion::isReset(unsigned argument) { return outer.isDefinedOutsideOfLoop(inner.getInitArgs()[argument]); }

/// Tiles of floats are sums, and no address is computed from them. Their reset may be in the same branch as stores.
bool NestFusion::isResetWithEpilogue(unsigned argument) {
  auto tensor = dyn_cast<RankedTensorType>(inner.getInitArgs()[argument].getType());
  return isReset(argument) && tensor && isa<FloatType>(tensor.getElementType());
}

NestFusion::Result NestFusion::emit(OpBuilder &builder) {
  Mapping outside;
  Count outerCount = countIterations(builder, outer, outside), innerCount = countIterations(builder, inner, outside);
  Value runs;
  for (auto [loop, isSome] : {std::pair(outer, outerCount.isSome), {inner, innerCount.isSome}})
    if (!isKnownToRun(loop))
      runs = runs ? Value(arith::AndIOp::create(builder, outer.getLoc(), runs, isSome)) : isSome;
  if (!runs) {
    scf::ForOp loop = emitLoop(builder, outerCount, innerCount, outside);
    return {loop, SmallVector<Value>(loop.getResults().slice(outerArgument(0), outer.getNumResults()))};
  }
  auto branch = scf::IfOp::create(builder, outer.getLoc(), outer.getResultTypes(), runs, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::ForOp loop = emitLoop(builder, outerCount, innerCount, outside);
  scf::YieldOp::create(builder, outer.getLoc(), loop.getResults().slice(outerArgument(0), outer.getNumResults()));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, outer.getLoc(), emitWithoutInner(builder));
  return {loop, SmallVector<Value>(branch.getResults())};
}

SmallVector<Value> NestFusion::emitWithoutInner(OpBuilder &builder) {
  Mapping mapping;
  auto loop = cast<scf::ForOp>(builder.clone(*outer, mapping));
  auto empty = cast<scf::ForOp>(mapping.lookup(inner.getOperation()));
  empty.replaceAllUsesWith(SmallVector<Value>(empty.getInitArgs()));
  empty.erase();
  for (llvm::StringRef hint : {tt::loopStagesAttribute, tt::warpSpecializeAttribute})
    loop->removeAttr(hint);
  return SmallVector<Value>(loop.getResults());
}

scf::ForOp NestFusion::emitLoop(OpBuilder &builder, Count outerCount, Count innerCount, Mapping &outside) {
  Location location = outer.getLoc();
  Value zero = arith::ConstantIntOp::create(builder, location, 0, 64),
        one = arith::ConstantIntOp::create(builder, location, 1, 64);
  // The product of two numbers of 32 bits fits. A larger one would take centuries to count.
  Value outerRounds = toWide(builder, location, outerCount.number),
        innerRounds = toWide(builder, location, innerCount.number);
  Value all = arith::MulIOp::create(builder, location, outerRounds, innerRounds);
  Value single = arith::ConstantOp::create(builder, location, builder.getOneAttr(innerCount.number.getType()));
  Value lastPosition = arith::SubIOp::create(builder, location, innerCount.number, single);
  fused = scf::ForOp::create(builder, location, zero, all, one, initialValues(builder), /*bodyBuilder=*/nullptr,
                             /*unsignedCmp=*/true);
  fused->setDiscardableAttrs(outer->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  if (!fused.getBody()->empty())
    fused.getBody()->getTerminator()->erase();
  builder.setInsertionPointToStart(fused.getBody());
  emitBody(builder, lastPosition, outside);
  return fused;
}

SmallVector<Value> NestFusion::initialValues(OpBuilder &builder) {
  Location location = outer.getLoc();
  Type position = inner.getInductionVar().getType();
  SmallVector<Value> initial{arith::ConstantOp::create(builder, location, builder.getZeroAttr(position)),
                             outer.getLowerBound()};
  llvm::append_range(initial, outer.getInitArgs());
  // The first position gives these a value before anything uses them. This includes masks of iterations that do not
  // exist, because the first iteration exists.
  auto undefined = [&](Type type) { return ub::PoisonOp::create(builder, location, type); };
  for (auto [index, value] : llvm::enumerate(inner.getInitArgs()))
    initial.push_back(isReset(index) ? value : undefined(value.getType()));
  for (Value value : shared)
    initial.push_back(undefined(value.getType()));
  return initial;
}

void NestFusion::emitBody(OpBuilder &builder, Value lastPosition, Mapping &outside) {
  Location location = outer.getLoc();
  auto arguments = fused.getRegionIterArgs();
  base.map(outer.getInductionVar(), arguments[1]);
  for (auto [index, argument] : llvm::enumerate(outer.getRegionIterArgs()))
    base.map(argument, arguments[outerArgument(index)]);
  Value position = arguments[0];
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(position.getType()));
  Value isFirst = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, position, zero);
  SmallVector<Value> fromBefore = emitBefore(builder, isFirst);
  SmallVector<Value> innerResults = emitInner(builder, isFirst, outside, fromBefore);
  Value isLast = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, position, lastPosition);
  SmallVector<Value> next(arguments.size());
  emitAfter(builder, isLast, innerResults, next);
  emitResets(builder, isLast, innerResults, next);
  emitAdvance(builder, isLast, next);
  llvm::copy(fromBefore, next.begin() + sharedArgument(0));
  scf::YieldOp::create(builder, location, next);
}

/// Emits a branch. `emitThen` is called with the insertion point in it and returns what the branch yields. Otherwise it
/// yields `otherwise`.
static ResultRange emitBranch(OpBuilder &builder, Location location, Value condition, ValueRange otherwise,
                              llvm::function_ref<SmallVector<Value>()> emitThen) {
  auto branch = scf::IfOp::create(builder, location, otherwise.getTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/!otherwise.empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> yielded = emitThen();
  if (branch.thenBlock()->empty() || !branch.thenBlock()->back().hasTrait<OpTrait::IsTerminator>())
    scf::YieldOp::create(builder, location, yielded);
  if (!otherwise.empty()) {
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, location, otherwise);
  }
  return branch.getResults();
}

/// Emits what precedes the inner loop. Returns the shared values. Values that only depend on what the outer loop
/// carries have a separate branch, which may run ahead of the other one.
SmallVector<Value> NestFusion::emitBefore(OpBuilder &builder, Value isFirst) {
  auto emit = [&](llvm::ArrayRef<Value> values, unsigned first, llvm::ArrayRef<Operation *> operations) {
    if (values.empty() && operations.empty())
      return SmallVector<Value>();
    auto carried = fused.getRegionIterArgs().slice(sharedArgument(first), values.size());
    return SmallVector<Value>(emitBranch(builder, outer.getLoc(), isFirst, ValueRange(carried), [&] {
      Mapping mapping = section;
      for (Operation *op : operations)
        copyOperation(builder, op, mapping);
      return llvm::map_to_vector(values, [&](Value value) { return copy(builder, value, mapping); });
    }));
  };
  llvm::ArrayRef<Value> values = shared.getArrayRef();
  section = base;
  SmallVector<Value> current = emit(values.take_front(pinnedResults), 0, pinned);
  section.map(values.take_front(pinnedResults), current);
  current.append(emit(values.drop_front(pinnedResults), pinnedResults, {}));
  return current;
}

/// Emits one iteration of the inner loop. Returns what it leaves.
SmallVector<Value> NestFusion::emitInner(OpBuilder &builder, Value isFirst, Mapping &outside, ValueRange sharedValues) {
  Location location = inner.getLoc();
  Mapping mapping = section;
  for (auto [value, current] : llvm::zip_equal(shared, sharedValues))
    mapping.map(value, current);
  Value step = copy(builder, inner.getStep(), outside), lower = copy(builder, inner.getLowerBound(), outside);
  Value offset = arith::MulIOp::create(builder, location, fused.getRegionIterArgs()[0], step);
  mapping.map(inner.getInductionVar(), arith::AddIOp::create(builder, location, lower, offset).getResult());
  for (auto [index, argument] : llvm::enumerate(inner.getRegionIterArgs())) {
    Value current = fused.getRegionIterArgs()[innerArgument(index)];
    if (!isReset(index))
      current = emitBranch(builder, location, isFirst, current, [&] {
                  Mapping own = section;
                  return SmallVector<Value>{copy(builder, inner.getInitArgs()[index], own)};
                }).front();
    mapping.map(argument, current);
  }
  for (Operation &op : inner.getBody()->without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(inner.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Emits what follows the inner loop, and what the outer loop carries from it.
void NestFusion::emitAfter(OpBuilder &builder, Value isLast, llvm::ArrayRef<Value> innerResults,
                           MutableArrayRef<Value> next) {
  SmallVector<unsigned> late, resets; // numbers of arguments
  SmallVector<Value> otherwise;
  for (unsigned index = 0; index < outer.getNumRegionIterArgs(); ++index)
    if (!earlyCarried.contains(index)) {
      late.push_back(index);
      otherwise.push_back(fused.getRegionIterArgs()[outerArgument(index)]);
    }
  for (unsigned index = 0; index < innerResults.size(); ++index)
    if (isResetWithEpilogue(index)) {
      resets.push_back(index);
      otherwise.push_back(innerResults[index]);
    }
  auto results = emitBranch(builder, outer.getLoc(), isLast, otherwise, [&] {
    Mapping mapping = section;
    mapping.map(inner.getResults(), innerResults);
    for (Operation *op = inner->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
      if (!mayBeRepeated(op))
        copyOperation(builder, op, mapping);
    SmallVector<Value> yielded;
    for (unsigned index : late)
      yielded.push_back(copy(builder, outer.getYieldedValues()[index], mapping));
    for (unsigned index : resets)
      yielded.push_back(inner.getInitArgs()[index]);
    return yielded;
  });
  for (auto [position, index] : llvm::enumerate(late))
    next[outerArgument(index)] = results[position];
  for (auto [position, index] : llvm::enumerate(resets))
    next[innerArgument(index)] = results[late.size() + position];
}

void NestFusion::emitResets(OpBuilder &builder, Value isLast, llvm::ArrayRef<Value> innerResults,
                            MutableArrayRef<Value> next) {
  for (auto [index, result] : llvm::enumerate(innerResults)) {
    if (isResetWithEpilogue(index))
      continue;
    Value first = inner.getInitArgs()[index];
    next[innerArgument(index)] = !isReset(index) ? result : emitBranch(builder, inner.getLoc(), isLast, result, [&] {
                                                              return SmallVector<Value>{first};
                                                            }).front();
  }
}

/// Emits the next position and, at the end of the inner loop, the next iteration of the outer loop.
void NestFusion::emitAdvance(OpBuilder &builder, Value isLast, MutableArrayRef<Value> next) {
  Location location = outer.getLoc();
  auto arguments = fused.getRegionIterArgs();
  Value position = arguments[0], induction = arguments[1];
  Value one = arith::ConstantOp::create(builder, location, builder.getOneAttr(position.getType()));
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(position.getType()));
  SmallVector<Value> otherwise{arith::AddIOp::create(builder, location, position, one), induction};
  auto early = llvm::filter_to_vector(llvm::seq(0u, outer.getNumRegionIterArgs()),
                                      [&](unsigned index) { return earlyCarried.contains(index); });
  for (unsigned index : early)
    otherwise.push_back(arguments[outerArgument(index)]);
  auto results = emitBranch(builder, location, isLast, otherwise, [&] {
    Mapping mapping = base;
    SmallVector<Value> yielded{zero, arith::AddIOp::create(builder, location, induction, outer.getStep())};
    for (unsigned index : early)
      yielded.push_back(copy(builder, outer.getYieldedValues()[index], mapping));
    return yielded;
  });
  next[0] = results[0];
  next[1] = results[1];
  for (auto [place, index] : llvm::enumerate(early))
    next[outerArgument(index)] = results[2 + place];
}

} // namespace triton::ttg
