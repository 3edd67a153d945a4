// Arithmetic and functions. The hardware's approximations are used where the language does not promise more, otherwise
// libdevice.
//
// The largest errors of the f32 approximations, in units in the last place, are: ex2 2.1, rsqrt 1.6, sqrt 1.0.
#include "backends/nvidia/lowering/NvidiaEmitter.h"

using namespace mlir;

namespace triton::nvidia {

using gpu::MathFunction;

//===--- Functions ----------------------------------------------------------------------------------------------===//

/// An f32 approximation of the hardware. `flushes`: subnormal numbers are replaced by 0.
static Value emitApproximation(Emitter &emitter, llvm::StringRef instruction, ValueRange operands, bool flushes) {
  std::string name = ("nvvm." + instruction + (flushes ? ".ftz" : "")).str();
  if (instruction != "ex2.approx") // ex2.approx is overloaded; the names of the others contain the type
    name += ".f";
  return emitter.intrinsic(name, emitter.b.getF32Type(), operands);
}

/// The functions of f32 that the hardware approximates; null for the others.
static Value emitSingle(Emitter &emitter, MathFunction function, ValueRange operands) {
  auto &b = emitter.b;
  bool flushes = emitter.options().flushDenormals;
  switch (function) {
  case MathFunction::Exp: {
    Value log2OfE = emitter.floating(b.getF32Type(), 1.4426950408889634);
    return emitApproximation(emitter, "ex2.approx", LLVM::FMulOp::create(b, operands[0], log2OfE).getResult(), flushes);
  }
  case MathFunction::Exp2:
    // A subnormal result would cost three more instructions, so it is 0, as in Triton.
    return emitApproximation(emitter, "ex2.approx", operands, /*flushes=*/true);
  case MathFunction::Sqrt:
    return emitApproximation(emitter, "sqrt.approx", operands, flushes);
  case MathFunction::PreciseSqrt:
    return emitter.intrinsic("nvvm.sqrt.rn.f", b.getF32Type(), operands);
  case MathFunction::Rsqrt:
    return emitApproximation(emitter, "rsqrt.approx", operands, flushes);
  default:
    return {};
  }
}

Value NvidiaEmitter::emitMath(Emitter &emitter, MathFunction function, ValueRange operands, FloatType type) const {
  if (type.isF64() && (function == MathFunction::Sqrt || function == MathFunction::PreciseSqrt))
    return emitter.intrinsic("nvvm.sqrt.rn.d", type, operands);
  if (!type.isF64())
    if (Value result = emitSingle(emitter, function, operands))
      return result;
  // `__nv_<name>` of f64, with an `f` appended of f32. Sine and cosine are accurate for all arguments. lg2.approx would
  // lose all precision near 1.
  std::string name = "__nv_" + libraryName(function).str() + (type.isF64() ? "" : "f");
  return emitter.call(name, type, operands);
}

//===--- Arithmetic ---------------------------------------------------------------------------------------------===//

Value NvidiaEmitter::emitApproximateDivision(Emitter &emitter, Value left, Value right) const {
  llvm::StringRef name = emitter.options().flushDenormals ? "nvvm.div.approx.ftz.f" : "nvvm.div.approx.f";
  return emitter.intrinsic(name, left.getType(), {left, right});
}

/// The division instruction scales operands in case the divisor is extreme, which costs more than the division itself.
/// If the divisor is not extreme, the reciprocal alone is equally exact.
Value NvidiaEmitter::emitDivision(Emitter &emitter, Value left, Value right, bool hasNormalReciprocal) const {
  Type type = left.getType();
  if (hasNormalReciprocal) {
    Value reciprocal = emitter.intrinsic("nvvm.rcp.approx.ftz.f", type, right);
    return LLVM::FMulOp::create(emitter.b, left, reciprocal);
  }
  llvm::StringRef name = emitter.options().flushDenormals ? "nvvm.div.full.ftz" : "nvvm.div.full";
  return emitter.intrinsic(name, type, {left, right});
}

/// What the division instruction does, bit by bit, taken apart: a scale that keeps the reciprocal in range, and that.
Registers NvidiaEmitter::emitDivisor(Emitter &emitter, Value divisor) const {
  if (emitter.options().flushDenormals)
    return {};
  auto &b = emitter.b;
  Type type = divisor.getType();
  Value magnitude = emitter.intrinsic("fabs", type, divisor);
  Value isLarge = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, magnitude, emitter.floating(type, 0x1p126));
  Value isSmall = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt, magnitude, emitter.floating(type, 0x1p-126));
  Value scale = emitter.select(isSmall, emitter.floating(type, 0x1p24), emitter.floating(type, 1));
  scale = emitter.select(isLarge, emitter.floating(type, 0.25), scale);
  return {scale, emitter.intrinsic("nvvm.rcp.approx.ftz.f", type, LLVM::FMulOp::create(b, divisor, scale).getResult())};
}

Value NvidiaEmitter::emitMultiplyHigh(Emitter &emitter, Value left, Value right) const {
  Type type = left.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width != 32 && width != 64) // the code generator turns these into one instruction
    return TargetEmitter::emitMultiplyHigh(emitter, left, right);
  return emitter.intrinsic(width == 32 ? "nvvm.mulhi.ui" : "nvvm.mulhi.ull", type, {left, right});
}

//===--- Conversions --------------------------------------------------------------------------------------------===//

Value NvidiaEmitter::emitTowardZero(Emitter &emitter, Value value, FloatType to) const {
  if (value.getType().isF64())
    return TargetEmitter::emitTowardZero(emitter, value, to);
  return emitter.intrinsic(to.isF16() ? "nvvm.f2f16.rz" : "nvvm.f2bf16.rz", to, value);
}

/// The hardware's name for two elements of `type`; empty if it has no conversions for them.
static llvm::StringRef pairName(FloatType type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3x2" : isa<Float8E5M2Type>(type) ? "e5m2x2" : "";
}

bool NvidiaEmitter::convertsByteFloats(FloatType type) const {
  return nvidia::convertsByteFloats(capability) && (ptxVersion == 0 || ptxVersion >= 81) && !pairName(type).empty();
}

/// Applies `convert` to pairs of neighbours. A single last value is paired with itself.
static Registers forEachPair(ValueRange values, llvm::function_ref<Registers(Value low, Value high)> convert) {
  Registers results;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    bool isLast = i + 1 == values.size();
    Registers pair = convert(values[i], values[isLast ? i : i + 1]);
    results.append(pair.begin(), pair.begin() + (isLast ? 1 : 2));
  }
  return results;
}

/// A word of registers and the byte of it that is an integer. What the other bytes are does not matter.
static std::pair<Value, unsigned> wordOf(Emitter &emitter, Value integer) {
  auto &b = emitter.b;
  auto extract = integer.getDefiningOp<LLVM::ExtractElementOp>();
  auto vector = extract ? cast<VectorType>(extract.getVector().getType()) : VectorType();
  llvm::APInt position;
  if (!extract || vector.getNumElements() % 4 != 0 || !matchPattern(extract.getPosition(), m_ConstantInt(&position)))
    return {LLVM::ZExtOp::create(b, b.getI32Type(), integer), 0};
  int64_t index = position.getSExtValue(), words = vector.getNumElements() / 4;
  Type type = words == 1 ? Type(b.getI32Type()) : VectorType::get(words, b.getI32Type());
  Value bits = LLVM::BitcastOp::create(b, type, extract.getVector());
  return {words == 1 ? bits : LLVM::ExtractElementOp::create(b, bits, emitter.i32(index / 4)).getResult(), index % 4};
}

/// The bytes become low bits of mantissas, which adds a number that a subtraction takes away exactly. The mantissa of
/// bf16 has 7 bits, so the sign bit, which counts -128, goes to the subtrahend: in place of 128 it is then 256.
static Registers convertIntegers(Emitter &emitter, Value low, Value high, bool isSigned, FloatType to) {
  auto &b = emitter.b;
  Type word = b.getI32Type();
  auto [lowWord, lowByte] = wordOf(emitter, low);
  auto [highWord, highByte] = wordOf(emitter, high);
  Value selector = emitter.i32(lowByte | (4 + highByte) << 8);
  Value bytes = emitter.intrinsic("nvvm.prmt", word, {lowWord, highWord, selector});
  auto twice = [&](int64_t bits) { return emitter.i32(bits << 16 | bits); };
  auto numbers = [&](Value bits) { return LLVM::BitcastOp::create(b, VectorType::get(2, to), bits).getResult(); };
  // One instruction, of which the assembler would make two.
  auto flip = [&](int64_t mask, int64_t bits) {
    return numbers(emitter.assembly("lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n", word,
                                    {bytes, twice(mask), twice(bits)}, /*hasSideEffects=*/false));
  };
  if (to.isBF16())
    return emitter.unpackVector(LLVM::FSubOp::create(b, flip(0x7f, 0x4300), flip(0x80, 0x4300)));
  // A signed integer with the other sign bit is the unsigned sum of it and 128.
  int64_t added = isSigned ? 0x6480 : 0x6400; // 1152 or 1024
  return emitter.unpackVector(LLVM::FSubOp::create(b, flip(0xff, added), numbers(twice(added))));
}

Registers NvidiaEmitter::emitDecodeBytes(Emitter &emitter, ValueRange bytes, Type from, FloatType to) const {
  auto &b = emitter.b;
  if (isa<IntegerType>(from)) { // The instruction that converts one takes four times as long as others.
    bool isSigned = from.isSignedInteger();
    if (!to.isF16() && !(to.isBF16() && isSigned && addsBrainFloats(capability)))
      return {};
    return forEachPair(bytes, [&](Value low, Value high) { return convertIntegers(emitter, low, high, isSigned, to); });
  }
  std::string name = ("nvvm." + pairName(cast<FloatType>(from)) + ".to.f16x2.rn").str();
  return forEachPair(bytes, [&](Value low, Value high) {
    Value packed = LLVM::BitcastOp::create(b, b.getI16Type(), emitter.packVector({low, high}));
    return emitter.unpackVector(emitter.intrinsic(name, VectorType::get(2, b.getF16Type()), packed));
  });
}

Registers NvidiaEmitter::emitEncodeBytes(Emitter &emitter, ValueRange values, FloatType to) const {
  auto &b = emitter.b;
  llvm::StringRef name = pairName(to);
  return forEachPair(values, [&](Value low, Value high) {
    bool isHalf = low.getType().isF16();
    Value packed = isHalf ? emitter.intrinsic(("nvvm.f16x2.to." + name + ".rn").str(), b.getI16Type(),
                                              emitter.packVector({low, high}))
                          : emitter.intrinsic(("nvvm.ff.to." + name + ".rn").str(), b.getI16Type(), {high, low});
    return emitter.unpackVector(LLVM::BitcastOp::create(b, VectorType::get(2, b.getI8Type()), packed));
  });
}

} // namespace triton::nvidia
