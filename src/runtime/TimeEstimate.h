// How long a launch of a tuned kernel takes for sizes that nobody has measured.
#pragma once

#include <cstdint>
#include <vector>

namespace triton::runtime {

/// A configuration of a tuned kernel, and what is known of it for several keys, of which the last is asked for.
struct ConfigurationTimes {
  std::vector<int64_t> constants;   ///< positive numbers that it is compiled with, such as the sizes of blocks
  std::vector<int64_t> programs;    ///< of a launch for each key; empty where unknown
  std::vector<double> milliseconds; ///< for each key but the last one; 0 where it was not measured
};

/// The milliseconds of the last key. `sizes` are the positive numbers of each key, as many for all; `processors` run
/// the programs. NaN if no time is known.
double estimateTime(const std::vector<std::vector<int64_t>> &sizes, const ConfigurationTimes &configuration,
                    int64_t processors);

} // namespace triton::runtime
