#include "backends/cpu/emitters/Conversions.h"
#include "backends/cpu/emitters/LaneBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>
#include <numeric>

namespace triton::cpu {
namespace {

namespace arith = mlir::arith;

/// How a format uses the codes of its largest exponent.
enum class Specials {
  Ieee,         ///< the largest exponent is infinity and NaN
  NaNOnly,      ///< all ones is NaN, the rest are numbers; no infinity
  NegativeZero, ///< the code of -0 is NaN; no infinity, no -0
  None,         ///< neither: the code above `largest` reads as `largest`
};

struct FormatFacts {
  unsigned bits, mantissa;
  int bias;
  Specials specials;
  uint32_t largest; ///< code of the largest finite value, without sign
};

/// In the order of FloatFormat.
constexpr std::array<FormatFacts, 9> formatTable = {{
    {8, 2, 15, Specials::Ieee, 0x7b},
    {8, 2, 16, Specials::NegativeZero, 0x7f},
    {8, 3, 7, Specials::NaNOnly, 0x7e},
    {8, 3, 8, Specials::NegativeZero, 0x7f},
    {8, 3, 15, Specials::None, 0x7e},
    {16, 10, 15, Specials::Ieee, 0x7bff},
    {16, 7, 127, Specials::Ieee, 0x7f7f},
    {32, 23, 127, Specials::Ieee, 0x7f7fffff},
    {64, 52, 1023, Specials::Ieee, 0},
}};

const FormatFacts &factsOf(FloatFormat format) { return formatTable[unsigned(format)]; }

constexpr uint32_t singleSign = 0x80000000, singleMagnitude = 0x7fffffff, singleInfinity = 0x7f800000;
constexpr unsigned singleMantissa = 23;
constexpr int singleBias = 127;

class ConversionEmitter {
public:
  ConversionEmitter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const TargetDescription &target)
      : lanes(builder, loc, value), builder(builder), loc(loc), target(target), single(builder.getF32Type()) {}

  mlir::Value convert(mlir::Value value, FloatFormat from, FloatFormat to, Rounding rounding) {
    if (from == to)
      return value;
    if (to == FloatFormat::F64)
      return extend(from == FloatFormat::F32 ? value : toSingle(value, from), builder.getF64Type());
    if (to == FloatFormat::F32 && from != FloatFormat::F64)
      return toSingle(value, from);
    if (from == FloatFormat::F64) {
      if (to == FloatFormat::F32 && rounding == Rounding::NearestEven)
        return truncate(value, single);
      value = toSingleOdd(value, to == FloatFormat::F32);
      return to == FloatFormat::F32 ? value : fromSingle(value, to, rounding);
    }
    return fromSingle(from == FloatFormat::F32 ? value : toSingle(value, from), to, rounding);
  }

private:
  mlir::Value bits(uint32_t value) { return lanes.integer(32, value); }
  mlir::Value extend(mlir::Value value, mlir::Type element) {
    return arith::ExtFOp::create(builder, loc, lanes.type(element), value);
  }
  mlir::Value truncate(mlir::Value value, mlir::Type element) {
    return arith::TruncFOp::create(builder, loc, lanes.type(element), value);
  }
  mlir::Value unsignedLess(mlir::Value a, mlir::Value b) { return lanes.compare(arith::CmpIPredicate::ult, a, b); }
  mlir::Value unsignedMinimum(mlir::Value a, mlir::Value b) { return lanes.emit<arith::MinUIOp>(a, b); }

  mlir::Value toSingle(mlir::Value value, FloatFormat from) {
    if (from == FloatFormat::F16 && target.hasF16Conversions)
      return extend(lanes.bitcast(value, builder.getF16Type()), single);
    if (from == FloatFormat::BF16)
      return lanes.bitcast(lanes.emit<arith::ShLIOp>(lanes.resize(value, 32), bits(16)), single);
    return decode(lanes.resize(value, 32), factsOf(from));
  }

  /// Moves the code's fields to their places in f32 and multiplies by the difference of the biases. This makes
  /// subnormal codes normal without a special case.
  mlir::Value decode(mlir::Value code, const FormatFacts &format) {
    uint32_t magnitudeMask = (1u << (format.bits - 1)) - 1;
    mlir::Value magnitude = lanes.emit<arith::AndIOp>(code, bits(magnitudeMask));
    mlir::Value moved = lanes.emit<arith::ShLIOp>(magnitude, bits(singleMantissa - format.mantissa));
    mlir::Value number = lanes.emit<arith::MulFOp>(lanes.bitcast(moved, single),
                                                   lanes.number(single, std::ldexp(1.0, singleBias - format.bias)));
    mlir::Value result = lanes.bitcast(number, builder.getI32Type());
    result = decodeSpecials(result, code, magnitude, moved, format);
    mlir::Value sign = lanes.emit<arith::ShLIOp>(lanes.emit<arith::AndIOp>(code, bits(1u << (format.bits - 1))),
                                                 bits(32 - format.bits));
    return lanes.bitcast(lanes.emit<arith::OrIOp>(result, sign), single);
  }

  mlir::Value decodeSpecials(mlir::Value result, mlir::Value code, mlir::Value magnitude, mlir::Value moved,
                             const FormatFacts &format) {
    mlir::Value notANumber = bits(0x7fc00000);
    switch (format.specials) {
    case Specials::Ieee:
      // Exponent all ones: infinity or NaN with the same fraction.
      return lanes.select(unsignedLess(bits(format.largest), magnitude),
                          lanes.emit<arith::OrIOp>(moved, bits(singleInfinity)), result);
    case Specials::NaNOnly:
      return lanes.select(unsignedLess(bits(format.largest), magnitude), notANumber, result);
    case Specials::NegativeZero: {
      mlir::Value negativeZero = bits(1u << (format.bits - 1));
      return lanes.select(lanes.compare(arith::CmpIPredicate::eq, code, negativeZero), notANumber, result);
    }
    case Specials::None: {
      float largest = std::ldexp(float(8 + (format.largest & 7)), int(format.largest >> 3) - format.bias - 3);
      return lanes.select(unsignedLess(bits(format.largest), magnitude), bits(llvm::bit_cast<uint32_t>(largest)),
                          result);
    }
    }
    llvm_unreachable("every kind is handled above");
  }

  mlir::Value fromSingle(mlir::Value value, FloatFormat to, Rounding rounding) {
    if (to == FloatFormat::F16 && target.hasF16Conversions && rounding == Rounding::NearestEven)
      return lanes.bitcast(truncate(value, builder.getF16Type()), builder.getI16Type());
    if (to == FloatFormat::BF16 && hasBFloat16Conversion() && rounding == Rounding::NearestEven)
      return lanes.bitcast(truncate(value, builder.getBF16Type()), builder.getI16Type());
    mlir::Value code = lanes.bitcast(value, builder.getI32Type());
    if (to == FloatFormat::BF16)
      return highHalves(roundToBFloat16(value, code, rounding));
    return lanes.resize(encode(code, factsOf(to), rounding), factsOf(to).bits);
  }

  /// Whether an instruction rounds to bf16 as this code does, subnormals included: bfcvtn. What LLVM makes of longer
  /// vectors than NEON's is not known to be better. That of AVX-512 flushes subnormals.
  bool hasBFloat16Conversion() { return target.hasBlockBFloat16 && lanes.lanes() <= 4; }

  /// A code of bf16 in the high half of each lane; what is in the low half does not matter. The carry of rounding may
  /// reach the exponent, which is correct, and turn the largest value into infinity.
  mlir::Value roundToBFloat16(mlir::Value value, mlir::Value code, Rounding rounding) {
    mlir::Value isNaN = lanes.compare(arith::CmpFPredicate::UNO, value, value);
    // Sets a fraction bit that survives, because a NaN must not become an infinity.
    mlir::Value quiet = lanes.emit<arith::OrIOp>(code, bits(0x400000));
    return lanes.select(isNaN, quiet, rounding == Rounding::TowardZero ? code : roundHalfEven(code, 16));
  }

  /// The high halves of lanes of 32 bits. Where an instruction moves bytes anywhere in a vector, it takes the place of
  /// three.
  mlir::Value highHalves(mlir::Value code) {
    constexpr int64_t bytes = 64;
    if (!target.hasByteShuffles || lanes.lanes() != bytes / 4)
      return lanes.resize(lanes.emit<arith::ShRUIOp>(code, bits(16)), 16);
    llvm::SmallVector<int8_t> places;
    for (int64_t i = 0; i < bytes; ++i)
      places.push_back(i % 32 / 2 * 4 + i % 2 + 2);
    auto type = mlir::VectorType::get({bytes}, builder.getI8Type());
    mlir::Value table =
        arith::ConstantOp::create(builder, loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int8_t>(places)));
    mlir::Value source = mlir::LLVM::BitcastOp::create(builder, loc, type, code);
    mlir::Value moved = lanes.callIntrinsic("llvm.x86.avx512.permvar.qi.512", type, {source, table});
    auto halves = mlir::VectorType::get({bytes / 2}, builder.getI16Type());
    mlir::Value wide = mlir::LLVM::BitcastOp::create(builder, loc, halves, moved);
    llvm::SmallVector<int64_t> first(lanes.lanes());
    std::iota(first.begin(), first.end(), 0);
    return mlir::vector::ShuffleOp::create(builder, loc, wide, wide, first);
  }

  /// Adds just less than half of the last bit kept, and one more when that bit is odd.
  mlir::Value roundHalfEven(mlir::Value code, unsigned dropped) {
    uint32_t almostHalf = (1u << (dropped - 1)) - 1;
    if (target.hasAvx512) { // A test and an addition of some lanes are one instruction less.
      mlir::Value last = lanes.emit<arith::AndIOp>(code, bits(1u << dropped));
      mlir::Value isOdd = lanes.compare(arith::CmpIPredicate::ne, last, bits(0));
      mlir::Value rounded = lanes.emit<arith::AddIOp>(code, bits(almostHalf));
      return lanes.select(isOdd, lanes.emit<arith::AddIOp>(rounded, bits(1)), rounded);
    }
    mlir::Value odd = lanes.emit<arith::AndIOp>(lanes.emit<arith::ShRUIOp>(code, bits(dropped)), bits(1));
    return lanes.emit<arith::AddIOp>(code, lanes.emit<arith::AddIOp>(odd, bits(almostHalf)));
  }

  mlir::Value encode(mlir::Value code, const FormatFacts &format, Rounding rounding) {
    mlir::Value magnitude = lanes.emit<arith::AndIOp>(code, bits(singleMagnitude));
    mlir::Value sign =
        lanes.emit<arith::ShRUIOp>(lanes.emit<arith::AndIOp>(code, bits(singleSign)), bits(32 - format.bits));
    unsigned dropped = singleMantissa - format.mantissa;
    uint32_t rebias = uint32_t(singleBias - format.bias) << singleMantissa;
    mlir::Value kept = rounding == Rounding::NearestEven ? roundHalfEven(magnitude, dropped) : magnitude;
    mlir::Value normal = lanes.emit<arith::ShRUIOp>(lanes.emit<arith::SubIOp>(kept, bits(rebias)), bits(dropped));
    // The smallest normal value of the format, as f32.
    uint32_t smallestNormal = rebias + (1u << singleMantissa);
    mlir::Value result = lanes.select(unsignedLess(magnitude, bits(smallestNormal)),
                                      encodeSubnormal(magnitude, format, rounding), normal);
    return encodeSpecials(result, magnitude, sign, format, rounding);
  }

  /// Below the smallest normal value, the code counts units of 2^(1 - bias - mantissa). When 2^23 of these units are
  /// added, the addition rounds. To cut off instead, the value is scaled, which is exact in f32, and converted to an
  /// integer.
  mlir::Value encodeSubnormal(mlir::Value magnitude, const FormatFacts &format, Rounding rounding) {
    int unitExponent = 1 - format.bias - int(format.mantissa);
    if (rounding == Rounding::TowardZero) {
      // Larger values are not used. The bound keeps them within the integer's range.
      mlir::Value bounded = unsignedMinimum(magnitude, bits(0x3f800000));
      mlir::Value scaled = lanes.emit<arith::MulFOp>(lanes.bitcast(bounded, single),
                                                     lanes.number(single, std::ldexp(1.0, -unitExponent)));
      return arith::FPToSIOp::create(builder, loc, lanes.integerType(32), scaled);
    }
    mlir::Value offset = lanes.number(single, std::ldexp(1.0, unitExponent + int(singleMantissa)));
    mlir::Value sum = lanes.emit<arith::AddFOp>(lanes.bitcast(magnitude, single), offset);
    return lanes.emit<arith::SubIOp>(lanes.bitcast(sum, builder.getI32Type()),
                                     lanes.bitcast(offset, builder.getI32Type()));
  }

  mlir::Value encodeSpecials(mlir::Value result, mlir::Value magnitude, mlir::Value sign, const FormatFacts &format,
                             Rounding rounding) {
    uint32_t magnitudeMask = (1u << (format.bits - 1)) - 1;
    uint32_t infinity = format.largest + 1;
    uint32_t overflow =
        format.specials == Specials::Ieee && rounding == Rounding::NearestEven ? infinity : format.largest;
    // A magnitude far above the range would wrap into the code's own bits, so it is compared before it is narrowed.
    result = lanes.select(unsignedLess(bits(format.largest), result), bits(overflow), result);
    if (format.specials == Specials::Ieee && rounding == Rounding::TowardZero)
      result = lanes.select(lanes.compare(arith::CmpIPredicate::eq, magnitude, bits(singleInfinity)), bits(infinity),
                            result);
    mlir::Value isNaN = unsignedLess(bits(singleInfinity), magnitude);
    if (format.specials == Specials::NegativeZero) {
      // -0 does not exist, and its code is the one NaN.
      mlir::Value isZero = lanes.compare(arith::CmpIPredicate::eq, result, bits(0));
      result = lanes.select(isZero, result, lanes.emit<arith::OrIOp>(result, sign));
      return lanes.select(isNaN, bits(magnitudeMask + 1), result);
    }
    uint32_t quietNaN = format.specials == Specials::Ieee   ? infinity | (1u << (format.mantissa - 1))
                        : format.specials == Specials::None ? format.largest
                                                            : magnitudeMask;
    return lanes.emit<arith::OrIOp>(lanes.select(isNaN, bits(quietNaN), result), sign);
  }

  /// f64 to f32 towards zero. Unless that is the wanted result, the last bit is set if something was cut off, so that a
  /// second rounding gives the result of a single one.
  mlir::Value toSingleOdd(mlir::Value value, bool towardZero) {
    mlir::Type integer = builder.getI32Type();
    mlir::Value nearest = truncate(value, single);
    mlir::Value back = extend(nearest, builder.getF64Type());
    mlir::Value magnitude = absolute(value), backMagnitude = absolute(back);
    mlir::Value tooLarge = lanes.compare(arith::CmpFPredicate::OGT, backMagnitude, magnitude);
    mlir::Value code = lanes.bitcast(nearest, integer);
    mlir::Value cut = lanes.select(tooLarge, lanes.emit<arith::SubIOp>(code, bits(1)), code);
    if (towardZero)
      return lanes.bitcast(cut, single);
    mlir::Value inexact = lanes.compare(arith::CmpFPredicate::ONE, back, value);
    return lanes.bitcast(lanes.select(inexact, lanes.emit<arith::OrIOp>(cut, bits(1)), cut), single);
  }

  mlir::Value absolute(mlir::Value value) {
    mlir::Value code = lanes.bitcast(value, builder.getI64Type());
    mlir::Value magnitude = lanes.emit<arith::AndIOp>(code, lanes.integer(64, ~(1ull << 63)));
    return lanes.bitcast(magnitude, builder.getF64Type());
  }

  LaneBuilder lanes;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const TargetDescription &target;
  mlir::Type single;
};

} // namespace

FloatFormat formatOf(mlir::Type elementType) {
  return llvm::TypeSwitch<mlir::Type, FloatFormat>(elementType)
      .Case<mlir::Float8E5M2Type>([](auto) { return FloatFormat::E5M2; })
      .Case<mlir::Float8E5M2FNUZType>([](auto) { return FloatFormat::E5M2FNUZ; })
      .Case<mlir::Float8E4M3FNType>([](auto) { return FloatFormat::E4M3FN; })
      .Case<mlir::Float8E4M3FNUZType>([](auto) { return FloatFormat::E4M3FNUZ; })
      .Case<mlir::Float8E4M3B11FNUZType>([](auto) { return FloatFormat::E4M3B15; })
      .Case<mlir::Float16Type>([](auto) { return FloatFormat::F16; })
      .Case<mlir::BFloat16Type>([](auto) { return FloatFormat::BF16; })
      .Case<mlir::Float32Type>([](auto) { return FloatFormat::F32; })
      .Case<mlir::Float64Type>([](auto) { return FloatFormat::F64; })
      .DefaultUnreachable("not a floating-point type of the language");
}

bool isNarrowFloat(mlir::Type elementType) {
  return llvm::isa<mlir::FloatType>(elementType) && elementType.getIntOrFloatBitWidth() < 32;
}

mlir::Type storageType(mlir::MLIRContext *context, FloatFormat format) {
  if (format == FloatFormat::F32)
    return mlir::Float32Type::get(context);
  if (format == FloatFormat::F64)
    return mlir::Float64Type::get(context);
  return mlir::IntegerType::get(context, factsOf(format).bits);
}

mlir::Type storageType(mlir::Type elementType) {
  if (!llvm::isa<mlir::FloatType>(elementType))
    return elementType;
  return storageType(elementType.getContext(), formatOf(elementType));
}

mlir::Value emitConversion(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, FloatFormat from,
                           FloatFormat to, Rounding rounding, const TargetDescription &target) {
  return ConversionEmitter(builder, loc, value, target).convert(value, from, to, rounding);
}

} // namespace triton::cpu
