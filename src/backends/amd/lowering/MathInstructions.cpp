// Arithmetic and functions. The hardware's approximations, all with an error of one unit in the last place, are used
// where the language does not promise more, otherwise the device library.
#include "backends/amd/lowering/AmdEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::amd {

using gpu::MathFunction;

/// The functions of f32 that the hardware approximates; null for the others.
static Value emitSingle(Emitter &emitter, MathFunction function, ValueRange operands) {
  auto &b = emitter.b;
  Type type = b.getF32Type();
  switch (function) {
  case MathFunction::Exp: {
    Value log2OfE = emitter.floating(type, 1.4426950408889634);
    return emitter.intrinsic("exp2", type, LLVM::FMulOp::create(b, operands[0], log2OfE).getResult());
  }
  case MathFunction::Exp2: // A subnormal result would cost four more instructions, so it is 0, as in Triton.
    return emitter.intrinsic("amdgcn.exp2", type, operands);
  case MathFunction::Sqrt:
    return emitter.intrinsic("amdgcn.sqrt", type, operands);
  case MathFunction::Rsqrt:
    return emitter.intrinsic("amdgcn.rsq", type, operands);
  default:
    return {};
  }
}

static bool isHalf(Type type) { return getElementTypeOrSelf(type).isF16(); }

/// A product that is only added to something: the sum becomes one instruction.
static arith::MulFOp findAddedProduct(Operation *sum) {
  for (Value operand : sum->getOperands())
    if (auto product = operand.getDefiningOp<arith::MulFOp>(); product && product->hasOneUse())
      return product;
  return {};
}

/// Whether the sum of a product and a number has parts that are converted from f16, or is converted to f16 alone.
/// v_fma_mix then does without conversions.
static bool isMixedSum(Operation *sum) {
  arith::MulFOp product = isa<arith::AddFOp, arith::SubFOp>(sum) ? findAddedProduct(sum) : arith::MulFOp();
  if (!product)
    return false;
  auto isWidened = [](Value value) {
    auto widening = value.getDefiningOp<arith::ExtFOp>();
    return widening && isHalf(widening.getIn().getType());
  };
  auto isNarrowing = [](Operation *user) { return isa<arith::TruncFOp>(user) && isHalf(user->getResult(0).getType()); };
  return llvm::any_of(sum->getOperands(), isWidened) || llvm::any_of(product->getOperands(), isWidened) ||
         llvm::all_of(sum->getUsers(), isNarrowing);
}

/// v_pk_add_f32, v_pk_mul_f32 and v_pk_fma_f32. LLVM finds pairs of f16 itself.
bool AmdEmitter::computesPairs(Operation *op) const {
  if (architecture.isRdna() || !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return false;
  bool isAdded = isa<arith::MulFOp>(op) && op->hasOneUse();
  return !isMixedSum(op) && !(isAdded && isMixedSum(*op->user_begin()));
}

Value AmdEmitter::emitMath(Emitter &emitter, MathFunction function, ValueRange operands, FloatType type) const {
  if (!type.isF64())
    if (Value result = emitSingle(emitter, function, operands))
      return result;
  if (function == MathFunction::Sqrt || function == MathFunction::PreciseSqrt) // rounded correctly
    return emitter.intrinsic("sqrt", type, operands);
  llvm::StringRef name = function == MathFunction::PowI ? "pown" : libraryName(function); // the device library's names
  return emitter.call(("__ocml_" + name + (type.isF64() ? "_f64" : "_f32")).str(), type, operands);
}

Value AmdEmitter::emitApproximateDivision(Emitter &emitter, Value left, Value right) const {
  Value reciprocal = emitter.intrinsic("amdgcn.rcp", left.getType(), right);
  return LLVM::FMulOp::create(emitter.b, left, reciprocal);
}

Value AmdEmitter::emitDivision(Emitter &emitter, Value left, Value right, bool hasNormalReciprocal) const {
  return hasNormalReciprocal ? emitApproximateDivision(emitter, left, right)
                             : TargetEmitter::emitDivision(emitter, left, right, hasNormalReciprocal);
}

} // namespace triton::amd
