#include "gpu/lowering/FloatConversions.h"

#include "gpu/lowering/TargetEmitter.h"

#include <cmath>

using namespace mlir;

namespace triton::gpu {

namespace {

/// How a format uses the codes of its largest exponent.
enum class Specials {
  Ieee,         ///< infinity and NaN
  NaNOnly,      ///< all ones is NaN, the rest are numbers
  NegativeZero, ///< the code of -0 is NaN
  None,         ///< neither; the code above `largest` reads as `largest`
};

/// An 8-bit format; `largest` is the code of its largest number.
struct ByteFormat {
  unsigned mantissa;
  int bias;
  Specials specials;
  uint32_t largest;
};

ByteFormat formatOf(FloatType type) {
  return llvm::TypeSwitch<Type, ByteFormat>(type)
      .Case<Float8E5M2Type>([](auto) { return ByteFormat{2, 15, Specials::Ieee, 0x7b}; })
      .Case<Float8E5M2FNUZType>([](auto) { return ByteFormat{2, 16, Specials::NegativeZero, 0x7f}; })
      .Case<Float8E4M3FNType>([](auto) { return ByteFormat{3, 7, Specials::NaNOnly, 0x7e}; })
      .Case<Float8E4M3FNUZType>([](auto) { return ByteFormat{3, 8, Specials::NegativeZero, 0x7f}; })
      .Case<tt::Float8E4B15Type>([](auto) { return ByteFormat{3, 15, Specials::None, 0x7e}; })
      .DefaultUnreachable("not an 8-bit floating-point type of the language");
}

constexpr unsigned halfMantissa = 10, singleMantissa = 23;
constexpr int halfBias = 15, singleBias = 127;
constexpr uint32_t singleMagnitude = 0x7fffffff, singleInfinity = 0x7f800000;

class ByteConversion {
public:
  ByteConversion(Emitter &emitter, ByteFormat format) : emitter(emitter), b(emitter.b), format(format) {}

  /// Decodes to fp16, which represents every number of every 8-bit format. The code's fields are moved to their places
  /// in fp16 and multiplied by the difference of the biases, which needs no special case for subnormals.
  Value decode(Value byte) {
    Type integer = b.getI16Type();
    Value code = LLVM::ZExtOp::create(b, integer, byte);
    Value magnitude = emitter.bitAnd(code, 0x7f);
    Value moved = emitter.shiftLeft(magnitude, halfMantissa - format.mantissa);
    Value result = moved;
    if (format.bias != halfBias) {
      Value scale = emitter.floating(b.getF16Type(), std::ldexp(1.0, halfBias - format.bias));
      Value number = LLVM::FMulOp::create(b, LLVM::BitcastOp::create(b, b.getF16Type(), moved), scale);
      result = LLVM::BitcastOp::create(b, integer, number);
    }
    if (format.bias >
        halfBias) { // in fp16 the largest exponent is infinity's, so these numbers are scaled by their exponent instead
      Value isLarge = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, moved, emitter.integer(integer, 0x7c00));
      int64_t exponentStep = int64_t(format.bias - halfBias) << halfMantissa;
      result = emitter.select(isLarge, emitter.add(moved, emitter.integer(integer, -exponentStep)), result);
    }
    Value quietNaN = emitter.integer(integer, 0x7e00);
    if (format.specials == Specials::NaNOnly)
      result = emitter.select(emitter.equal(magnitude, emitter.integer(integer, 0x7f)), quietNaN, result);
    else if (format.specials == Specials::NegativeZero)
      result = emitter.select(emitter.equal(code, emitter.integer(integer, 0x80)), quietNaN, result);
    else if (format.specials == Specials::None)
      result = emitter.select(emitter.equal(magnitude, emitter.integer(integer, 0x7f)),
                              emitter.integer(integer, int64_t(format.largest) << 7), result);
    Value sign = emitter.shiftLeft(emitter.bitAnd(code, 0x80), 8);
    return LLVM::BitcastOp::create(b, b.getF16Type(), LLVM::OrOp::create(b, result, sign).getResult());
  }

  Value encode(Value single, bool towardZero) {
    Value code = LLVM::BitcastOp::create(b, b.getI32Type(), single);
    Value magnitude = emitter.bitAnd(code, singleMagnitude);
    Value sign = emitter.bitAnd(emitter.shiftRight(code, 24), 0x80);
    unsigned dropped = singleMantissa - format.mantissa;
    int64_t rebias = int64_t(singleBias - format.bias) << singleMantissa;
    Value kept = towardZero ? magnitude : roundHalfEven(magnitude, dropped);
    Value normal = emitter.shiftRight(emitter.add(kept, emitter.i32(-rebias)), dropped);
    Value isSubnormal = less(magnitude, emitter.i32(rebias + (int64_t(1) << singleMantissa)));
    Value result = emitter.select(isSubnormal, encodeSubnormal(magnitude, towardZero), normal);
    return LLVM::TruncOp::create(b, b.getI8Type(), encodeSpecials(result, magnitude, sign, towardZero));
  }

private:
  Value less(Value left, Value right) { return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, left, right); }

  /// Adds just less than half of the last bit kept, and one more when that bit is odd.
  Value roundHalfEven(Value code, unsigned dropped) {
    Value odd = emitter.bitAnd(emitter.shiftRight(code, dropped), 1);
    return emitter.add(emitter.add(code, odd), emitter.i32((int64_t(1) << (dropped - 1)) - 1));
  }

  /// Below the smallest normal value, the code counts units of 2^(1 - bias - mantissa). When 2^23 of them are added,
  /// the addition rounds. To cut off instead, the value is scaled and converted to an integer.
  Value encodeSubnormal(Value magnitude, bool towardZero) {
    int unitExponent = 1 - format.bias - int(format.mantissa);
    Type single = b.getF32Type();
    if (towardZero) {
      Value bounded = LLVM::UMinOp::create(b, magnitude, emitter.i32(0x3f800000));
      Value scaled = LLVM::FMulOp::create(b, LLVM::BitcastOp::create(b, single, bounded),
                                          emitter.floating(single, std::ldexp(1.0, -unitExponent)));
      return LLVM::FPToSIOp::create(b, b.getI32Type(), scaled);
    }
    double offset = std::ldexp(1.0, unitExponent + int(singleMantissa));
    Value sum =
        LLVM::FAddOp::create(b, LLVM::BitcastOp::create(b, single, magnitude), emitter.floating(single, offset));
    return emitter.add(LLVM::BitcastOp::create(b, b.getI32Type(), sum),
                       emitter.i32(-int64_t(llvm::bit_cast<uint32_t>(float(offset)))));
  }

  Value encodeSpecials(Value result, Value magnitude, Value sign, bool towardZero) {
    bool hasInfinity = format.specials == Specials::Ieee;
    Value largest = emitter.i32(format.largest), infinity = emitter.i32(format.largest + 1);
    result = emitter.select(less(largest, result), hasInfinity && !towardZero ? infinity : largest, result);
    if (hasInfinity && towardZero)
      result = emitter.select(emitter.equal(magnitude, emitter.i32(singleInfinity)), infinity, result);
    Value isNaN = less(emitter.i32(singleInfinity), magnitude);
    if (format.specials == Specials::NegativeZero) { // -0 does not exist, and its code is the only NaN
      Value isZero = emitter.equal(result, emitter.i32(0));
      result = emitter.select(isZero, result, LLVM::OrOp::create(b, result, sign));
      return emitter.select(isNaN, emitter.i32(0x80), result);
    }
    int64_t quietNaN = hasInfinity ? 0x7e : format.specials == Specials::None ? format.largest : 0x7f;
    return LLVM::OrOp::create(b, emitter.select(isNaN, emitter.i32(quietNaN), result), sign);
  }

  Emitter &emitter;
  ImplicitLocOpBuilder &b;
  ByteFormat format;
};

bool isByte(FloatType type) { return type.getWidth() == 8; }

Value extend(Emitter &emitter, Value value, Type to) {
  return value.getType() == to ? value : LLVM::FPExtOp::create(emitter.b, to, value).getResult();
}

/// Between types that LLVM has.
Value convertNative(Emitter &emitter, Value value, FloatType from, FloatType to, bool towardZero) {
  if (from == to)
    return value;
  if (from.getWidth() < to.getWidth())
    return extend(emitter, value, to);
  Type single = emitter.b.getF32Type();
  if (from.getWidth() == to.getWidth()) // fp16 and bf16
    return convertNative(emitter, extend(emitter, value, single), Float32Type::get(emitter.context()), to, towardZero);
  if (towardZero)
    return emitter.target().emitTowardZero(emitter, value, to);
  return LLVM::FPTruncOp::create(emitter.b, to, value);
}

} // namespace

Registers convertFloats(Emitter &emitter, ValueRange values, FloatType from, FloatType to, bool towardZero) {
  if (from == to)
    return Registers(values);
  auto half = Float16Type::get(emitter.context());
  auto single = Float32Type::get(emitter.context());
  Registers results(values);
  auto convertEach = [&](llvm::function_ref<Value(Value)> convert) {
    llvm::transform(results, results.begin(), convert);
  };
  if (isByte(from)) {
    if (emitter.target().convertsByteFloats(from))
      results = emitter.target().emitDecodeBytes(emitter, results, from, to);
    else
      convertEach([&](Value value) { return ByteConversion(emitter, formatOf(from)).decode(value); });
    from = results.empty() ? half : cast<FloatType>(results.front().getType());
  }
  if (!isByte(to)) {
    convertEach([&](Value value) { return convertNative(emitter, value, from, to, towardZero); });
    return results;
  }
  bool hasInstruction = !towardZero && emitter.target().convertsByteFloats(to);
  if (!hasInstruction || from != half)
    convertEach([&](Value value) { return convertNative(emitter, value, from, single, towardZero); });
  if (hasInstruction)
    return emitter.target().emitEncodeBytes(emitter, results, to);
  convertEach([&](Value value) { return ByteConversion(emitter, formatOf(to)).encode(value, towardZero); });
  return results;
}

Value convertFloat(Emitter &emitter, Value value, FloatType from, FloatType to, bool towardZero) {
  return convertFloats(emitter, value, from, to, towardZero).front();
}

} // namespace triton::gpu
