// What the examples share: random data, timing, and a line of results.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// `--quick` asks for sizes that a test can afford.
inline bool isQuick(int argc, char **argv) { return argc > 1 && std::string_view(argv[1]) == "--quick"; }

inline std::vector<float> randomNumbers(std::size_t count, unsigned seed) {
  std::vector<float> values(count);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (float &value : values)
    value = normal(generator);
  return values;
}

/// Memory that the kernel has not written shows as NaN.
inline std::vector<float> unwritten(std::size_t count) { return std::vector<float>(count, NAN); }

/// Keeps the compiler from leaving out the computation of values that nobody reads.
inline void useValues(const std::vector<float> &values) { asm volatile("" : : "r"(values.data()) : "memory"); }

/// Milliseconds of the fastest of several calls.
template <typename Function> double measure(Function function, int repetitions = 5) {
  double best = INFINITY;
  for (int i = 0; i < repetitions; ++i) {
    auto start = std::chrono::steady_clock::now();
    function();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// The largest difference between result and expectation, relative to the largest expected value.
inline double largestError(const std::vector<float> &result, const std::vector<double> &expected) {
  double difference = 0, largest = 1e-30;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double error = std::abs(double(result[i]) - expected[i]);
    difference = std::isnan(error) ? INFINITY : std::max(difference, error);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return difference / largest;
}

/// Prints a row of the table and ends the program when the result is wrong.
inline void report(const std::string &name, const std::string &size, double milliseconds, double rate, const char *unit,
                   double plainMilliseconds, double error, double tolerance) {
  std::printf("%-20s %-16s %9.3f ms %8.1f %-8s plain C++ %9.3f ms %7.2fx  error %.1e\n", name.c_str(), size.c_str(),
              milliseconds, rate, unit, plainMilliseconds, plainMilliseconds / milliseconds, error);
  if (error > tolerance) {
    std::fprintf(stderr, "%s: the error is above %.1e\n", name.c_str(), tolerance);
    std::exit(1);
  }
}
