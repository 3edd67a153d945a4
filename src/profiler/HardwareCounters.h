// The processor's counters of what threads do in programs of kernels, by the perf events of Linux.
#pragma once

#include "base/ThreadCounters.h"

#include <linux/perf_event.h>

namespace triton::profiling {

/// The system calls. Tests put others in their place.
class PerfEvents {
public:
  virtual ~PerfEvents() = default;
  /// Opens a counter of the calling thread in the group of another; -1: it leads a new group. Returns its file, or the
  /// negated number of an error.
  virtual int open(perf_event_attr &event, int leader);
  /// The bytes that were read; less than 0 after an error.
  virtual int64_t read(int leader, void *to, std::size_t bytes);
  /// Lets a group count, or not.
  virtual void enable(int leader, bool isEnabled);
  virtual void close(int file);
};

/// From now on. What stands in must live until its threads have ended. Null: the system's own.
void setPerfEvents(PerfEvents *events);

/// Throws std::runtime_error, which says why, where the system does not let this process count.
void startHardwareCounters();
/// Threads keep their counters, which do not count until the next start.
void stopHardwareCounters();
/// Null unless they are started.
const base::ThreadCounters *hardwareCounters();

} // namespace triton::profiling
