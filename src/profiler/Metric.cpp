#include "profiler/Metric.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <type_traits>

namespace triton::profiling {

Metric makeMetric(std::string_view given, MetricValue value) {
  llvm::StringRef name(given);
  bool isProperty = name.consume_back("(pty)");
  if (!isProperty)
    name.consume_back("(exc)");
  return {name.rtrim().str(), std::move(value), isProperty};
}

template <typename T> constexpr bool isNumber = std::is_same_v<T, int64_t> || std::is_same_v<T, double>;
template <typename T>
constexpr bool isList = std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<double>>;

/// The sum, or `added` alone where there is none.
template <typename A, typename B> static MetricValue sum(const A &old, const B &added) {
  if constexpr (isNumber<A> && isNumber<B>) {
    return old + added;
  } else if constexpr (isList<A> && isList<B>) {
    if (old.size() != added.size())
      return added;
    std::vector<decltype(old[0] + added[0])> result;
    result.reserve(old.size());
    for (std::size_t i = 0; i < old.size(); ++i)
      result.push_back(old[i] + added[i]);
    return result;
  } else {
    return added;
  }
}

void addValue(MetricValue &to, const MetricValue &value) {
  to = std::visit([](const auto &old, const auto &added) { return sum(old, added); }, to, value);
}

static std::string shortestText(double value) {
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%.9g", value);
  return result;
}

std::string text(const MetricValue &value) {
  return std::visit(
      [](const auto &held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (isList<T>)
          return "[" +
                 llvm::join(llvm::map_range(held, [](auto element) { return text(MetricValue(element)); }), ", ") + "]";
        else if constexpr (std::is_same_v<T, std::string>)
          return held;
        else if constexpr (std::is_same_v<T, double>)
          return shortestText(held);
        else
          return std::to_string(held);
      },
      value);
}

} // namespace triton::profiling
