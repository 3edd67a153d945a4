// Mathematical functions that the C library lacks, in a type `Wide` with more digits than the result is rounded to:
// double for f32, long double for f64. Their errors stay below those that NVIDIA documents for libdevice.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace triton::numerics {

/// sin(πx) and cos(πx). The remainder by 2 is exact, so that whole and half numbers give exact zeros and ones.
template <typename Wide> Wide sinPi(Wide x) {
  Wide rest = std::remainder(x, Wide(2));
  if (rest == 0 || std::fabs(rest) == 1)
    return std::copysign(Wide(0), x);
  if (std::fabs(rest) > Wide(0.5))
    rest = std::copysign(Wide(1), rest) - rest;
  return std::sin(std::numbers::pi_v<Wide> * rest);
}

template <typename Wide> Wide cosPi(Wide x) {
  Wide rest = std::fabs(std::remainder(x, Wide(2)));
  return rest > Wide(0.25) ? std::sin(std::numbers::pi_v<Wide> * (Wide(0.5) - rest))
                           : std::cos(std::numbers::pi_v<Wide> * rest);
}

/// exp(x²)·erfc(x).
template <typename Wide> Wide scaledErfc(Wide x) {
  if (x < -30) // beyond the range of double
    return std::numeric_limits<Wide>::infinity();
  if (x < 25) { // With larger x, the factors exceed the range of double.
    Wide square = x * x, lost = std::fma(x, x, -square);
    return std::exp(square) * (1 + lost) * std::erfc(x);
  }
  // The asymptotic series, of which so many terms are added that the next one is below the last digit.
  Wide sum = 1, term = 1;
  for (int k = 1; std::fabs(term) > std::numeric_limits<Wide>::epsilon(); ++k)
    sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum * std::numbers::inv_sqrtpi_v<Wide> / x;
}

/// The y with erfc(y) = q, for 0 < q <= 0.5: Newton's method on logarithms, where erfc is nearly a parabola.
template <typename Wide> Wide inverseOfSmallErfc(Wide q) {
  Wide logarithm = std::log(q);
  Wide y = std::sqrt(std::fmax(-logarithm - Wide(0.5) * std::log(std::fmax(-logarithm, Wide(1))), Wide(0.2)));
  for (int step = 0; step < 50; ++step) {
    Wide value = std::erfc(y);
    Wide slope = -2 * std::numbers::inv_sqrtpi_v<Wide> * std::exp(-y * y) / value;
    Wide change = (std::log(value) - logarithm) / slope;
    y -= change;
    if (std::fabs(change) <= 4 * std::numeric_limits<Wide>::epsilon() * y)
      break;
  }
  return y;
}

/// The y with erf(y) = x, for |x| <= 0.5.
template <typename Wide> Wide inverseOfSmallErf(Wide x) {
  Wide y = x / (2 * std::numbers::inv_sqrtpi_v<Wide>);
  for (int step = 0; step < 50 && x != 0; ++step) {
    Wide change = (std::erf(y) - x) / (2 * std::numbers::inv_sqrtpi_v<Wide> * std::exp(-y * y));
    y -= change;
    if (std::fabs(change) <= 4 * std::numeric_limits<Wide>::epsilon() * std::fabs(y))
      break;
  }
  return y;
}

template <typename Wide> Wide inverseErfc(Wide q) {
  if (!(q >= 0 && q <= 2))
    return std::numeric_limits<Wide>::quiet_NaN();
  if (q == 0 || q == 2)
    return q == 0 ? std::numeric_limits<Wide>::infinity() : -std::numeric_limits<Wide>::infinity();
  if (q <= Wide(0.5))
    return inverseOfSmallErfc(q);
  return q >= Wide(1.5) ? -inverseOfSmallErfc(2 - q) : inverseOfSmallErf(1 - q);
}

template <typename Wide> Wide inverseErf(Wide x) {
  if (std::fabs(x) <= Wide(0.5))
    return inverseOfSmallErf(x);
  return std::copysign(inverseErfc(1 - std::fabs(x)), x);
}

/// The distribution function of the standard normal distribution, and its inverse.
template <typename Wide> Wide normalDistribution(Wide x) { return std::erfc(-x * std::numbers::sqrt2_v<Wide> / 2) / 2; }
template <typename Wide> Wide inverseNormalDistribution(Wide p) {
  return 0 - std::numbers::sqrt2_v<Wide> * inverseErfc(2 * p); // +0 in the middle
}

/// The modified Bessel functions of the first kind of order 0 and 1, by their series, whose terms all have the same
/// sign.
template <int order, typename Wide> Wide modifiedBessel(Wide x) {
  static_assert(order == 0 || order == 1);
  if (std::fabs(x) > 720) // beyond the range of double
    return order == 0 ? std::fabs(x) * std::numeric_limits<Wide>::infinity()
                      : x * std::numeric_limits<Wide>::infinity();
  Wide square = x * x / 4, term = order == 0 ? Wide(1) : x / 2, sum = term;
  for (int k = 1; std::fabs(term) > std::numeric_limits<Wide>::epsilon() / 4 * std::fabs(sum); ++k)
    sum += term *= square / (Wide(k) * (k + order));
  return sum;
}

/// The length of a vector. An infinite coordinate makes it infinite, even if another one is NaN.
template <typename Wide, typename... Coordinates> Wide length(Coordinates... coordinates) {
  if ((std::isinf(coordinates) || ...))
    return std::numeric_limits<Wide>::infinity();
  return std::sqrt(((Wide(coordinates) * coordinates) + ...));
}

} // namespace triton::numerics
