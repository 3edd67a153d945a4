// Who hears of the launches of this process: a profiler. By default nobody is, and a launch reads one word to know.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace triton::base {

/// The present time in nanoseconds of a clock that never goes back and agrees with the calendar when the process
/// starts.
int64_t launchClock();

/// Something that was counted while a launch ran.
struct LaunchCount {
  std::string_view name; ///< of a literal
  uint64_t value = 0;
};

/// A launch that has ended. Everything is valid during the call only.
struct LaunchReport {
  std::string_view kernel;
  std::string_view device;                         ///< "CPU" or "SIMULATOR"
  int64_t begin = 0, end = 0;                      ///< of launchClock
  std::span<const LaunchCount> counts = {};        ///< what was counted, by the simulator or by ThreadCounters
  std::span<const int64_t> threadNanoseconds = {}; ///< how long each thread ran programs
  std::array<int32_t, 3> grid{};
};

/// One execution of a scope inside of a kernel.
struct ScopeRecord {
  std::size_t scope = 0;
  uint64_t unit = 0;          ///< who recorded it: counted over all programs
  int64_t begin = 0, end = 0; ///< of launchClock, or in cycles since the program's first record
};

/// What a kernel reports of the profiler's scopes inside of it, after a launch.
struct ScopeReport {
  std::string_view kernel;
  std::string_view unit;              ///< the name of the metric
  bool isOnGpu = false;               ///< then no LaunchReport precedes this
  std::span<const std::string> paths; ///< of the scopes; the names are separated by tabs
  std::span<const int64_t> numbers;   ///< the time and the number of executions of each, over all programs
  std::span<const ScopeRecord> records = {};
  uint64_t lostRecords = 0; ///< for which there was no room
  int64_t begin = 0;        ///< of the launch, by launchClock
};

class ThreadCounters;

class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  /// What launches on this processor count of each thread, to report it as their counts; null: nothing.
  virtual const ThreadCounters *counters() const { return nullptr; }
  /// Called on the launching thread after each launch that did not fail. Must not throw.
  virtual void launched(const LaunchReport &report) = 0;
  virtual void scoped(const ScopeReport &report) = 0;
};

namespace detail {
extern std::atomic<LaunchObserver *> observer;
} // namespace detail

/// Null: nobody wants to know.
inline LaunchObserver *launchObserver() { return detail::observer.load(std::memory_order_acquire); }
/// A launch that has begun may still report to the earlier observer, which is therefore never freed.
void setLaunchObserver(LaunchObserver *observer);

} // namespace triton::base
