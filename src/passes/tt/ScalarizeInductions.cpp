// triton-scalarize-inductions: makes loops carry a scalar offset instead of a tensor to which each iteration adds a
// uniform value.
#include "analysis/AddressRange.h"
#include "base/OptionalPass.h"
#include "ir/UniformValues.h"
#include "passes/tt/Passes.h"

#include "ir/Debug.h"
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#define DEBUG_TYPE "triton-scalarize-inductions"

using namespace mlir;

namespace triton::tt {

#define GEN_PASS_DEF_TRITONSCALARIZEINDUCTIONS
#include "passes/tt/Passes.h.inc"

namespace {

/// What one iteration adds to the carried tensor `index`: the sum of uniform tensors, in the order of the additions.
struct Induction {
  unsigned index;
  SmallVector<Value> increments;
};

/// Whether the addresses in all iterations, those of the first being `initial`, can be a base and small offsets.
bool hasBuffer(const analysis::AxisInfoAnalysis &axisInfo, Value initial, const Induction &induction) {
  if (!isa<PointerType>(getElementTypeOrSelf(initial.getType())))
    return false;
  std::optional<analysis::AddressRange> range = analysis::findAddressRange(axisInfo, initial);
  return range && range->isSmall() && llvm::all_of(induction.increments, [&](Value increment) {
           return analysis::IndexRanges(axisInfo).find(increment).isNonNegative();
         });
}

/// The type of the scalar that replaces a carried tensor. Addresses wrap at 64 bits, integers at their own width.
Type getOffsetType(Value carried) {
  Type element = getElementTypeOrSelf(carried.getType());
  return isa<PointerType>(element) ? IntegerType::get(element.getContext(), 64) : element;
}

/// Follows additions of uniform tensors from what the loop yields back to the carried tensor.
std::optional<Induction> matchInduction(scf::ForOp loop, unsigned index) {
  Value carried = loop.getRegionIterArg(index);
  auto type = dyn_cast<RankedTensorType>(carried.getType());
  if (!type || !isa<PointerType, IntegerType>(type.getElementType()))
    return std::nullopt;
  Induction induction{index, {}};
  Value value = loop.getYieldedValues()[index];
  while (value != carried) {
    Value next, increment;
    if (auto add = value.getDefiningOp<AddPtrOp>()) {
      next = add.getPtr();
      increment = add.getOffset();
    } else if (auto add = value.getDefiningOp<arith::AddIOp>()) {
      bool rightIsUniform = isUniform(add.getRhs());
      next = rightIsUniform ? add.getLhs() : add.getRhs();
      increment = rightIsUniform ? add.getRhs() : add.getLhs();
    }
    if (!next || !isUniform(increment))
      return std::nullopt;
    induction.increments.push_back(increment);
    value = next;
  }
  // Nothing is added: this is a loop invariant, which canonicalization removes.
  return induction.increments.empty() ? std::nullopt : std::optional(std::move(induction));
}

/// `initial` with the scalar `offset` added to every element.
Value addUniform(OpBuilder &builder, Location loc, Value initial, Value offset) {
  auto type = cast<RankedTensorType>(initial.getType());
  Value splat = SplatOp::create(builder, loc, withElementType(type, offset.getType()), offset);
  if (isa<PointerType>(type.getElementType()))
    return AddPtrOp::create(builder, loc, initial, splat);
  return arith::AddIOp::create(builder, loc, initial, splat);
}

/// The offset of the next iteration: `offset` plus the scalars of all increments.
Value advanceOffset(OpBuilder &builder, Location loc, Value offset, const Induction &induction) {
  for (Value increment : llvm::reverse(induction.increments)) {
    Value scalar = getUniformScalar(builder, increment);
    if (scalar.getType().getIntOrFloatBitWidth() < offset.getType().getIntOrFloatBitWidth())
      scalar = arith::ExtSIOp::create(builder, loc, offset.getType(), scalar);
    offset = arith::AddIOp::create(builder, loc, offset, scalar);
  }
  return offset;
}

/// Makes `loop` carry a scalar that starts at zero for each induction. Replaces the loop.
void scalarize(scf::ForOp loop, ArrayRef<Induction> inductions) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> initials(loop.getInitArgs());
  for (const Induction &induction : inductions) {
    Type type = getOffsetType(initials[induction.index]);
    initials[induction.index] = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  }
  auto replacement = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                        initials, /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  replacement->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  // The yield of the old body becomes that of the new one, with offsets in place of tensors.
  Block *body = replacement.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> arguments(body->getArguments());
  for (const Induction &induction : inductions) {
    Value &argument = arguments[1 + induction.index];
    argument = addUniform(builder, loc, loop.getInitArgs()[induction.index], argument);
  }
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  builder.setInsertionPoint(yield);
  for (const Induction &induction : inductions)
    yield->setOperand(induction.index,
                      advanceOffset(builder, loc, replacement.getRegionIterArg(induction.index), induction));
  for (auto [old, value] : llvm::zip_equal(loop.getBody()->getArguments(), arguments))
    old.replaceAllUsesWith(value);
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());

  builder.setInsertionPointAfter(replacement);
  SmallVector<Value> results(replacement.getResults());
  for (const Induction &induction : inductions)
    if (!loop.getResult(induction.index).use_empty())
      results[induction.index] =
          addUniform(builder, loc, loop.getInitArgs()[induction.index], results[induction.index]);
    else
      results[induction.index] = loop.getInitArgs()[induction.index]; // has the right type; nothing uses it
  loop.replaceAllUsesWith(results);
  loop.erase();
}

struct ScalarizeInductions : impl::TritonScalarizeInductionsBase<ScalarizeInductions>, base::OptionalPass {
  using TritonScalarizeInductionsBase::TritonScalarizeInductionsBase;

  void runOnOperation() override {
    std::optional<analysis::AxisInfoAnalysis> axisInfo;
    if (onlyBuffers)
      axisInfo.emplace(getOperation());
    // Inner loops come first, because their results are then sums through which the outer loop's inductions can pass.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      SmallVector<Induction> inductions;
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        if (std::optional<Induction> induction = matchInduction(loop, index);
            induction && (!axisInfo || hasBuffer(*axisInfo, loop.getInitArgs()[index], *induction)))
          inductions.push_back(std::move(*induction));
      if (inductions.empty())
        continue;
      TRITON_DEBUG(llvm::dbgs() << inductions.size() << " of " << loop.getNumRegionIterArgs()
                                << " carried values become scalars: " << loop.getLoc() << "\n");
      scalarize(loop, inductions);
    }
  }
};

} // namespace

} // namespace triton::tt

#undef DEBUG_TYPE // which sources that are compiled together define, too
