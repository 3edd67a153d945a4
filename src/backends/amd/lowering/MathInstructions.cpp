// Arithmetic and functions. The hardware's approximations, all with an error of one unit in the last place, are used
// where the language does not promise more, otherwise the device library.
#include "backends/amd/lowering/AmdEmitter.h"

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
