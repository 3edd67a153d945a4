#include "simulator/core/FactorPanel.h"

#include "simulator/core/HostVectors.h"

#include <algorithm>

namespace triton::simulator {

FactorPanel::FactorPanel(unsigned lines, unsigned depth) : lines(lines), depth(depth) {
  std::size_t count = std::size_t(lines) * depth;
  storage.resize_for_overwrite(count * (sizeof(*bits) + sizeof(*scaled) + sizeof(*stored)) + lines * sizeof(*largest));
  bits = reinterpret_cast<uint32_t *>(storage.data());
  scaled = reinterpret_cast<float *>(bits + count);
  stored = reinterpret_cast<int16_t *>(scaled + count);
  largest = stored + count;
}

llvm::SmallVector<uint32_t, 32> FactorPanel::line(unsigned number) const {
  llvm::SmallVector<uint32_t, 32> elements;
  for (unsigned k = 0; k < depth; ++k)
    elements.push_back(bits[k * lines + number]);
  return elements;
}

namespace {

/// Decodes the elements of neighbouring lines.
template <unsigned lanes> struct PanelDecoder {
  using Words = Vector<uint32_t, lanes>;
  using Ints = Vector<int32_t, lanes>;
  using Floats = Vector<float, lanes>;
  using Shorts = Vector<int16_t, lanes>;

  const FactorFormat &format;
  bool negates;

  /// Sets the significand, an integer, and the exponent. The significand of what is not finite is zero.
  TRITON_ALWAYS_INLINE void split(const Words &bits, Ints &significand, Ints &exponent, Ints &isSpecial) const {
    const uint32_t mantissaMask = (1u << format.mantissaBits) - 1, exponentMask = (1u << format.exponentBits) - 1;
    const uint32_t magnitudeMask = exponentMask << format.mantissaBits | mantissaMask, sign = magnitudeMask + 1;
    auto biased = Ints(bits >> format.mantissaBits & exponentMask), mantissa = Ints(bits & mantissaMask);
    isSpecial = format.specials == FactorFormat::Specials::LargestExponent ? biased == int32_t(exponentMask)
                : format.specials == FactorFormat::Specials::AllOnes
                    ? Ints(bits & magnitudeMask) == int32_t(magnitudeMask)
                    : Ints(bits & (sign | magnitudeMask)) == int32_t(sign);
    significand = mantissa | ((biased != 0) & int32_t(1u << format.mantissaBits));
    significand = significand & ~isSpecial;
    exponent = __builtin_elementwise_max(biased, Ints(1)) - format.bias;
    exponent = significand == 0 ? Ints(FactorPanel::zeroExponent) : exponent;
    Ints isNegative = (Ints(bits & sign) != 0) ^ Ints(negates ? -1 : 0);
    significand = isNegative ? -significand : significand;
  }

  TRITON_ALWAYS_INLINE void run(const uint32_t *bits, float *values, int16_t *exponents, int16_t *largestExponents,
                                unsigned lines, unsigned depth) const {
    Ints largest = FactorPanel::zeroExponent;
    for (unsigned k = 0; k < depth; ++k) {
      Words elements;
      Ints significand, exponent, isSpecial;
      loadVector(elements, bits + k * lines);
      split(elements, significand, exponent, isSpecial);
      largest = __builtin_elementwise_max(largest, isSpecial ? Ints(FactorPanel::special) : exponent);
      storeVector(__builtin_convertvector(significand, Floats), values + k * lines);
      storeVector(__builtin_convertvector(exponent, Shorts), exponents + k * lines);
    }
    storeVector(__builtin_convertvector(largest, Shorts), largestExponents);
    for (unsigned k = 0; k < depth; ++k) {
      Floats value;
      Shorts exponent;
      loadVector(value, values + k * lines);
      loadVector(exponent, exponents + k * lines);
      Ints biased = __builtin_convertvector(exponent, Ints) - largest - int32_t(format.mantissaBits) + 127;
      biased = __builtin_elementwise_max(biased, Ints(0)) << 23; // at least 2^-126 or 0
      Floats power;
      loadVector(power, &biased);
      storeVector(value * power, values + k * lines);
    }
  }
};

} // namespace

void FactorPanel::decode(const FactorFormat &format, bool negates) {
  runWithVectors([&]() TRITON_ALWAYS_INLINE {
    unsigned line = 0;
    for (; line + 16 <= lines; line += 16)
      PanelDecoder<16>{format, negates}.run(bits + line, scaled + line, stored + line, largest + line, lines, depth);
    for (; line + 8 <= lines; line += 8)
      PanelDecoder<8>{format, negates}.run(bits + line, scaled + line, stored + line, largest + line, lines, depth);
    for (; line + 4 <= lines; line += 4)
      PanelDecoder<4>{format, negates}.run(bits + line, scaled + line, stored + line, largest + line, lines, depth);
  });
}

} // namespace triton::simulator
