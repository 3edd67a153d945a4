#include "simulator/nvptx/MatrixSum.h"

#include "simulator/core/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace triton::simulator::nvptx {

namespace {

/// A number as an integer times a power of two. `scale` is the exponent as stored. The number's magnitude is below
/// 2^(scale + 1), and subnormal numbers have the format's smallest exponent.
struct Exact {
  bool negative = false, isNaN = false, isInfinite = false;
  uint32_t significand = 0;
  int scale = 0;
};

} // namespace

static constexpr FactorFormat single{8, 23}, narrowSingle{8, 13}, half{5, 10};

FactorFormat formatOf(MatrixElement element) {
  switch (element) {
  case MatrixElement::Half:
    return half;
  case MatrixElement::BFloat:
    return {8, 7};
  case MatrixElement::TF32:
    return {8, 10};
  case MatrixElement::E4M3:
    return {4, 3, FactorFormat::Specials::AllOnes};
  case MatrixElement::E5M2:
    return {5, 2};
  }
  __builtin_unreachable();
}

static Exact exactValue(uint32_t bits, const FactorFormat &format) {
  Exact value;
  uint32_t exponent = bits >> format.mantissaBits & ((1u << format.exponentBits) - 1);
  uint32_t allOnes = (1u << format.mantissaBits) - 1, mantissa = bits & allOnes;
  value.negative = bits >> (format.exponentBits + format.mantissaBits) & 1;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  bool hasInfinity = format.specials == FactorFormat::Specials::LargestExponent;
  if (exponent == (1u << format.exponentBits) - 1 && (hasInfinity || mantissa == allOnes)) {
    value.isNaN = !hasInfinity || mantissa != 0;
    value.isInfinite = !value.isNaN;
    return value;
  }
  value.scale = exponent == 0 ? 1 - bias : int(exponent) - bias;
  value.significand = exponent == 0 ? mantissa : mantissa | (1u << format.mantissaBits);
  return value;
}

Factors::Factors(llvm::ArrayRef<uint32_t> elements, const FactorFormat &format, bool negate) {
  for (auto [i, bits] : llvm::enumerate(elements)) {
    Exact value = exactValue(bits, format);
    bool negative = value.negative != negate;
    significands[i] = negative ? -int32_t(value.significand) : int32_t(value.significand);
    scales[i] = value.significand == 0 ? zeroScale : value.scale;
    if (value.isNaN || value.isInfinite)
      specials.push_back({uint8_t(i), value.isNaN, negative});
  }
}

/// sum * 2^unit as bits of a format, rounded to nearest even or truncated. Zero is +0; overflow is infinity.
static uint32_t encode(int64_t sum, int unit, const FactorFormat &format, Rounding rounding) {
  if (sum == 0)
    return 0;
  unsigned exponentBits = format.exponentBits, mantissaBits = format.mantissaBits;
  uint32_t sign = sum < 0 ? 1u << (exponentBits + mantissaBits) : 0;
  uint64_t magnitude = sum < 0 ? uint64_t(-sum) : uint64_t(sum);
  int bias = (1 << (exponentBits - 1)) - 1;
  int topExponent = 63 - std::countl_zero(magnitude) + unit;
  int lowest = std::max(topExponent, 1 - bias) - int(mantissaBits); // weight of the result's lowest bit
  uint64_t rounded =
      lowest <= unit ? magnitude << (unit - lowest) : shiftRounded(magnitude, unsigned(lowest - unit), rounding);
  uint64_t result = topExponent < 1 - bias ? rounded : (uint64_t(topExponent + bias - 1) << mantissaBits) + rounded;
  uint64_t infinity = uint64_t((1u << exponentBits) - 1) << mantissaBits;
  if (result == 0) // a sum that is too small for the format also loses its sign
    return 0;
  return sign | uint32_t(result >= infinity ? infinity : result);
}

MatrixSum::MatrixSum(Operand a, Operand b, unsigned depth, int fractionBits, Accumulator accumulator)
    : a(a), b(b), depth(depth), fractionBits(fractionBits),
      lift(fractionBits - int(formatOf(a.element).mantissaBits + formatOf(b.element).mantissaBits)),
      accumulator(accumulator) {}

/// A sum that contains NaN or an infinity.
uint32_t MatrixSum::specialSum(const Factors &a, const Factors &b, std::optional<uint32_t> addend) const {
  bool isHalf = accumulator == Accumulator::Half, anyNaN = false, positive = false, negative = false;
  if (addend) {
    Exact term = exactValue(*addend, isHalf ? half : single);
    anyNaN = term.isNaN;
    (term.negative ? negative : positive) |= term.isInfinite;
  }
  auto look = [&](const Factors &some, const Factors &others) {
    for (const Factors::Special &special : some.specials) {
      auto same = llvm::find_if(others.specials, [&](auto other) { return other.index == special.index; });
      bool isOtherSpecial = same != others.specials.end();
      int32_t other = others.significands[special.index];
      anyNaN |= special.isNaN || (isOtherSpecial ? same->isNaN : other == 0);
      (special.negative != (isOtherSpecial ? same->negative : other < 0) ? negative : positive) = true;
    }
  };
  look(a, b);
  look(b, a);
  if (anyNaN || (positive && negative))
    return isHalf ? 0x7fff : canonicalNaN;
  return isHalf ? (negative ? 0xfc00 : 0x7c00) : (negative ? 0xff800000 : 0x7f800000);
}

uint32_t MatrixSum::operator()(const Factors &a, const Factors &b, std::optional<uint32_t> addend) const {
  bool isHalf = accumulator == Accumulator::Half;
  const FactorFormat &addendFormat = isHalf ? half : single;
  Exact term;
  if (addend)
    term = exactValue(*addend, addendFormat);
  if (term.isNaN || term.isInfinite || !a.specials.empty() || !b.specials.empty())
    return specialSum(a, b, addend);
  int32_t largest = term.significand == 0 ? Factors::zeroScale : term.scale;
  for (unsigned k = 0; k < depth; ++k)
    largest = std::max(largest, a.scales[k] + b.scales[k]);
  int64_t sum = 0;
  for (unsigned k = 0; k < depth; ++k) {
    int32_t product = a.significands[k] * b.significands[k];
    uint32_t magnitude = uint32_t(std::abs(product)) << lift >> std::min(largest - a.scales[k] - b.scales[k], 31);
    sum += product < 0 ? -int64_t(magnitude) : int64_t(magnitude);
  }
  int unit = largest - fractionBits;
  if (term.significand != 0) {
    int shift = term.scale - int(addendFormat.mantissaBits) - unit;
    int64_t magnitude =
        shift >= 0 ? int64_t(term.significand) << shift : int64_t(term.significand) >> std::min(-shift, 63);
    sum += term.negative ? -magnitude : magnitude;
  }
  if (isHalf)
    return encode(sum, unit, half, Rounding::NearestEven);
  if (accumulator == Accumulator::Single)
    return encode(sum, unit, single, Rounding::TowardZero);
  return encode(sum, unit, narrowSingle, Rounding::TowardZero) << (single.mantissaBits - narrowSingle.mantissaBits);
}

void MatrixSum::encodeHalves(const int32_t *sums, const int32_t *addends, const int32_t *tops, uint32_t lanes,
                             uint32_t *results) const {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = unsigned(std::countr_zero(rest));
    results[lane] = encode(int64_t(sums[lane]) + addends[lane], tops[lane] - fractionBits, half, Rounding::NearestEven);
  }
}

} // namespace triton::simulator::nvptx
