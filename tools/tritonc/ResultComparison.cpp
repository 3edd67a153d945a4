#include "ResultComparison.h"

#include "base/ElementType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace tritonc;
using triton::base::ScalarType;

/// How many times farther than the right results others may be from the shadow, and how many neighbours in any case.
static constexpr double allowance = 16, neighbours = 4;

static bool isFloat(const Array &array) { return triton::base::isFloat(ScalarType(int(array.dtype))); }

/// The distance of neighbours, relative to their size.
static double resolution(const Array &array) {
  return std::ldexp(1.0, -int(triton::base::mantissaWidth(ScalarType(int(array.dtype)))));
}

static std::vector<double> readElements(const Array &like, const std::string &bytes) {
  Array array{like.name, like.dtype, like.shape, {}, const_cast<char *>(bytes.data()), like.elementCount, {}};
  std::vector<double> elements;
  elements.reserve(std::size_t(like.elementCount));
  for (int64_t i = 0; i < like.elementCount; ++i)
    elements.push_back(readElement(array, i));
  return elements;
}

static double meanSize(const std::vector<double> &elements) {
  double sum = 0;
  std::size_t count = 0;
  for (double element : elements)
    if (std::isfinite(element)) {
      sum += std::fabs(element);
      ++count;
    }
  return count ? sum / double(count) : 0;
}

/// Infinite where one of the two is not finite and the other is something else.
static double distance(double a, double b, double mean) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  if (!std::isfinite(a) || !std::isfinite(b))
    return INFINITY;
  return std::fabs(a - b) / (std::fabs(b) + mean);
}

void ResultComparison::useShadow(const Evaluation &exact, double least) {
  shadow = &exact;
  tolerance.assign(arrays.size(), 0);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!isFloat(arrays[i]) || bytesOf(arrays[i]) == right.arrays[i]) // not written
      continue;
    std::vector<double> expected = readElements(arrays[i], exact.arrays[i]);
    std::vector<double> rounded = readElements(arrays[i], right.arrays[i]);
    double mean = meanSize(expected), largest = 0;
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (double error = distance(rounded[k], expected[k], mean); std::isfinite(error))
        largest = std::max(largest, error);
    tolerance[i] = std::max({allowance * largest, neighbours * resolution(arrays[i]), least});
  }
}

static std::string spelled(const char *format, double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, number);
  return text;
}

std::string ResultComparison::tolerances() const {
  std::string text;
  for (auto [i, bound] : llvm::enumerate(tolerance))
    if (bound != 0)
      text += (text.empty() ? "`" : ", `") + arrays[i].name + "` " + spelled("%.1e", bound);
  return text;
}

static std::string describe(const Array &array, int64_t index, double found, double expected, double bound) {
  std::vector<std::string> place;
  int64_t rest = index;
  for (int64_t extent : llvm::reverse(array.shape)) {
    place.insert(place.begin(), std::to_string(rest % extent));
    rest /= extent;
  }
  std::string text = "`" + array.name + "`[" + llvm::join(place, ", ") + "] is " + spelled("%.9g", found) +
                     " instead of " + spelled("%.9g", expected);
  return bound == 0 ? text : text + ", beyond the tolerance of " + spelled("%.1e", bound);
}

std::optional<std::string> ResultComparison::difference(const Evaluation &found) const {
  if (!found.succeeded)
    return found.error;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array &array = arrays[i];
    if (found.arrays[i] == right.arrays[i])
      continue;
    double bound = shadow && isFloat(array) ? tolerance[i] : 0;
    std::vector<double> elements = readElements(array, found.arrays[i]);
    std::vector<double> expected = readElements(array, bound != 0 ? shadow->arrays[i] : right.arrays[i]);
    std::size_t size = right.arrays[i].size() / std::max<std::size_t>(elements.size(), 1);
    double mean = meanSize(expected);
    for (std::size_t k = 0; k < elements.size(); ++k)
      if (found.arrays[i].compare(k * size, size, right.arrays[i], k * size, size) != 0 &&
          (bound == 0 || distance(elements[k], expected[k], mean) > bound))
        return describe(array, int64_t(k), elements[k], expected[k], bound);
  }
  return std::nullopt;
}
