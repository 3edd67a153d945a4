// The logarithm of a time is a trend, which is linear in what says how much work a launch has, and a deviation from it,
// in which launches are the more alike the nearer they are (a Gaussian process, also known as kriging). Work comes in
// whole blocks and in whole rounds of programs over the processors, so that times jump with these and not with sizes;
// accesses are narrower where a size is not a multiple of 16.
#include "runtime/TimeEstimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace triton::runtime {

namespace {

/// How far a unit of a feature brings two launches apart, and the usual slope of the trend along it.
struct Scale {
  double distance, slope;
};
// By leave-one-out over the times of three kernels for 104 to 130 sizes on an H200 (docs/zero-jit.md); with the scales
// that fit two of the kernels best, the third is estimated nearly as well.
constexpr Scale sizeScale{0.05, 0.5}, alignmentScale{1.2, 0.2}, blocksScale{0.08, 0.05}, roundsScale{0.12, 0.3},
    programsScale{0.1, 0};
constexpr double noise = 0.045;   ///< of a measurement, relative to its time
constexpr double levelSpread = 3; ///< how little is known of the level beforehand

int64_t divideUp(int64_t number, int64_t divisor) { return (number - 1) / divisor + 1; }

/// Launches of a configuration as points, of which the last is the origin.
class Launches {
public:
  explicit Launches(size_t count) : count(count) {}

  /// Gives the points a coordinate; `parts` of these count as one.
  template <typename Function> void add(Scale scale, size_t parts, Function valueOf) {
    Feature &feature = features.emplace_back();
    feature.distance = scale.distance * scale.distance / double(parts);
    feature.slope = scale.slope * scale.slope / double(parts);
    for (size_t launch = 0; launch < count; ++launch)
      feature.values.push_back(valueOf(launch));
    for (double &value : feature.values)
      value -= feature.values.back();
  }

  /// How far the logarithm of the time of a launch is expected to vary together with that of each of the first ones.
  void covariances(size_t launch, size_t others, double *result) const {
    std::vector<double> squares(others);
    std::fill_n(result, others, levelSpread * levelSpread);
    for (const Feature &feature : features) {
      const double own = feature.values[launch];
      for (size_t i = 0; i < others; ++i) {
        const double value = feature.values[i];
        squares[i] += feature.distance * (value - own) * (value - own);
        result[i] += feature.slope * value * own;
      }
    }
    for (size_t i = 0; i < others; ++i) {
      const double distance = std::sqrt(3 * squares[i]); // Matern's function of the smoothness 3/2
      result[i] += (1 + distance) * std::exp(-distance);
    }
  }

private:
  struct Feature {
    double distance, slope;
    std::vector<double> values;
  };
  size_t count;
  std::vector<Feature> features;
};

/// A coordinate is the logarithm of a number.
template <typename Function> auto octaves(Function numberOf) {
  return [numberOf](size_t launch) { return std::log2(double(numberOf(launch))); };
}

/// The launches for those of the keys that were measured, and for the last.
Launches launchesOf(const std::vector<std::vector<int64_t>> &sizes, const ConfigurationTimes &configuration,
                    int64_t processors, const std::vector<size_t> &keys) {
  Launches launches(keys.size());
  const size_t sizesOfKey = sizes.back().size();
  for (size_t place = 0; place < sizesOfKey; ++place) {
    auto sizeOf = [&](size_t launch) { return sizes[keys[launch]][place]; };
    launches.add(sizeScale, 1, octaves(sizeOf));
    launches.add(alignmentScale, 1, [&](size_t launch) { return sizeOf(launch) % 16 == 0 ? 1.0 : 0.0; });
    for (int64_t constant : configuration.constants)
      launches.add(blocksScale, sizesOfKey * configuration.constants.size(),
                   octaves([&](size_t launch) { return divideUp(sizeOf(launch), constant); }));
  }
  if (configuration.programs.empty())
    return launches;
  auto programsOf = [&](size_t launch) { return configuration.programs[keys[launch]]; };
  launches.add(programsScale, 1, octaves(programsOf));
  constexpr int64_t atOnce[] = {1, 2, 4}; // programs that a processor may hold
  for (int64_t each : atOnce)
    launches.add(roundsScale, std::size(atOnce),
                 octaves([&](size_t launch) { return divideUp(programsOf(launch), processors * each); }));
  return launches;
}

/// Solves linear equations whose matrix is symmetric and positive, of which the lower half is given, row by row, and
/// overwritten (Cholesky).
void solve(std::vector<double> &matrix, std::vector<double> &values) {
  const size_t count = values.size();
  std::vector<double> column(count);
  for (size_t pivot = 0; pivot < count; ++pivot) {
    const double root = std::sqrt(matrix[pivot * count + pivot]);
    values[pivot] /= root;
    for (size_t row = pivot; row < count; ++row)
      column[row] = matrix[row * count + pivot] /= root;
    for (size_t row = pivot + 1; row < count; ++row) {
      values[row] -= column[row] * values[pivot];
      for (size_t i = pivot + 1; i <= row; ++i)
        matrix[row * count + i] -= column[row] * column[i];
    }
  }
  for (size_t row = count; row-- > 0;) {
    values[row] /= matrix[row * count + row];
    for (size_t i = 0; i < row; ++i)
      values[i] -= matrix[row * count + i] * values[row];
  }
}

} // namespace

double estimateTime(const std::vector<std::vector<int64_t>> &sizes, const ConfigurationTimes &configuration,
                    int64_t processors) {
  std::vector<size_t> keys;
  std::vector<double> deviations; // from the mean
  double mean = 0;
  for (size_t key = 0; key + 1 < sizes.size(); ++key)
    if (configuration.milliseconds[key] > 0) {
      keys.push_back(key);
      mean += deviations.emplace_back(std::log(configuration.milliseconds[key]));
    }
  const size_t count = keys.size();
  if (count == 0)
    return std::numeric_limits<double>::quiet_NaN();
  mean /= double(count);
  for (double &each : deviations)
    each -= mean;

  keys.push_back(sizes.size() - 1);
  const Launches launches = launchesOf(sizes, configuration, processors, keys);
  std::vector<double> matrix(count * count), wanted(count);
  for (size_t row = 0; row < count; ++row) {
    launches.covariances(row, row + 1, &matrix[row * count]);
    matrix[row * count + row] += noise * noise;
  }
  launches.covariances(count, count, wanted.data());
  solve(matrix, deviations);
  return std::exp(std::inner_product(wanted.begin(), wanted.end(), deviations.begin(), mean));
}

} // namespace triton::runtime
