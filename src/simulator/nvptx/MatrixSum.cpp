#include "simulator/nvptx/MatrixSum.h"

#include "simulator/core/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <bit>

namespace triton::simulator::nvptx {

namespace {
/// A finite number as an integer times a power of two. `scale` is the exponent as stored: the number's magnitude is
/// below 2^(scale + 1), and subnormals keep the format's smallest.
struct Exact {
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0; ///< of the significand's lowest bit
  int scale = 0;
  bool isNaN = false, isInfinite = false;
};
} // namespace

static Exact decode(uint32_t bits, unsigned exponentBits, unsigned mantissaBits) {
  Exact value;
  uint32_t exponent = bits >> mantissaBits & ((1u << exponentBits) - 1);
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  value.negative = bits >> (exponentBits + mantissaBits) & 1;
  int bias = (1 << (exponentBits - 1)) - 1;
  if (exponent == (1u << exponentBits) - 1) {
    value.isNaN = mantissa != 0;
    value.isInfinite = mantissa == 0;
    return value;
  }
  value.scale = exponent == 0 ? 1 - bias : int(exponent) - bias;
  value.significand = exponent == 0 ? mantissa : mantissa | (1u << mantissaBits);
  value.exponent = value.scale - int(mantissaBits);
  return value;
}

static Exact decode(uint32_t bits, MatrixElement element) {
  switch (element) {
  case MatrixElement::Half:
    return decode(bits, 5, 10);
  case MatrixElement::BFloat:
    return decode(bits, 8, 7);
  case MatrixElement::TF32:
    return decode(bits >> 13, 8, 10);
  case MatrixElement::Single:
    return decode(bits, 8, 23);
  }
  __builtin_unreachable();
}

/// A term of the sum in units of 2^unit, truncated toward zero.
static int64_t align(const Exact &term, int unit) {
  int shift = term.exponent - unit;
  uint64_t magnitude = shift >= 0 ? term.significand << shift : -shift > 63 ? 0 : term.significand >> -shift;
  return term.negative ? -int64_t(magnitude) : int64_t(magnitude);
}

/// sum * 2^unit as bits of a format; to nearest even or truncated. Zero is +0; overflow is infinity.
static uint32_t encode(int64_t sum, int unit, unsigned exponentBits, unsigned mantissaBits, Rounding rounding) {
  if (sum == 0)
    return 0;
  uint32_t sign = sum < 0 ? 1u << (exponentBits + mantissaBits) : 0;
  uint64_t magnitude = sum < 0 ? uint64_t(-sum) : uint64_t(sum);
  int bias = (1 << (exponentBits - 1)) - 1;
  int topExponent = 63 - std::countl_zero(magnitude) + unit;
  int lowest = std::max(topExponent, 1 - bias) - int(mantissaBits); // weight of the result's lowest bit
  uint64_t rounded =
      lowest <= unit ? magnitude << (unit - lowest) : shiftRounded(magnitude, unsigned(lowest - unit), rounding);
  uint64_t result = topExponent < 1 - bias ? rounded : (uint64_t(topExponent + bias - 1) << mantissaBits) + rounded;
  uint64_t infinity = uint64_t((1u << exponentBits) - 1) << mantissaBits;
  if (result == 0) // a sum too small for the format loses its sign too
    return 0;
  return sign | uint32_t(result >= infinity ? infinity : result);
}

uint32_t matrixSum(llvm::ArrayRef<uint32_t> a, llvm::ArrayRef<uint32_t> b, uint32_t c, MatrixElement element,
                   bool halfAccumulator) {
  constexpr int fractionBits = 25;
  uint32_t nan = halfAccumulator ? 0x7fff : canonicalNaN;
  Exact addend = halfAccumulator ? decode(c, MatrixElement::Half) : decode(c, MatrixElement::Single);
  bool anyNaN = addend.isNaN, positiveInfinity = addend.isInfinite && !addend.negative,
       negativeInfinity = addend.isInfinite && addend.negative;
  llvm::SmallVector<Exact, 33> terms;
  bool anyTerm = addend.significand != 0;
  int largest = anyTerm ? addend.scale : 0;
  if (anyTerm)
    terms.push_back(addend);
  for (auto [left, right] : llvm::zip_equal(a, b)) {
    Exact x = decode(left, element), y = decode(right, element);
    bool negative = x.negative != y.negative;
    bool xZero = !x.isNaN && !x.isInfinite && x.significand == 0,
         yZero = !y.isNaN && !y.isInfinite && y.significand == 0;
    anyNaN |= x.isNaN || y.isNaN || (x.isInfinite && yZero) || (y.isInfinite && xZero);
    if (x.isInfinite || y.isInfinite) {
      (negative ? negativeInfinity : positiveInfinity) = true;
      continue;
    }
    if (xZero || yZero)
      continue;
    Exact product;
    product.negative = negative;
    product.significand = x.significand * y.significand;
    product.exponent = x.exponent + y.exponent;
    product.scale = x.scale + y.scale;
    largest = anyTerm ? std::max(largest, product.scale) : product.scale;
    anyTerm = true;
    terms.push_back(product);
  }
  if (anyNaN || (positiveInfinity && negativeInfinity))
    return nan;
  if (positiveInfinity || negativeInfinity)
    return halfAccumulator ? (negativeInfinity ? 0xfc00 : 0x7c00) : (negativeInfinity ? 0xff800000 : 0x7f800000);
  int unit = largest - fractionBits;
  int64_t sum = 0;
  for (const Exact &term : terms)
    sum += align(term, unit);
  return halfAccumulator ? encode(sum, unit, 5, 10, Rounding::NearestEven)
                         : encode(sum, unit, 8, 23, Rounding::TowardZero);
}

} // namespace triton::simulator::nvptx
