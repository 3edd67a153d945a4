// How far the functions for AMD GPUs are from the exact ones. Their sources are compiled for this processor; its
// approximate instructions are replaced by correctly rounded results that are off by one unit up or down, or not, so
// that the errors found do not depend on how good a GPU's are.
#include "Reference.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>

extern "C" {
double __nv_fma_rz(double, double, double);
double __nv_fma_rd(double, double, double);
double __nv_fma_ru(double, double, double);
_Float16 __ocml_exp_f16(_Float16);
_Float16 __ocml_log_f16(_Float16);
_Float16 __ocml_sin_f16(_Float16);
_Float16 __ocml_tanh_f16(_Float16);
_Float16 __ocml_floor_f16(_Float16);
}

namespace triton::device {
namespace {

float offByOne(float x, float seed) {
  static constexpr float directions[] = {-HUGE_VALF, HUGE_VALF};
  unsigned hash = std::bit_cast<unsigned>(seed) * 2654435761u >> 30;
  return hash < 2 && std::isfinite(x) && x != 0 ? std::nextafter(x, directions[hash]) : x;
}

} // namespace

float approximateReciprocal(float x) { return offByOne(1 / x, x); }
float approximateReciprocalRoot(float x) { return offByOne(float(1 / std::sqrt(double(x))), x); }

namespace {

using Reference = long double;

template <typename T> Reference unitInLastPlace(Reference exact) {
  int exponent = exact == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(exact) + 1;
  exponent = std::clamp(exponent, std::numeric_limits<T>::min_exponent, std::numeric_limits<T>::max_exponent);
  return std::ldexp(Reference(1), exponent - std::numeric_limits<T>::digits);
}

/// The error in units in the last place. A result that overflows is as far away as the power of two beyond the largest
/// number.
template <typename T> double errorOf(T result, Reference exact, Reference smallest = 0) {
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) == std::isnan(result) ? 0 : HUGE_VAL;
  Reference limit = std::ldexp(Reference(1), std::numeric_limits<T>::max_exponent);
  auto bounded = [&](Reference x) { return std::clamp(x, -limit, limit); };
  Reference difference = bounded(result) - bounded(exact);
  if (difference == 0 && exact == 0 && std::signbit(result) != std::signbit(exact))
    return HUGE_VAL;
  return double(std::fabs(difference) / unitInLastPlace<T>(std::max(std::fabs(bounded(exact)), smallest)));
}

/// Every exponent, and densely from `low` to `high`.
template <typename T> class Sampler {
public:
  Sampler(double low, double high) : low(low), high(high) {}
  T operator()(unsigned index) {
    if (index % 2)
      return T(std::uniform_real_distribution<double>(low, high)(generator));
    if constexpr (sizeof(T) == 4)
      return std::bit_cast<T>(uint32_t(generator()));
    else
      return std::bit_cast<T>(uint64_t(generator()));
  }

private:
  std::mt19937_64 generator{20};
  double low, high;
};

struct Worst {
  double error = 0;
  std::string place;
  void note(double found, const std::string &where) {
    if (!(found <= error)) {
      error = found;
      place = where;
    }
  }
};

template <typename T> std::string describe(T x) {
  char text[64];
  std::snprintf(text, sizeof text, "%a (%.9g)", double(x), double(x));
  return text;
}

/// The bounds in docs/math-accuracy.md hold for all samples, of which `make test` takes the first quarter.
template <typename T> unsigned countSamples() {
  static const char *devices = std::getenv("TRITON_TEST_DEVICES");
  static bool takesAll = devices && devices == std::string_view("full");
  return (sizeof(T) == 4 ? 250'000 : 25'000) * (takesAll ? 4 : 1);
}

template <typename T> std::vector<T> specialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (T x : {T(0),
              Limits::denorm_min(),
              T(3) * Limits::denorm_min(),
              Limits::min(),
              Limits::epsilon(),
              T(0.25),
              T(0.5),
              T(1),
              T(1) + Limits::epsilon(),
              T(1) - Limits::epsilon() / 2,
              T(1.5),
              T(2),
              T(2.5),
              T(3),
              T(4),
              T(7),
              T(10),
              T(100),
              T(1e6),
              Limits::max(),
              Limits::infinity()})
    values.insert(values.end(), {x, -x});
  values.push_back(Limits::quiet_NaN());
  return values;
}

template <typename T> void check(const Unary<T> &row, double bound) {
  Worst worst;
  auto compare = [&](T x) {
    T result = row.function(x);
    double error = errorOf(result, row.exact(x), row.smallestResult(x));
    if (!(error <= worst.error))
      worst.note(error, describe(x) + " gives " + describe(result) + " and not " + describe(T(row.exact(x))));
  };
  for (T x : specialValues<T>())
    compare(x);
  Sampler<T> sample(row.low, row.high);
  unsigned count = countSamples<T>();
  for (unsigned i = 0; i < count; ++i)
    compare(sample(i));
  EXPECT_LE(worst.error, bound) << row.name << " of " << worst.place;
  std::printf("%-12s f%zu %.3f\n", row.name, 8 * sizeof(T), worst.error);
}

template <typename T> void check(const Binary<T> &row, double bound) {
  Worst worst;
  auto compare = [&](T x, T y) {
    T result = row.function(x, y);
    double error = errorOf(result, row.exact(x, y));
    if (!(error <= worst.error))
      worst.note(error, describe(x) + ", " + describe(y) + " gives " + describe(result) + " and not " +
                            describe(T(row.exact(x, y))));
  };
  for (T x : specialValues<T>())
    for (T y : specialValues<T>())
      compare(x, y);
  Sampler<T> first(row.low, row.high);
  Sampler<T> second(row.low, row.high);
  second(0);
  unsigned count = countSamples<T>();
  for (unsigned i = 0; i < count; ++i)
    compare(first(i), second(i / 3));
  EXPECT_LE(worst.error, bound) << row.name << " of " << worst.place;
  std::printf("%-12s f%zu %.3f\n", row.name, 8 * sizeof(T), worst.error);
}

/// One test for each function and type.
template <typename Row> class AccuracyOf : public testing::Test {
public:
  AccuracyOf(Row row, double bound) : row(row), bound(bound) {}
  void TestBody() override { check(row, bound); }

private:
  Row row;
  double bound;
};

const bool isRegistered = [] {
  auto add = [](const auto &row, double bound) {
    using Row = std::decay_t<decltype(row)>;
    std::string name = std::string(row.name) + (Row::isDouble ? "_f64" : "_f32");
    testing::RegisterTest("Accuracy", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [row, bound]() -> testing::Test * { return new AccuracyOf<Row>(row, bound); });
  };
  forEachUnary(add);
  forEachBinary(add);
  return true;
}();

/// They are those for f32, rounded once more.
TEST(HalfPrecision, EveryNumber) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    auto x = std::bit_cast<_Float16>(uint16_t(bits));
    auto check = [&](_Float16 result, float wide) {
      auto expected = _Float16(wide);
      EXPECT_TRUE(std::bit_cast<uint16_t>(result) == std::bit_cast<uint16_t>(expected) ||
                  (std::isnan(float(result)) && std::isnan(wide)))
          << float(x);
    };
    check(__ocml_exp_f16(x), float(std::exp(double(x))));
    check(__ocml_log_f16(x), float(std::log(double(x))));
    check(__ocml_sin_f16(x), float(std::sin(double(x))));
    check(__ocml_tanh_f16(x), float(std::tanh(double(x))));
    check(__ocml_floor_f16(x), std::floor(float(x)));
  }
}

/// A product that underflows still decides on which side of the summand the result is.
TEST(DirectedRounding, TinyProduct) {
  double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(__nv_fma_rz(smallest, 0.3, -6.0), std::nextafter(-6.0, 0.0));
  EXPECT_EQ(__nv_fma_rd(smallest, 0.3, -6.0), -6.0);
  EXPECT_EQ(__nv_fma_ru(smallest, 0.3, 0.0), smallest);
  EXPECT_EQ(__nv_fma_rd(smallest, 0.3, 0.0), 0.0);
  EXPECT_EQ(__nv_fma_rz(0x1p1000, 0x1p24, -0x1.8p1023), 0x1p1022);
}

} // namespace
} // namespace triton::device
