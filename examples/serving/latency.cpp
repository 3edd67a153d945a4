#include "latency.h"

#include <algorithm>
#include <cmath>

namespace serving {
namespace {

double milliseconds(Clock::duration duration) { return std::chrono::duration<double, std::milli>(duration).count(); }

} // namespace

void LatencyHistogram::add(Clock::duration latency) {
  double decadesOfMicroseconds = std::log10(std::max(milliseconds(latency) * 1000, 1.0));
  auto bucket = std::min(std::size_t(std::ceil(decadesOfMicroseconds * perDecade)), buckets.size() - 1);
  Clock::time_point now = Clock::now();
  std::lock_guard lock(access);
  if (count == 0)
    first = now - latency;
  last = std::max(last, now);
  ++count;
  ++buckets[bucket];
  largest = std::max(largest, latency);
}

double LatencyHistogram::percentile(double share) const {
  auto needed = std::uint64_t(std::ceil(double(count) * share));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (bucket + 1 < buckets.size() && (seen += buckets[bucket]) < needed)
    ++bucket;
  return std::min(std::pow(10.0, double(bucket) / perDecade) / 1000, milliseconds(largest));
}

LatencyHistogram::Summary LatencyHistogram::summary() const {
  std::lock_guard lock(access);
  if (count == 0)
    return {};
  double seconds = std::max(milliseconds(last - first) / 1000, 1e-9);
  return {count, double(count) / seconds, percentile(0.5), percentile(0.9), percentile(0.99), milliseconds(largest)};
}

} // namespace serving
