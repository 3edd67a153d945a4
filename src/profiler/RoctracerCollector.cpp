// Profiles of kernels on AMD GPUs: roctracer reports each call that launches, when the thread's scopes are known, and
// later of each kernel that ran, by the number of the call.
#include "profiler/RoctracerCollector.h"

#include "base/Environment.h"
#include "base/LaunchObserver.h"
#include "profiler/GpuLaunches.h"
#include "profiler/RoctracerLibrary.h"

#include "llvm/Demangle/Demangle.h"

namespace triton::profiling {
namespace {

using namespace roctracer;

constexpr std::string_view backend = "roctracer";

class RoctracerCollector final : public Collector {
public:
  void start(const Mode &) override;
  void stop() override;
  void flush(bool waits) override;
  llvm::json::Object devices() const override { return describeDevices("hip", "HIP", seenDevices); }

private:
  static void called(uint32_t domain, uint32_t call, const void *data, void *user);
  static void completeBuffer(const char *begin, const char *end, void *);
  void watch(const char *call, bool isGraph);
  void stopWatching();
  void record(const Record &kernel);

  const Library *tracer = nullptr;
  void *pool = nullptr;
  int64_t clockOffset = 0; ///< launchClock minus roctracer's clock
  std::vector<uint32_t> watched;
  std::mutex mutex; ///< of the devices
  std::set<uint32_t> seenDevices;
  PendingLaunches pending;
};

RoctracerCollector &instance() {
  static RoctracerCollector &collector = *new RoctracerCollector; // its threads may call it until the end
  return collector;
}

bool graph = true, kernel = false; ///< what a call launches: the user's data of callbacks

/// Versions differ in the calls that they know.
void RoctracerCollector::watch(const char *call, bool isGraph) {
  uint32_t number = 0, kind = 0;
  if (tracer->roctracer_op_code(HipCalls, call, &number, &kind) != 0)
    return;
  tracer->check(tracer->roctracer_enable_op_callback(HipCalls, number, &called, isGraph ? &graph : &kernel),
                "the profiler cannot watch launches");
  watched.push_back(number);
}

void RoctracerCollector::start(const Mode &) {
  tracer = &library();
  constexpr std::size_t usualBytes = std::size_t(64) << 20;
  auto bytes = std::size_t(base::Environment::read().profileBufferSize);
  PoolProperties properties;
  properties.bufferBytes = bytes ? bytes : usualBytes;
  properties.bufferCompleted = &completeBuffer;
  uint64_t now = 0;
  tracer->check(tracer->roctracer_get_timestamp(&now), "roctracer has no clock");
  clockOffset = base::launchClock() - int64_t(now);
  tracer->check(tracer->roctracer_set_properties(HipCalls, nullptr), "the profiler cannot watch launches");
  tracer->check(tracer->roctracer_open_pool_expl(&properties, &pool), "the profiler cannot receive records");
  try {
    for (const char *call : launchCalls)
      watch(call, /*isGraph=*/false);
    watch(graphLaunchCall, /*isGraph=*/true);
    tracer->check(tracer->roctracer_enable_op_activity_expl(HipOperations, dispatches, pool),
                  "the profiler cannot record kernels");
  } catch (...) {
    stopWatching();
    tracer->roctracer_close_pool_expl(pool);
    throw;
  }
}

void RoctracerCollector::stopWatching() {
  for (uint32_t call : watched)
    tracer->roctracer_disable_op_callback(HipCalls, call);
  watched.clear();
}

void RoctracerCollector::stop() {
  stopWatching();
  tracer->roctracer_disable_op_activity(HipOperations, dispatches);
  tracer->roctracer_flush_activity_expl(pool);
  tracer->roctracer_close_pool_expl(pool);
  pool = nullptr;
}

void RoctracerCollector::flush(bool waits) {
  if (!pool)
    return;
  auto deliver = [&] { tracer->roctracer_flush_activity_expl(pool); };
  if (!waits)
    return deliver();
  waitForDevice("hip");
  pending.wait(deliver);
  pending.clear();
}

void RoctracerCollector::called(uint32_t, uint32_t, const void *data, void *user) {
  const auto &call = *static_cast<const CallData *>(data);
  if (call.phase != Enter)
    return;
  LaunchPlaces places = currentLaunchPlaces(backend);
  if (!places.places.empty())
    instance().pending.begin(call.correlation, std::move(places), *static_cast<const bool *>(user));
}

void RoctracerCollector::completeBuffer(const char *begin, const char *end, void *) {
  RoctracerCollector &collector = instance();
  const auto *record = reinterpret_cast<const Record *>(begin), *last = reinterpret_cast<const Record *>(end);
  while (record < last) {
    if (record->domain == HipOperations && record->operation == dispatches && record->kernelName)
      collector.record(*record);
    if (collector.tracer->roctracer_next_record(record, &record) != 0)
      break;
  }
}

void RoctracerCollector::record(const Record &kernel) {
  std::optional<PendingLaunches::Launch> launch = pending.take(kernel.correlation);
  if (!launch)
    return;
  {
    std::lock_guard lock(mutex);
    seenDevices.insert(uint32_t(kernel.device));
  }
  std::string name = llvm::demangle(kernel.kernelName);
  constexpr uint64_t queues = uint64_t(1) << 32; // tracks of traces: behind those of threads
  KernelRecord record{name,
                      int64_t(kernel.begin) + clockOffset,
                      int64_t(kernel.end) + clockOffset,
                      queues + (uint64_t(uint32_t(kernel.device)) << 32) + kernel.queue,
                      {}};
  record.metrics = {{"time (ns)", int64_t(kernel.end - kernel.begin)},
                    {"device_id", std::to_string(kernel.device), /*isProperty=*/true},
                    {"device_type", std::string("HIP"), /*isProperty=*/true}};
  recordKernel(launch->places, record);
  pending.recorded(*launch);
}

} // namespace

Collector &roctracerCollector() { return instance(); }

} // namespace triton::profiling
