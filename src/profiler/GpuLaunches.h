// What collectors of GPUs have in common: the vendor's library calls back when a thread launches, and says later how
// long the kernel took, by the number of the call.
#pragma once

#include "profiler/Collector.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <set>

namespace triton::profiling {

/// Launches whose records have not come yet.
class PendingLaunches {
public:
  struct Launch {
    LaunchPlaces places;
    bool isGraph = false; ///< any number of kernels belong to it
  };

  void begin(uint64_t number, LaunchPlaces places, bool isGraph);
  /// No record will come for this call.
  void forget(uint64_t number);
  /// The launch of a record; one that is not a graph is forgotten.
  std::optional<Launch> take(uint64_t number);
  /// What `take` gave has been recorded. Kernels of a graph count when it is waited for.
  void recorded(const Launch &launch);
  /// Calls `flush` until all records have come, but not without end: some launches leave none.
  void wait(llvm::function_ref<void()> flush);
  /// What has not come by now never will.
  void clear();

private:
  std::mutex mutex;
  llvm::DenseMap<uint64_t, Launch> launches;
  std::atomic<int64_t> awaited = 0; ///< besides graphs
};

/// Waits for the current device of a target such as "cuda". Prints a warning where it has failed.
void waitForDevice(const char *target);

/// `{type: {"0": {"arch": ...}}}` for these devices of a target; empty without its driver.
llvm::json::Object describeDevices(const char *target, const char *type, const std::set<uint32_t> &devices);

} // namespace triton::profiling
