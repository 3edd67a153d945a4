// What the programs that add vectors share.
#pragma once

#include "measuring.h"

/// Checks `output` against x + y and prints its row beside the time of a plain loop.
inline void reportAddition(const std::string &name, const std::vector<float> &x, const std::vector<float> &y,
                           const std::vector<float> &output, double milliseconds) {
  std::size_t n = x.size();
  std::vector<double> expected(n);
  for (std::size_t i = 0; i < n; ++i)
    expected[i] = double(x[i]) + y[i];
  std::vector<float> plain(n);
  double plainMilliseconds = measure([&] {
    for (std::size_t i = 0; i < n; ++i)
      plain[i] = x[i] + y[i];
    useValues(plain);
  });
  report(name, std::to_string(n) + " f32", milliseconds, 12.0 * double(n) / milliseconds * 1e-6, "GB/s",
         plainMilliseconds, largestError(output, expected), 1e-6);
}
