// Counters of what a thread does, such as the processor's cycles and instructions. A profiler that asks for them gives
// them to launches, which read them where a thread's part of the work begins and ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace triton::base {

/// What the counters of a thread show at one time.
struct CounterSample {
  static constexpr std::size_t most = 3; ///< counters
  std::array<uint64_t, most> values{};
  uint64_t enabled = 0, running = 0; ///< nanoseconds of the thread that could be counted, and that were
  bool isKnown = false;              ///< otherwise they could not be read
};

class ThreadCounters {
public:
  virtual ~ThreadCounters() = default;
  /// Literals, in the order of the values.
  virtual std::span<const std::string_view> names() const = 0;
  /// Of the calling thread. Must not throw.
  virtual CounterSample sample() const = 0;
};

/// What threads of a launch counted.
struct CounterSums {
  std::array<uint64_t, CounterSample::most> values{};
  int64_t uncountedNanoseconds = 0; ///< of parts of which nothing is known

  /// Adds a part that took so long. Where the kernel shared the processor's counters with others' and counted for a
  /// while only, the rest of the part counts alike.
  void add(const CounterSample &begin, const CounterSample &end, int64_t nanoseconds) {
    uint64_t enabled = end.enabled - begin.enabled, running = end.running - begin.running;
    if (!begin.isKnown || !end.isKnown || (running == 0 && enabled != 0)) {
      uncountedNanoseconds += nanoseconds;
      return;
    }
    double scale = running == enabled ? 1 : double(enabled) / double(running);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += uint64_t(double(end.values[i] - begin.values[i]) * scale);
  }
  void add(const CounterSums &other) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += other.values[i];
    uncountedNanoseconds += other.uncountedNanoseconds;
  }
};

} // namespace triton::base
