#include "simulator/core/Exponentials.h"

#include "simulator/core/HostVectors.h"
#include "simulator/core/Numerics.h"

#include <array>
#include <cmath>

namespace triton::simulator {

/// Of the series of 2^x: what follows them is below 2^-60 for |x| <= 0.5.
static constexpr auto coefficients = [] {
  std::array<double, 14> values{1};
  for (unsigned i = 1; i < values.size(); ++i)
    values[i] = values[i - 1] * 0x1.62e42fefa39efp-1 / i;
  return values;
}();

/// Returns those lanes whose results may differ from the ones that are asked for: where the last bits of f64 decide how
/// f32 rounds, and where the result is subnormal. The vectors are as long as a group of lanes, so that the processor
/// computes its parts side by side.
TRITON_ALWAYS_INLINE static inline uint32_t powersOf2(const float *from, float *results) {
  using Floats = Vector<float, laneGroup>;
  using Doubles = Vector<double, laneGroup>;
  using Words = Vector<uint64_t, laneGroup>;
  constexpr double toInteger = 0x1.8p52; // its last bit counts 1
  constexpr uint64_t discarded = (uint64_t(1) << 29) - 1, half = uint64_t(1) << 28, margin = 64;
  Floats arguments;
  loadVector(arguments, from);
  Doubles x = __builtin_convertvector(arguments, Doubles);
  x = x < -200 ? Doubles(-200) : x;
  x = x > 200 ? Doubles(200) : x;
  Doubles shifted = x + toInteger, rest = x - (shifted - toInteger), series = coefficients.back();
  for (unsigned i = coefficients.size() - 1; i-- > 0;) {
    Doubles product = series * rest; // in a statement of its own, so that it is rounded everywhere
    series = product + coefficients[i];
  }
  Words bits, exponents;
  loadVector(bits, &series);
  loadVector(exponents, &shifted);
  bits += exponents << 52;
  loadVector(series, &bits);
  Floats powers = __builtin_convertvector(series, Floats);
  powers = arguments != arguments ? Floats(bitCast<float>(canonicalNaN)) : powers;
  storeVector(powers, results);
  const auto isTie =
      __builtin_convertvector((bits & discarded) - (half - margin) < 2 * margin, Vector<bool, laneGroup>);
  const auto isSmall = __builtin_convertvector((arguments > -151) & (arguments < -125), Vector<bool, laneGroup>);
  uint32_t ties = 0, small = 0;
  __builtin_memcpy(&ties, &isTie, sizeof(ties));
  __builtin_memcpy(&small, &isSmall, sizeof(small));
  return ties | small;
}

void exponentialsBase2(const float *arguments, float *results) {
  uint32_t uncertain = ~uint32_t(0);
  if (!isPlain())
    runWithVectors([=, &uncertain]() TRITON_ALWAYS_INLINE { uncertain = powersOf2(arguments, results); });
  for (; uncertain; uncertain &= uncertain - 1) {
    auto i = unsigned(__builtin_ctz(uncertain));
    results[i] = canonical(float(std::exp2(double(arguments[i]))));
  }
}

} // namespace triton::simulator
