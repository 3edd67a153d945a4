// PTX conversions as operations of arith and tt.
#include "passes/ptx/PtxTranslator.h"

#include "ir/Dialect.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using triton::ptx::PtxInstruction;

namespace triton::tt {

/// A f32 as a code of e2m1, in 8 bits: to nearest even, what is too large and NaN become 6.
static Value toFourBits(PtxTranslator &ptx, Value value) {
  auto single = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  Value magnitude = ptx.make<math::AbsFOp>(value), code = ptx.integer(8, 0);
  constexpr double middles[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
  for (auto [index, middle] : llvm::enumerate(middles)) {
    // The even code is the one below and the one above in turn. NaN is not below anything.
    auto isBelow = index % 2 == 0 ? arith::CmpFPredicate::OLE : arith::CmpFPredicate::OLT;
    Value below = ptx.make<arith::CmpFOp>(isBelow, magnitude, ptx.number(single, middle));
    code = ptx.make<arith::SelectOp>(below, code, ptx.make<arith::AddIOp>(code, ptx.integer(8, 1)));
  }
  Value bits = ptx.bitcast(value, IntegerType::get(value.getContext(), 32));
  Value sign = ptx.make<arith::AndIOp>(ptx.cut(bits, 28, 8), ptx.integer(8, 8));
  Value isNan = ptx.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
  return ptx.make<arith::OrIOp>(code, ptx.make<arith::SelectOp>(isNan, ptx.integer(8, 0), sign));
}

/// The f16 of a code of e2m1 in 8 bits. From 1.0 on, which is code 2, the fields need another bias alone.
static Value fromFourBits(PtxTranslator &ptx, Value value) {
  Value wide = ptx.resize(value, 16, /*isSigned=*/false), code = ptx.make<arith::AndIOp>(wide, ptx.integer(16, 7));
  Value fields = ptx.make<arith::ShLIOp>(code, ptx.integer(16, 9));
  Value half = ptx.make<arith::AddIOp>(fields, ptx.integer(16, 14 << 10));
  constexpr uint64_t smallHalves[] = {0, 0x3800};
  for (auto [small, bits] : llvm::enumerate(smallHalves)) {
    Value isSmall = ptx.make<arith::CmpIOp>(arith::CmpIPredicate::eq, code, ptx.integer(16, small));
    half = ptx.make<arith::SelectOp>(isSmall, ptx.integer(16, bits), half);
  }
  Value sign = ptx.make<arith::ShLIOp>(ptx.make<arith::AndIOp>(wide, ptx.integer(16, 8)), ptx.integer(16, 12));
  return ptx.bitcast(ptx.make<arith::OrIOp>(half, sign), Float16Type::get(value.getContext()));
}

/// Null if the instruction does not round to whole numbers.
Value PtxTranslator::roundToWhole(const PtxInstruction &instruction, Value value) {
  if (instruction.has("rni"))
    return make<math::RoundEvenOp>(value);
  if (instruction.has("rmi"))
    return make<math::FloorOp>(value);
  if (instruction.has("rpi"))
    return make<math::CeilOp>(value);
  return instruction.has("rzi") ? make<math::TruncOp>(value) : Value();
}

/// A whole number as an integer. What is too large becomes the nearest integer, and NaN zero, or the sign bit in 64
/// bits.
Value PtxTranslator::toInteger(Value value, unsigned bits, bool isSigned) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  unsigned computedBits = std::max(bits, 32u), magnitude = isSigned ? bits - 1 : bits;
  double limit = std::ldexp(1.0, int(magnitude)), least = isSigned ? -limit : 0;
  APInt greatest = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APInt lowest = isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits);
  Type computed = typed(b.getIntegerType(computedBits));
  Value result = isSigned ? make<arith::FPToSIOp>(computed, value) : make<arith::FPToUIOp>(computed, value);
  result = resize(result, bits, isSigned);
  auto limitBy = [&](arith::CmpFPredicate predicate, double bound, const APInt &replacement) {
    Value exceeds = make<arith::CmpFOp>(predicate, value, number(type, bound));
    result = make<arith::SelectOp>(exceeds, integer(bits, replacement.getZExtValue()), result);
  };
  limitBy(arith::CmpFPredicate::OGE, limit, greatest);
  limitBy(arith::CmpFPredicate::OLE, least, lowest);
  limitBy(arith::CmpFPredicate::UNO, 0, bits == 64 ? APInt::getSignMask(64) : APInt::getZero(bits));
  return result;
}

/// A f32 as the bits of a float of 8 bits: what is too large becomes the greatest number.
Value PtxTranslator::toEightBits(Value value, FloatType type) {
  double limit = isa<Float8E5M2Type>(type) ? 57344 : 448;
  Value isNan = make<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
  Value limited = make<arith::MinNumFOp>(make<arith::MaxNumFOp>(value, number(b.getF32Type(), -limit)),
                                         number(b.getF32Type(), limit));
  auto rounding = RoundingModeAttr::get(b.getContext(), RoundingMode::NearestEven);
  Value converted = bitcast(make<FpToFpOp>(typed(type), limited, rounding), b.getI8Type());
  return make<arith::SelectOp>(isNan, integer(8, 0x7f), converted);
}

/// Null for roundings that are not known.
Value PtxTranslator::convertFloat(const PtxInstruction &instruction, Value value, FloatType to) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value.getType()));
  if (to.getWidth() > from.getWidth())
    return make<arith::ExtFOp>(typed(to), value);
  if (from == to)
    return roundToWhole(instruction, value);
  bool towardZero = instruction.has("rz") && from.isF32() && to.getWidth() == 16;
  if (towardZero)
    return make<FpToFpOp>(typed(to), value, RoundingModeAttr::get(b.getContext(), RoundingMode::TowardZero));
  return instruction.has("rn") && to.getWidth() < from.getWidth() ? make<arith::TruncFOp>(typed(to), value) : Value();
}

/// `cvt.pack.sat.u8.s32.b32 d, a, b, c`: b in the low bits, then a, both saturated, then the low bits of c. Null for a
/// form that does not exist.
static Value packIntegers(PtxTranslator &translator, llvm::ArrayRef<llvm::StringRef> modifiers, const PtxType &to,
                          llvm::ArrayRef<Value> given) {
  bool hasRest = modifiers.size() == 5 && modifiers[4] == "b32";
  if (modifiers.size() != 4 + hasRest || modifiers[1] != "sat" || modifiers[3] != "s32" || to.format || to.isPacked ||
      !llvm::is_contained({8u, 16u}, to.bits) || !llvm::is_contained({'u', 's'}, to.kind) ||
      hasRest != (to.bits == 8) || given.size() != 2 + hasRest)
    return {};
  bool isSigned = to.kind == 's';
  uint64_t least = isSigned ? uint64_t(llvm::minIntN(to.bits)) : 0,
           most = isSigned ? uint64_t(llvm::maxIntN(to.bits)) : llvm::maxUIntN(to.bits);
  auto saturate = [&](Value value) {
    value = translator.make<arith::MaxSIOp>(value, translator.integer(32, least));
    value = translator.make<arith::MinSIOp>(value, translator.integer(32, most));
    return translator.resize(value, to.bits, false);
  };
  SmallVector<Value, 3> parts = {saturate(given[1]), saturate(given[0])};
  if (hasRest)
    parts.push_back(translator.resize(given[2], 16, false));
  return translator.combine(parts);
}

/// Conversions from and to two numbers in a register.
Value PtxTranslator::convertPair(const PtxInstruction &instruction) {
  llvm::StringRef fromName = instruction.modifiers.back(), toName = instruction.modifiers.end()[-2];
  if (toName == "e2m1x2") {
    SmallVector<Value, 3> given = sources(instruction, parseType("f32"), 2);
    if (given.empty() || fromName != "f32" || !instruction.has("satfinite"))
      return {};
    for (Value &half : given)
      half = toFourBits(*this, limit(instruction, bitcast(half, b.getF32Type())));
    return make<arith::OrIOp>(make<arith::ShLIOp>(given[0], integer(8, 4)), given[1]);
  }
  if (fromName == "e2m1x2") {
    Value both = toName == "f16x2" ? source(instruction, 1, {'b', 8, false, {}}) : Value();
    if (!both || instruction.operands.size() != 2)
      return {};
    Value halves[] = {make<arith::AndIOp>(both, integer(8, 15)), make<arith::ShRUIOp>(both, integer(8, 4))};
    for (Value &half : halves)
      half = bitcast(limit(instruction, fromFourBits(*this, half)), b.getI16Type());
    return combine(halves);
  }
  auto eightBits = [&](llvm::StringRef name) -> FloatType {
    if (name == "e4m3x2")
      return Float8E4M3FNType::get(b.getContext());
    return name == "e5m2x2" ? FloatType(Float8E5M2Type::get(b.getContext())) : FloatType();
  };
  FloatType narrow = eightBits(toName), wide = eightBits(fromName);
  PtxType to = parseType(toName);
  bool isSixteen = to.format && to.isPacked && to.bits == 16;
  SmallVector<Value, 2> halves; // the first in the low bits
  if (fromName == "f32" && (narrow || isSixteen)) {
    SmallVector<Value, 3> given = sources(instruction, parseType("f32"), 2);
    if (given.empty())
      return {};
    halves = {bitcast(given[1], b.getF32Type()), bitcast(given[0], b.getF32Type())};
  } else {
    unsigned bits = wide ? 8 : 16;
    Value whole = (wide && toName == "f16x2") || (narrow && fromName == "f16x2")
                      ? source(instruction, 1, {'b', 2 * bits, false, {}})
                      : Value();
    if (!whole || instruction.operands.size() != 2)
      return {};
    for (unsigned half : {0u, 1u}) {
      Value number = bitcast(cut(whole, half * bits, bits), wide ? wide : b.getF16Type());
      halves.push_back(wide ? make<FpToFpOp>(typed(b.getF16Type()), number, RoundingModeAttr())
                            : make<arith::ExtFOp>(typed(b.getF32Type()), number));
    }
  }
  for (Value &half : halves) {
    half = limit(instruction, half);
    if (narrow)
      half = toEightBits(half, narrow);
    else if (!wide && !(half = convertFloat(instruction, half, to.format)))
      return {};
    half = bitcast(half, b.getIntegerType(bitsOf(half)));
  }
  return combine(halves);
}

Value PtxTranslator::convert(const PtxInstruction &instruction, unsigned resultBits) {
  if (instruction.modifiers.size() < 2)
    return {};
  if (instruction.has("pack") && instruction.modifiers.size() > 2) {
    PtxType word{'b', 32, false, {}};
    return packIntegers(*this, instruction.modifiers, parseType(instruction.modifiers[2]),
                        sources(instruction, word, unsigned(instruction.operands.size()) - 1));
  }
  PtxType from = parseType(instruction.modifiers.back()), to = parseType(instruction.modifiers.end()[-2]);
  if (!from.kind || !to.kind || from.isPacked || to.isPacked)
    return convertPair(instruction);
  Value *input = instruction.operands.size() == 2 ? find(instruction.operands[1][0]) : nullptr;
  bool fitsInput = input && (from.format ? bitsOf(*input) == from.bits : bitsOf(*input) >= from.bits);
  bool fitsResult = to.format ? resultBits == to.bits : resultBits >= to.bits;
  if (!fitsInput || !fitsResult || instruction.has("satfinite") || (instruction.has("sat") && !to.format))
    return {};
  Value value = resize(*input, from.bits, false);
  if (!from.format && !to.format) {
    Value converted = resize(value, to.bits, from.kind == 's');
    return resize(converted, resultBits, (to.bits < from.bits ? to : from).kind == 's');
  }
  if (!from.format) {
    if (!instruction.has("rn"))
      return {};
    value = from.kind == 's' ? make<arith::SIToFPOp>(typed(to.format), value)
                             : make<arith::UIToFPOp>(typed(to.format), value);
  } else {
    value = bitcast(value, from.format);
    if (!to.format) {
      if (from.bits == 16)
        value = make<arith::ExtFOp>(typed(b.getF32Type()), value);
      value = roundToWhole(instruction, value);
      return value ? resize(toInteger(value, to.bits, to.kind == 's'), resultBits, to.kind == 's') : Value();
    }
    value = convertFloat(instruction, value, to.format);
    if (!value)
      return {};
  }
  return bitcast(limit(instruction, value), b.getIntegerType(to.bits));
}

} // namespace triton::tt
