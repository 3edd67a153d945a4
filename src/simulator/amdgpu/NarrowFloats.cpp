#include "simulator/amdgpu/NarrowFloats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace triton::simulator::amdgpu {

namespace {

constexpr unsigned formatCount = 7;

struct Shape {
  unsigned exponentBits, mantissaBits;
  int bias;
  uint32_t largest;  ///< the bits of the largest number
  uint32_t overflow; ///< the bits, without the sign, of what is larger
  uint32_t nan;
  bool isSigned = true; ///< whether zero, NaN and what is too large have a sign

  unsigned bits() const { return 1 + exponentBits + mantissaBits; }
};

const Shape &shapeOf(NarrowFormat format) {
  static constexpr Shape shapes[formatCount] = {
      {4, 3, 7, 0x7e, 0x7f, 0x7f},        {5, 2, 15, 0x7b, 0x7c, 0x7f},
      {4, 3, 8, 0x7f, 0x80, 0x80, false}, {5, 2, 16, 0x7f, 0x80, 0x80, false},
      {2, 3, 1, 0x1f, 0x1f, 0x1f},        {3, 2, 3, 0x1f, 0x1f, 0x1f},
      {2, 1, 1, 0x7, 0x7, 0x7},
  };
  return shapes[unsigned(format)];
}

} // namespace

unsigned bitsOf(NarrowFormat format) { return shapeOf(format).bits(); }

static float computeWide(uint32_t bits, NarrowFormat format) {
  const Shape &shape = shapeOf(format);
  uint32_t signBit = uint32_t(1) << (shape.bits() - 1), magnitude = bits & (signBit - 1);
  bool negative = (bits & signBit) != 0;
  if (!shape.isSigned && (bits & (2 * signBit - 1)) == shape.nan)
    return std::numeric_limits<float>::quiet_NaN();
  if (magnitude > shape.largest)
    return magnitude == shape.overflow && format == NarrowFormat::E5M2
               ? (negative ? -1.0f : 1.0f) * std::numeric_limits<float>::infinity()
               : std::numeric_limits<float>::quiet_NaN();
  int exponent = int(magnitude >> shape.mantissaBits);
  uint32_t hidden = uint32_t(1) << shape.mantissaBits, mantissa = magnitude & (hidden - 1);
  float value = std::ldexp(float(exponent ? mantissa | hidden : mantissa),
                           std::max(exponent, 1) - shape.bias - int(shape.mantissaBits));
  return negative ? -value : value;
}

float widen(uint32_t bits, NarrowFormat format) {
  static const auto values = [] {
    std::array<std::array<float, 256>, formatCount> all{};
    for (unsigned i = 0; i < formatCount; ++i)
      for (uint32_t pattern = 0; pattern < uint32_t(1) << bitsOf(NarrowFormat(i)); ++pattern)
        all[i][pattern] = computeWide(pattern, NarrowFormat(i));
    return all;
  }();
  return values[unsigned(format)][bits];
}

/// `round` makes an integer of the value in units of the result's last place.
template <typename Round> static uint32_t narrowBy(double value, NarrowFormat format, Round round) {
  const Shape &shape = shapeOf(format);
  uint32_t sign = std::signbit(value) ? uint32_t(1) << (shape.bits() - 1) : 0;
  if (value != value)
    return shape.nan | (shape.isSigned ? sign : 0);
  uint32_t magnitude = shape.overflow;
  if (std::isfinite(value)) {
    int exponent = value == 0 ? 1 - shape.bias : std::max(std::ilogb(value), 1 - shape.bias);
    double units = round(std::ldexp(std::fabs(value), int(shape.mantissaBits) - exponent));
    // Also right if rounding has reached the next exponent.
    double bits = std::ldexp(double(exponent + shape.bias - 1), int(shape.mantissaBits)) + units;
    magnitude = bits > shape.largest ? shape.overflow : uint32_t(bits);
  }
  if (!shape.isSigned && (magnitude == 0 || magnitude == shape.nan))
    return magnitude;
  return magnitude | sign;
}

uint32_t narrow(double value, NarrowFormat format) {
  return narrowBy(value, format, [](double units) { return std::nearbyint(units); });
}

uint32_t narrowStochastically(float value, uint32_t random, NarrowFormat format) {
  // As many random bits as the mantissa of f32 has more than the result's.
  unsigned bits = 23 - shapeOf(format).mantissaBits;
  double addend = std::ldexp(double(random >> (32 - bits)), -int(bits));
  return narrowBy(value, format, [&](double units) { return std::floor(units + addend); });
}

} // namespace triton::simulator::amdgpu
