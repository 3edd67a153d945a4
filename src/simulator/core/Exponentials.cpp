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

/// The result of a lane, and whether it may differ from the one that is asked for: where the last bits of f64 decide
/// how f32 rounds, and where the result is subnormal.
TRITON_ALWAYS_INLINE static inline float powerOf2(float argument, bool &isUncertain) {
  constexpr double toInteger = 0x1.8p52; // its last bit counts 1
  constexpr uint64_t discarded = (uint64_t(1) << 29) - 1, half = uint64_t(1) << 28, margin = 64;
  double x = argument;
  x = x < -200 ? -200 : x;
  x = x > 200 ? 200 : x;
  double shifted = x + toInteger, rest = x - (shifted - toInteger), series = coefficients.back();
  for (unsigned i = coefficients.size() - 1; i-- > 0;) {
    double product = series * rest; // in a statement of its own, so that it is rounded everywhere
    series = product + coefficients[i];
  }
  uint64_t bits = bitCast<uint64_t>(series) + (bitCast<uint64_t>(shifted) << 52);
  bool isTie = (bits & discarded) - (half - margin) < 2 * margin;
  isUncertain = isTie | ((argument > -151) & (argument < -125));
  return argument != argument ? bitCast<float>(canonicalNaN) : float(bitCast<double>(bits));
}

/// Returns the lanes whose results may differ. The loop is a vector.
static uint32_t exponentialsByVectors(const float *arguments, float *results) {
  uint32_t uncertain = 0;
  runWithVectors([&]() TRITON_ALWAYS_INLINE {
    for (unsigned i = 0; i < laneGroup; ++i) {
      bool isUncertain = false;
      results[i] = powerOf2(arguments[i], isUncertain);
      uncertain |= uint32_t(isUncertain) << i;
    }
  });
  return uncertain;
}

void exponentialsBase2(const float *arguments, float *results) {
  uint32_t uncertain = isPlain() ? ~uint32_t(0) : exponentialsByVectors(arguments, results);
  for (; uncertain; uncertain &= uncertain - 1) {
    auto i = unsigned(__builtin_ctz(uncertain));
    results[i] = canonical(float(std::exp2(double(arguments[i]))));
  }
}

} // namespace triton::simulator
