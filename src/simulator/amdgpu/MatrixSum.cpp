#include "simulator/amdgpu/MatrixSum.h"

#include "simulator/core/Numerics.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace triton::simulator::amdgpu {

static SumRule ruleOf(const MatrixForm &form, const Architecture &architecture, llvm::StringRef name) {
  switch (form.a) {
  case MatrixType::F64:
    return SumRule::Doubles;
  case MatrixType::F32:
    return SumRule::Singles;
  case MatrixType::I8:
  case MatrixType::I4:
    return SumRule::Integers;
  default:
    break;
  }
  if (form.isWmma || name.starts_with("scale."))
    return SumRule::Singles;
  if (architecture.isGfx90a())
    return form.a == MatrixType::BF16 && !name.ends_with(".1k") ? SumRule::Pairs : SumRule::Quads;
  return bitsOf(form.a) == 8 ? SumRule::AlignedHalves : SumRule::Aligned;
}

MatrixSum::MatrixSum(const MatrixForm &form, const Architecture &architecture, llvm::StringRef name)
    : rule(ruleOf(form, architecture, name)), hasFnuz(architecture.hasFnuz()) {
  group = rule == SumRule::Quads           ? 4
          : rule == SumRule::Pairs         ? 2
          : rule == SumRule::AlignedHalves ? 16
          : form.a == MatrixType::XF32     ? 4
                                           : std::min(8u, form.depth);
}

/// 2^power as a normal number of f64.
static double powerOf2(int power) { return bitCast<double>(uint64_t(power + 1023) << 52); }

/// The exponent of a normal number of f64.
static int unbiasedExponent(double value) { return int(bitCast<uint64_t>(value) >> 52 & 0x7ff) - 1023; }

/// The value of a finite number as an integer and an exponent.
static void split(Factor &factor, unsigned mantissaBits, int leastExponent) {
  factor.fractionBits = uint8_t(mantissaBits);
  if (!std::isfinite(factor.value) || factor.value == 0)
    return;
  int exponent = std::max(unbiasedExponent(factor.value), leastExponent);
  factor.exponent = int16_t(exponent);
  factor.significand = int32_t(factor.value * powerOf2(int(mantissaBits) - exponent));
}

Factor MatrixSum::factor(uint64_t bits, MatrixType type, bool isSigned, double scale) const {
  Factor result;
  auto narrowFloat = [&](NarrowFormat format) { result.value = widen(uint32_t(bits), format); };
  switch (type) {
  case MatrixType::F64:
    result.value = bitCast<double>(bits);
    return result;
  case MatrixType::F32:
    result.value = bitCast<float>(uint32_t(bits));
    return result;
  case MatrixType::XF32: // what f32 has more is cut off
    result.value = bitCast<float>(uint32_t(bits) & ~uint32_t(0x1fff));
    split(result, 10, -126);
    return result;
  case MatrixType::F16:
    result.value = floatFromHalf(uint16_t(bits));
    split(result, 10, -14);
    return result;
  case MatrixType::BF16:
    result.value = floatFromBFloat(uint16_t(bits));
    split(result, 7, -126);
    return result;
  case MatrixType::I8:
    result.significand = isSigned ? int32_t(int8_t(bits)) : int32_t(uint8_t(bits));
    return result;
  case MatrixType::I4:
    result.significand = isSigned ? int32_t(int8_t(bits << 4)) >> 4 : int32_t(bits & 15);
    return result;
  case MatrixType::Fp8:
    narrowFloat(hasFnuz ? NarrowFormat::E4M3Fnuz : NarrowFormat::E4M3);
    split(result, 3, hasFnuz ? -7 : -6);
    break;
  case MatrixType::Bf8:
    narrowFloat(hasFnuz ? NarrowFormat::E5M2Fnuz : NarrowFormat::E5M2);
    split(result, 2, hasFnuz ? -15 : -14);
    break;
  case MatrixType::Fp6:
    narrowFloat(NarrowFormat::E2M3);
    break;
  case MatrixType::Bf6:
    narrowFloat(NarrowFormat::E3M2);
    break;
  case MatrixType::Fp4:
    narrowFloat(NarrowFormat::E2M1);
    break;
  case MatrixType::I32:
    break;
  }
  result.value *= scale;
  return result;
}

double MatrixSum::sumDouble(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b, double c) const {
  for (auto [x, y] : llvm::zip_equal(a, b))
    c = std::fma(x.value, y.value, c);
  return c;
}

int64_t MatrixSum::sumInteger(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b, int32_t c) const {
  int64_t total = c;
  for (auto [x, y] : llvm::zip_equal(a, b))
    total += int64_t(x.significand) * y.significand;
  return total;
}

//===--- gfx90a -------------------------------------------------------------------------------------------------===//

static float flushSubnormal(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

/// An input whose subnormal numbers become +0.
static float flushInput(double value, double leastNormal) {
  return std::fabs(value) < leastNormal ? 0.0f : float(value);
}

static float sumByTree(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b, float c, unsigned group) {
  // Of f16, the fraction has ten bits.
  double leastNormal = !a.empty() && a[0].fractionBits == 10 ? 0x1p-14 : 0x1p-126;
  float total = flushInput(c, 0x1p-126);
  for (unsigned first = 0; first < a.size(); first += group) {
    float parts[4] = {};
    for (unsigned i = 0; i < group; ++i)
      parts[i] =
          flushSubnormal(flushInput(a[first + i].value, leastNormal) * flushInput(b[first + i].value, leastNormal));
    float sum = flushSubnormal(parts[0] + parts[1]);
    if (group == 4)
      sum = flushSubnormal(sum + flushSubnormal(parts[2] + parts[3]));
    total = flushSubnormal(total + sum);
  }
  return total;
}

//===--- gfx942 -------------------------------------------------------------------------------------------------===//

namespace {

/// significand * 2^(exponent - 24). An empty sum has the least exponent.
struct AlignedNumber {
  int64_t significand = 0;
  int exponent = FactorLine::none;
};

/// Divides by 2^shift and rounds down.
int64_t shiftDown(int64_t value, int shift) {
  return shift <= 0 ? value * (int64_t(1) << -shift) : value >> std::min(shift, 63);
}

/// The products of every `stride`-th pair from `first` on, aligned to the largest exponent and cut off below 24 bits.
/// They are exact in f64, and below 2^26 when they are aligned.
template <unsigned count, unsigned stride>
AlignedNumber addProducts(const FactorLine &a, const FactorLine &b, unsigned first) {
  int16_t largest = FactorLine::none;
  for (unsigned i = 0; i < count; ++i)
    largest = std::max(largest, int16_t(a.exponents[first + i * stride] + b.exponents[first + i * stride]));
  if (largest == FactorLine::none)
    return {};
  double scale = powerOf2(24 - largest);
  int32_t total = 0;
  for (unsigned i = 0; i < count; ++i)
    total += int32_t(a.values[first + i * stride] * b.values[first + i * stride] * scale);
  return {total, largest};
}

AlignedNumber addProducts(const FactorLine &a, const FactorLine &b, unsigned first, unsigned count) {
  switch (count) {
  case 1:
    return addProducts<1, 1>(a, b, first);
  case 2:
    return addProducts<2, 1>(a, b, first);
  case 4:
    return addProducts<4, 1>(a, b, first);
  default:
    return addProducts<8, 1>(a, b, first);
  }
}

/// Adds two sums at the larger exponent; what lies below its 24 bits is rounded down.
AlignedNumber addSums(AlignedNumber even, AlignedNumber odd) {
  int exponent = std::max(even.exponent, odd.exponent);
  auto aligned = [&](const AlignedNumber &sum) {
    return sum.exponent == FactorLine::none ? 0 : shiftDown(sum.significand, exponent - sum.exponent);
  };
  return {aligned(even) + aligned(odd), exponent};
}

/// Adds a sum of products, of which 31 bits are kept, and the accumulator, of which 24 are; rounds to nearest even.
float addAccumulator(AlignedNumber products, float c, bool dropsSmall) {
  if (products.significand == 0)
    return c;
  int exponentOfC = c == 0 ? FactorLine::none : std::max(unbiasedExponent(c), -126);
  int exponent = std::max(products.exponent, exponentOfC);
  int64_t total = shiftDown(products.significand, exponent - products.exponent - 7);
  bool isDropped = dropsSmall && exponent - exponentOfC > 25;
  if (c != 0 && !isDropped) {
    auto significand = int64_t(c * powerOf2(23 - exponentOfC));
    total += shiftDown(significand, exponent - exponentOfC - 1) * (int64_t(1) << 7);
  }
  return float(double(total) * powerOf2(exponent - 31));
}

/// What a group gives if a factor or the accumulator is not finite; none if all are.
std::optional<float> sumOfSpecials(llvm::ArrayRef<Factor> a, llvm::ArrayRef<Factor> b, float c) {
  bool isSpecial = !std::isfinite(c);
  double total = c;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    double product = x.value * y.value;
    if (std::fabs(product) >= 0x1p128)
      product = std::copysign(std::numeric_limits<double>::infinity(), product);
    if (std::isfinite(product))
      continue;
    isSpecial = true;
    total += product;
  }
  return isSpecial ? std::optional(float(total)) : std::nullopt;
}

} // namespace

float MatrixSum::sumAligned(const FactorLine &a, const FactorLine &b, float c) const {
  // Each factor is below 2^(exponent + 1), and 2^128 is infinite.
  bool mayOverflow = a.largestExponent + b.largestExponent > 126;
  bool halves = rule == SumRule::AlignedHalves;
  unsigned depth = unsigned(a.factors.size()), count = std::min(group, depth);
  for (unsigned first = 0; first < depth; first += count) {
    if (mayOverflow || !std::isfinite(c))
      if (auto special = sumOfSpecials(a.factors.slice(first, count), b.factors.slice(first, count), c)) {
        c = *special;
        continue;
      }
    AlignedNumber products = halves ? addSums(addProducts<8, 2>(a, b, first), addProducts<8, 2>(a, b, first + 1))
                                    : addProducts(a, b, first, count);
    c = addAccumulator(products, c, halves);
  }
  return c;
}

float MatrixSum::sum(const FactorLine &a, const FactorLine &b, float c) const {
  if (rule == SumRule::Singles) {
    for (auto [x, y] : llvm::zip_equal(a.factors, b.factors)) {
      // Scaled factors may exceed the range of f32.
      bool fits = double(float(x.value)) == x.value && double(float(y.value)) == y.value;
      c = fits ? std::fma(float(x.value), float(y.value), c) : float(std::fma(x.value, y.value, double(c)));
    }
    return c;
  }
  if (rule == SumRule::Quads || rule == SumRule::Pairs)
    return sumByTree(a.factors, b.factors, c, group);
  return sumAligned(a, b, c);
}

} // namespace triton::simulator::amdgpu
