// How many kernels this process has loaded on devices, and how long that took: what `triton.monitor` reports.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace triton::base {

struct LoadCount {
  std::atomic<uint64_t> loads = 0, nanoseconds = 0;
};
inline LoadCount loadCount;

/// Counts a load, from its construction to its destruction; one that fails as well.
class CountedLoad {
public:
  CountedLoad() = default;
  CountedLoad(const CountedLoad &) = delete;
  CountedLoad &operator=(const CountedLoad &) = delete;
  ~CountedLoad() {
    auto duration = std::chrono::steady_clock::now() - begin;
    loadCount.nanoseconds += uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
    ++loadCount.loads;
  }

private:
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

} // namespace triton::base
