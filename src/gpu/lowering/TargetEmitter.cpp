// The portable forms of a target's operations.
#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::gpu {

//===--- Memory -------------------------------------------------------------------------------------------------===//

/// `mask` for each of `count` elements.
static Value splatMask(Emitter &emitter, Value mask, unsigned count) {
  auto type = VectorType::get(count, emitter.b.getI1Type());
  Value first = LLVM::InsertElementOp::create(emitter.b, emitter.undefined(type), mask, emitter.i32(0));
  if (count == 1)
    return first;
  return LLVM::ShuffleVectorOp::create(emitter.b, first, first, SmallVector<int32_t>(count, 0));
}

/// The elements as one vector, even if there is only one.
static Value asVector(Emitter &emitter, ValueRange elements) {
  if (elements.size() > 1)
    return emitter.packVector(elements);
  Value empty = emitter.undefined(VectorType::get(1, elements.front().getType()));
  return LLVM::InsertElementOp::create(emitter.b, empty, elements.front(), emitter.i32(0));
}

Value TargetEmitter::emitLoad(Emitter &emitter, const LoadAccess &access) const {
  if (!access.mask)
    return LLVM::LoadOp::create(emitter.b, access.type, access.place.pointer, access.bytes, access.hints.isVolatile);
  auto vector = dyn_cast<VectorType>(access.type);
  if (!vector)
    vector = VectorType::get(1, access.type);
  Value passThrough = access.fallback.empty() ? emitter.undefined(vector) : asVector(emitter, access.fallback);
  Value mask = splatMask(emitter, access.mask, unsigned(vector.getNumElements()));
  return LLVM::MaskedLoadOp::create(emitter.b, vector, access.place.pointer, mask, passThrough, access.bytes);
}

void TargetEmitter::emitStore(Emitter &emitter, const StoreAccess &access) const {
  if (!access.mask) {
    LLVM::StoreOp::create(emitter.b, emitter.packVector(access.elements), access.place.pointer, access.bytes);
    return;
  }
  Value stored = asVector(emitter, access.elements);
  LLVM::MaskedStoreOp::create(emitter.b, stored, access.place.pointer,
                              splatMask(emitter, access.mask, unsigned(access.elements.size())), access.bytes);
}

std::optional<Registers> TargetEmitter::emitMatrixLoad(Emitter &, Value, const LinearLayout &, Type) const {
  return std::nullopt;
}

bool TargetEmitter::emitMatrixStore(Emitter &, Value, const LinearLayout &, ValueRange) const { return false; }

//===--- Lanes --------------------------------------------------------------------------------------------------===//

Value TargetEmitter::emitShuffleAcross(Emitter &emitter, Value word, unsigned bit, unsigned) const {
  return emitShuffleXor(emitter, word, 1u << bit);
}

std::pair<Value, Value> TargetEmitter::emitPair(Emitter &emitter, Value word, unsigned bit) const {
  int64_t mask = int64_t(1) << bit;
  Value lower = emitter.bitAnd(emitter.lane(), ~mask);
  Value upper = LLVM::OrOp::create(emitter.b, emitter.lane(), emitter.i32(mask));
  return {emitShuffleIndex(emitter, word, lower), emitShuffleIndex(emitter, word, upper)};
}

Value TargetEmitter::emitPreceding(Emitter &, Value, unsigned) const {
  llvm_unreachable("a target with a first such bit says how");
}

Value TargetEmitter::emitEarlierLane(Emitter &, Value, int) const {
  llvm_unreachable("a target that shifts lanes, or has rows of them, says how");
}

Value TargetEmitter::emitBufferAtomic(Emitter &, LLVM::AtomicBinOp, const AccessPlace &, Value, Value) const {
  llvm_unreachable("a target with such operations says how");
}

Value TargetEmitter::emitWarpReduction(Emitter &, Operation &, Value) const {
  llvm_unreachable("a target that reduces warps says how");
}

//===--- Numbers ------------------------------------------------------------------------------------------------===//

llvm::StringRef libraryName(MathFunction function) {
  switch (function) {
  case MathFunction::Exp:
    return "exp";
  case MathFunction::Exp2:
    return "exp2";
  case MathFunction::Log:
    return "log";
  case MathFunction::Log2:
    return "log2";
  case MathFunction::Log10:
    return "log10";
  case MathFunction::Log1P:
    return "log1p";
  case MathFunction::ExpM1:
    return "expm1";
  case MathFunction::Rsqrt:
    return "rsqrt";
  case MathFunction::Cbrt:
    return "cbrt";
  case MathFunction::Sin:
    return "sin";
  case MathFunction::Cos:
    return "cos";
  case MathFunction::Tan:
    return "tan";
  case MathFunction::Asin:
    return "asin";
  case MathFunction::Acos:
    return "acos";
  case MathFunction::Atan:
    return "atan";
  case MathFunction::Atan2:
    return "atan2";
  case MathFunction::Sinh:
    return "sinh";
  case MathFunction::Cosh:
    return "cosh";
  case MathFunction::Tanh:
    return "tanh";
  case MathFunction::Asinh:
    return "asinh";
  case MathFunction::Acosh:
    return "acosh";
  case MathFunction::Atanh:
    return "atanh";
  case MathFunction::Erf:
    return "erf";
  case MathFunction::Erfc:
    return "erfc";
  case MathFunction::Pow:
    return "pow";
  case MathFunction::PowI:
    return "powi";
  case MathFunction::Round:
    return "round";
  case MathFunction::Remainder:
    return "fmod";
  case MathFunction::Sqrt:
  case MathFunction::PreciseSqrt:
    break;
  }
  llvm_unreachable("roots are instructions");
}

Value TargetEmitter::emitApproximateDivision(Emitter &emitter, Value left, Value right) const {
  return emitDivision(emitter, left, right, /*hasNormalReciprocal=*/false);
}

Value TargetEmitter::emitDivision(Emitter &emitter, Value left, Value right, bool) const {
  return LLVM::FDivOp::create(emitter.b, left, right);
}

Value TargetEmitter::emitMultiplyHigh(Emitter &emitter, Value left, Value right) const {
  Type type = left.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type wide = emitter.b.getIntegerType(2 * width);
  Value wideLeft = LLVM::ZExtOp::create(emitter.b, wide, left);
  Value wideRight = LLVM::ZExtOp::create(emitter.b, wide, right);
  Value product = emitter.shiftRight(LLVM::MulOp::create(emitter.b, wideLeft, wideRight), width);
  return LLVM::TruncOp::create(emitter.b, type, product);
}

/// The nearest number, or its predecessor if that is too large: codes with the same sign have the order of the
/// magnitudes.
Value TargetEmitter::emitTowardZero(Emitter &emitter, Value value, FloatType to) const {
  auto &b = emitter.b;
  Type bits = b.getIntegerType(to.getWidth());
  Value nearest = LLVM::FPTruncOp::create(b, to, value);
  Value back = LLVM::FPExtOp::create(b, value.getType(), nearest);
  Value isLarger = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, emitter.intrinsic("fabs", value.getType(), back),
                                        emitter.intrinsic("fabs", value.getType(), value));
  Value code = LLVM::BitcastOp::create(b, bits, nearest);
  Value before = LLVM::SubOp::create(b, code, LLVM::ZExtOp::create(b, bits, isLarger));
  return LLVM::BitcastOp::create(b, to, before);
}

Registers TargetEmitter::emitDecodeBytes(Emitter &, ValueRange, [[maybe_unused]] Type from, FloatType) const {
  assert(isa<IntegerType>(from) && "a target that converts 8-bit floats says how");
  return {};
}

Registers TargetEmitter::emitEncodeBytes(Emitter &, ValueRange, FloatType) const {
  llvm_unreachable("a target that converts 8-bit floats says how");
}

LogicalResult TargetEmitter::lowerMatrixProduct(tt::DotOp op, Emitter &) const {
  return op.emitError() << "no matrix unit has the layout of " << op.getType();
}

LogicalResult TargetEmitter::lowerScaledProduct(tt::DotScaledOp op, Emitter &) const {
  return op.emitError() << "no matrix unit of this target multiplies with scales";
}

} // namespace triton::gpu
