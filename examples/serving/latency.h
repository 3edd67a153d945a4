// How long requests took: a histogram of constant size.
#ifndef SERVING_LATENCY_H
#define SERVING_LATENCY_H

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace serving {

using Clock = std::chrono::steady_clock;

class LatencyHistogram {
public:
  struct Summary {
    std::uint64_t requests = 0;
    double requestsPerSecond = 0, p50 = 0, p90 = 0, p99 = 0, largest = 0;
  };

  void add(Clock::duration latency);
  /// Latencies in milliseconds, exact to the width of a bucket; throughput from the first request to the last one.
  Summary summary() const;

private:
  /// Bucket i ends at 10^(i / perDecade) microseconds: 2.3 % from one to the next, up to 1000 seconds.
  static constexpr int perDecade = 100, decades = 9;
  double percentile(double share) const;

  mutable std::mutex access;
  std::array<std::uint64_t, std::size_t(perDecade) * decades + 1> buckets = {};
  std::uint64_t count = 0;
  Clock::duration largest = {};
  Clock::time_point first, last;
};

} // namespace serving

#endif
