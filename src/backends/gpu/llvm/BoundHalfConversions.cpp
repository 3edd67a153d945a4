#include "backends/gpu/llvm/Passes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace triton::backends {

/// Rounds to infinity, as does all from 65520 on.
static constexpr double beyondHalf = 65536;

static CastInst *integerConversion(Value *value) {
  return isa<SIToFPInst, UIToFPInst>(value) ? cast<CastInst>(value) : nullptr;
}

/// Whether an integer is known to have a magnitude that half has.
static bool isSmall(const CastInst &conversion) {
  constexpr unsigned bitsOfSmall = 15;
  const Value *integer = conversion.getOperand(0);
  const DataLayout &layout = conversion.getDataLayout();
  unsigned width = integer->getType()->getScalarSizeInBits();
  if (isa<SIToFPInst>(conversion))
    return width - ComputeNumSignBits(integer, layout) <= bitsOfSmall;
  return computeKnownBits(integer, layout).countMaxActiveBits() <= bitsOfSmall;
}

/// `conversion`, of an integer to a float, is converted to half.
static Value *emitBounded(IRBuilder<> &builder, CastInst &conversion, Type *half) {
  Value *number = &conversion;
  if (conversion.getType() == half)
    number = builder.CreateCast(conversion.getOpcode(), conversion.getOperand(0),
                                half->getWithNewType(builder.getFloatTy()));
  number = builder.CreateMinNum(number, ConstantFP::get(number->getType(), beyondHalf));
  if (isa<SIToFPInst>(conversion))
    number = builder.CreateMaxNum(number, ConstantFP::get(number->getType(), -beyondHalf));
  return builder.CreateFPTrunc(number, half);
}

static bool boundConversions(Function &function) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (!instruction.getType()->getScalarType()->isHalfTy())
      continue;
    CastInst *conversion = integerConversion(&instruction);
    if (auto *narrowing = dyn_cast<FPTruncInst>(&instruction))
      conversion = integerConversion(narrowing->getOperand(0));
    if (!conversion || isSmall(*conversion))
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(emitBounded(builder, *conversion, instruction.getType()));
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

PreservedAnalyses BoundHalfConversionsPass::run(Module &module, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &function : module)
    changed |= boundConversions(function);
  return base::preservedIf(!changed);
}

} // namespace triton::backends
