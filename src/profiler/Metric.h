// Named values that a profile has for a place in the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace triton::profiling {

using MetricValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

struct Metric {
  std::string name;
  MetricValue value;
  bool isProperty = false; ///< a later value replaces it; others are added up
};

/// The metric that users name with a suffix: `(exc)` and `(pty)` are not part of the name, `(inc)` is.
Metric makeMetric(std::string_view name, MetricValue value);

/// Adds a number to a number and a list to a list as long, element by element. Anything else replaces.
void addValue(MetricValue &to, const MetricValue &value);

/// As people read it: "3", "0.5", "[1, 2]".
std::string text(const MetricValue &value);

} // namespace triton::profiling
