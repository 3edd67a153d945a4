// What finds out which kernels run, and for how long: one for each kind of device.
#pragma once

#include "profiler/Context.h"
#include "profiler/Mode.h"

#include "llvm/Support/JSON.h"

#include <string_view>

namespace triton::profiling {

class Collector {
public:
  virtual ~Collector() = default;
  /// Called when the first session that uses it becomes active, and after the last one. `start` throws
  /// std::runtime_error, which says what is missing.
  virtual void start(const Mode &mode) = 0;
  virtual void stop() = 0;
  /// Records what has ended; `waits`: everything that was started.
  virtual void flush(bool /*waits*/) {}
  /// `{"CUDA": {"0": {"arch": ...}}}`.
  virtual llvm::json::Object devices() const { return {}; }
};

/// Null: no backend has this name.
Collector *findCollector(std::string_view backend);

// For collectors:

/// The places of active sessions of this backend to which a launch by this thread belongs. If the thread has named the
/// launch, they are the kernel's own, otherwise the kernel's node is a child with its name.
struct LaunchPlaces {
  Places places;
  bool areOfKernel = false;

  Node *kernelNode(const Place &place, std::string_view name) const {
    return areOfKernel ? place.node : place.data->child(place.node, name);
  }
};
LaunchPlaces currentLaunchPlaces(std::string_view backend);

/// One execution of a kernel.
struct KernelRecord {
  std::string_view name;
  int64_t begin = 0, end = 0; ///< nanoseconds
  uint64_t track = 0;
  std::vector<Metric> metrics; ///< besides the number of executions
};
void recordKernel(const LaunchPlaces &places, const KernelRecord &record);

} // namespace triton::profiling
