// Rows of A or columns of B, decoded for matrix units that align products to their largest exponent.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstdint>

namespace triton::simulator {

/// A narrow format of floats.
struct FactorFormat {
  enum class Specials : uint8_t {
    LargestExponent, ///< infinities and NaN have the largest exponent
    AllOnes,         ///< only NaN: all bits of exponent and mantissa
    NegativeZero,    ///< only NaN: what would be -0
  };
  unsigned exponentBits, mantissaBits;
  Specials specials = Specials::LargestExponent;
  int bias = (1 << (exponentBits - 1)) - 1;
};

/// The factors with the same place along the sum lie side by side. The exponent of a factor is the stored one:
/// subnormal numbers have the format's least.
class FactorPanel {
public:
  /// Zeros have `zeroExponent`. A line with infinities or NaN has `special` as its largest exponent.
  static constexpr int16_t zeroExponent = -(1 << 12), special = 1 << 13;
  /// Products whose exponent is less than this below the largest ones of their lines can be computed by `values`.
  static constexpr int reach = 80;
  /// The largest exponent of products that are all zero is less than `isNone`. All that is computed from exponents
  /// between -limit and limit is a normal number of f32.
  static constexpr int isNone = zeroExponent / 2, limit = 90;

  FactorPanel(unsigned lines, unsigned depth);
  FactorPanel(const FactorPanel &) = delete;

  /// The elements at one place along the sum, as bits.
  uint32_t *elements(unsigned k) { return bits + k * lines; }
  llvm::SmallVector<uint32_t, 32> line(unsigned number) const;
  /// When all elements have been set.
  void decode(const FactorFormat &format, bool negates = false);

  const unsigned lines, depth;
  /// Factors divided by 2^(their line's largest exponent), or zero where that is far from being a normal number.
  const float *values(unsigned k) const { return scaled + k * lines; }
  const int16_t *exponents(unsigned k) const { return stored + k * lines; }
  const int16_t *largestExponents() const { return largest; }

private:
  llvm::SmallVector<std::byte, 3072> storage; ///< of everything
  uint32_t *bits;
  float *scaled;
  int16_t *stored, *largest;
};

} // namespace triton::simulator
