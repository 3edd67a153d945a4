// Profiles of kernels on NVIDIA GPUs: CUPTI reports each call that launches, when the thread's scopes are known, and
// later of each kernel that ran, by the number of the call.
#include "profiler/CuptiCollector.h"

#include "base/Environment.h"
#include "base/LaunchObserver.h"
#include "base/LoadedCode.h"
#include "profiler/CuptiLibrary.h"
#include "profiler/CuptiSampling.h"
#include "profiler/GpuLaunches.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <set>

namespace triton::profiling {
namespace {

using namespace cupti;

constexpr std::string_view backend = "cupti";
constexpr const char *captureFrame = "<captured_at>";

/// Where a kernel was when a graph captured it.
struct Captured {
  std::vector<std::string> names; ///< from below the root
  bool isOfKernel = false;        ///< the last name is the kernel's
};

class CuptiCollector final : public Collector {
public:
  void start(const Mode &) override;
  void stop() override;
  void flush(bool waits) override;
  llvm::json::Object devices() const override;

private:
  static void called(void *, int domain, uint32_t callback, const void *data);
  static void requestBuffer(uint8_t **buffer, std::size_t *bytes, std::size_t *mostRecords);
  static void completeBuffer(void *, uint32_t, uint8_t *buffer, std::size_t bytes, std::size_t validBytes);

  void switchCallbacks(bool isOn);
  void apiCalled(int domain, uint32_t callback, const CallbackData &data);
  void begin(const CallbackData &data, bool isGraph);
  void moduleLoaded(const ResourceData &data);
  void graphNodeChanged(uint32_t callback, const ResourceData &data);
  void record(const KernelActivity &kernel);
  LaunchPlaces placesOf(const PendingLaunches::Launch &launch, const KernelActivity &kernel);

  void prepareSampling(const Mode &mode);
  void beginSampling(void *context, const LaunchPlaces &places);
  void endSampling();
  void giveUpSampling(const std::exception &reason);
  std::shared_ptr<ProgramCounterSampling> currentSampling() {
    std::lock_guard lock(mutex);
    return sampling;
  }

  const Library *cupti = nullptr;
  void *subscriber = nullptr;
  int64_t clockOffset = 0; ///< launchClock minus CUPTI's clock
  std::size_t bufferBytes = 0;

  std::mutex samplingMutex; ///< held while a launch is sampled

  std::mutex mutex;                                                   ///< of everything below
  std::shared_ptr<ProgramCounterSampling> sampling;                   ///< in the mode `pcsampling`
  llvm::DenseMap<uint64_t, std::shared_ptr<const Captured>> captured; ///< by the nodes of graphs
  std::vector<uint8_t *> spareBuffers;
  std::set<uint32_t> seenDevices;

  PendingLaunches pending;
};

/// What a thread is about to launch: the innermost call of those that launch, by the number of the outermost, since the
/// runtime's calls launch through the driver's.
struct LaunchingThread {
  unsigned depth = 0;
  uint32_t correlation = 0;
  std::unique_lock<std::mutex> sampling; ///< held: its program counters are sampled
  void *context = nullptr;               ///< while they are
  LaunchPlaces places;
};
thread_local LaunchingThread launching;

CuptiCollector &instance() {
  static CuptiCollector &collector = *new CuptiCollector; // CUPTI's threads may call it until the end
  return collector;
}

void CuptiCollector::switchCallbacks(bool isOn) {
  auto enable = [&](Domain domain, llvm::ArrayRef<uint32_t> callbacks) {
    for (uint32_t callback : callbacks)
      cupti->cuptiEnableCallback(isOn, subscriber, domain, callback); // versions differ in what they know
  };
  enable(DriverApi, driverLaunches);
  enable(DriverApi, driverGraphLaunches);
  enable(RuntimeApi, runtimeLaunches);
  enable(RuntimeApi, runtimeGraphLaunches);
  enable(Resource, graphCallbacks);
  if (sampling)
    enable(Resource, ModuleLoaded);
}

void CuptiCollector::start(const Mode &mode) {
  cupti = &library();
  constexpr std::size_t usualBytes = std::size_t(64) << 20;
  std::size_t bytes = std::size_t(base::Environment::read().profileBufferSize);
  bufferBytes = bytes ? (bytes + 7) / 8 * 8 : usualBytes;
  if (mode.name == "pcsampling")
    prepareSampling(mode);
  cupti->check(cupti->cuptiSubscribe(&subscriber, &called, nullptr), "the profiler cannot watch launches");
  try {
    cupti->check(cupti->cuptiActivityRegisterCallbacks(&requestBuffer, &completeBuffer),
                 "the profiler cannot receive records");
    uint64_t now = 0;
    cupti->check(cupti->cuptiGetTimestamp(&now), "CUPTI has no clock");
    clockOffset = base::launchClock() - int64_t(now);
    switchCallbacks(true);
    cupti->check(cupti->cuptiActivityEnable(ConcurrentKernel), "the profiler cannot record kernels");
  } catch (...) {
    cupti->cuptiUnsubscribe(subscriber);
    sampling.reset();
    throw;
  }
}

void CuptiCollector::stop() {
  switchCallbacks(false);
  cupti->cuptiActivityDisable(ConcurrentKernel);
  cupti->cuptiActivityFlushAll(0);
  cupti->cuptiUnsubscribe(subscriber);
  std::lock_guard samplingLock(samplingMutex);
  std::lock_guard lock(mutex);
  sampling.reset();
}

/// Kernels end before their records come, so this waits for these, too.
void CuptiCollector::flush(bool waits) {
  if (!cupti)
    return;
  if (!waits) {
    cupti->cuptiActivityFlushAll(0);
    return;
  }
  waitForDevice("cuda");
  pending.wait([&] { cupti->cuptiActivityFlushAll(0); });
  cupti->cuptiActivityFlushAll(flushForced);
  std::size_t dropped = 0;
  if (cupti->cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == 0 && dropped != 0)
    llvm::errs() << "warning: the profile lacks " << dropped
                 << " kernels, for which there was no memory; set TRITON_PROFILE_BUFFER_SIZE to less\n";
  pending.clear();
}

//===-- Calls -------------------------------------------------------------------------------------------------------===

void CuptiCollector::called(void *, int domain, uint32_t callback, const void *data) {
  if (domain == Resource && callback == ModuleLoaded)
    instance().moduleLoaded(*static_cast<const ResourceData *>(data));
  else if (domain == Resource)
    instance().graphNodeChanged(callback, *static_cast<const ResourceData *>(data));
  else
    instance().apiCalled(domain, callback, *static_cast<const CallbackData *>(data));
}

void CuptiCollector::apiCalled(int domain, uint32_t callback, const CallbackData &data) {
  bool isGraph =
      llvm::is_contained(domain == DriverApi ? llvm::ArrayRef(driverGraphLaunches) : runtimeGraphLaunches, callback);
  if (data.site == Enter) {
    if (launching.depth++ == 0)
      begin(data, isGraph);
    return;
  }
  if (launching.depth == 0) // the session started inside of the call
    return;
  --launching.depth;
  if (launching.depth > 0)
    return;
  if (launching.sampling)
    endSampling();
  if (launching.correlation != 0 && data.result && *data.result != 0)
    pending.forget(launching.correlation);
  launching.correlation = 0;
}

void CuptiCollector::begin(const CallbackData &data, bool isGraph) {
  LaunchPlaces places = currentLaunchPlaces(backend);
  if (places.places.empty())
    return;
  launching.correlation = data.correlation;
  beginSampling(data.context, places);
  pending.begin(data.correlation, std::move(places), isGraph);
}

/// A launch that a graph captures does not run. The node remembers where it was, and so do its copies.
void CuptiCollector::graphNodeChanged(uint32_t callback, const ResourceData &data) {
  const auto *graph = static_cast<const GraphData *>(data.descriptor);
  constexpr int kernelNode = 0;
  uint64_t node = 0, original = 0;
  if (!graph || graph->nodeType != kernelNode || cupti->cuptiGetGraphNodeId(graph->node, &node) != 0)
    return;
  if (callback == GraphNodeCloned) {
    if (cupti->cuptiGetGraphNodeId(graph->originalNode, &original) != 0)
      return;
    std::lock_guard lock(mutex);
    if (std::shared_ptr<const Captured> known = captured.lookup(original))
      captured[node] = known;
    return;
  }
  if (callback == GraphNodeDestroyStarting) {
    std::lock_guard lock(mutex);
    captured.erase(node);
    return;
  }
  if (launching.correlation != 0)
    pending.forget(launching.correlation);
  LaunchPlaces places = currentLaunchPlaces(backend);
  if (places.places.empty())
    return;
  const Place &place = places.places.front();
  auto noted = std::make_shared<Captured>();
  {
    std::lock_guard lock(place.data->mutex);
    noted->names = pathOf(place.node);
  }
  noted->isOfKernel = places.areOfKernel;
  std::lock_guard lock(mutex);
  captured[node] = std::move(noted);
}

//===-- Sampling ----------------------------------------------------------------------------------------------------===

/// Machine code that is loaded already is known by the kernels that hold it.
void CuptiCollector::prepareSampling(const Mode &mode) {
  constexpr int64_t usualInterval = 1000;
  uint32_t period = ProgramCounterSampling::periodOf(uint64_t(mode.number("interval", usualInterval)));
  auto prepared = std::make_shared<ProgramCounterSampling>(*cupti, period);
  base::visitLoadedCode([&](std::string_view code) { prepared->remember({0, code.size(), code.data()}); });
  std::lock_guard lock(mutex);
  sampling = std::move(prepared);
}

/// Launches are sampled one at a time, so that the samples are those of the kernel.
void CuptiCollector::beginSampling(void *context, const LaunchPlaces &places) {
  if (!currentSampling())
    return;
  std::unique_lock lock(samplingMutex);
  std::shared_ptr<ProgramCounterSampling> current = currentSampling();
  if (!current)
    return;
  try {
    current->begin(context);
  } catch (const std::runtime_error &error) {
    giveUpSampling(error);
    return;
  }
  launching.sampling = std::move(lock);
  launching.context = context;
  launching.places = places;
}

void CuptiCollector::endSampling() {
  std::unique_lock lock = std::move(launching.sampling);
  LaunchPlaces places = std::exchange(launching.places, {});
  std::vector<SampledLine> lines;
  try {
    if (std::shared_ptr<ProgramCounterSampling> current = currentSampling())
      lines = current->end(launching.context);
  } catch (const std::runtime_error &error) {
    giveUpSampling(error);
  }
  for (const Place &place : places.places) {
    std::lock_guard dataLock(place.data->mutex);
    for (const SampledLine &line : lines) {
      Node *node = places.kernelNode(place, line.kernel);
      if (!line.place.empty())
        node = place.data->child(node, line.place);
      for (const Metric &metric : line.metrics)
        place.data->add(node, metric);
    }
  }
}

/// What calls the profiler here is a launch, which must not fail by it.
void CuptiCollector::giveUpSampling(const std::exception &reason) {
  llvm::errs() << "warning: the profile lacks samples: " << reason.what() << "\n";
  std::lock_guard lock(mutex);
  sampling.reset();
}

void CuptiCollector::moduleLoaded(const ResourceData &data) {
  std::shared_ptr<ProgramCounterSampling> current = currentSampling();
  if (current && data.descriptor)
    current->remember(*static_cast<const ModuleData *>(data.descriptor));
}

//===-- Records -----------------------------------------------------------------------------------------------------===

void CuptiCollector::requestBuffer(uint8_t **buffer, std::size_t *bytes, std::size_t *mostRecords) {
  CuptiCollector &collector = instance();
  *mostRecords = 0; // as many as fit
  *bytes = collector.bufferBytes;
  {
    std::lock_guard lock(collector.mutex);
    if (!collector.spareBuffers.empty()) {
      *buffer = collector.spareBuffers.back();
      collector.spareBuffers.pop_back();
      return;
    }
  }
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, collector.bufferBytes));
  if (!*buffer)
    *bytes = 0;
}

void CuptiCollector::completeBuffer(void *, uint32_t, uint8_t *buffer, std::size_t, std::size_t validBytes) {
  CuptiCollector &collector = instance();
  void *record = nullptr;
  while (validBytes != 0 && collector.cupti->cuptiActivityGetNextRecord(buffer, validBytes, &record) == 0)
    if (*static_cast<const int *>(record) == ConcurrentKernel)
      collector.record(*static_cast<const KernelActivity *>(record));
  std::lock_guard lock(collector.mutex);
  collector.spareBuffers.push_back(buffer);
}

LaunchPlaces CuptiCollector::placesOf(const PendingLaunches::Launch &launch, const KernelActivity &kernel) {
  LaunchPlaces places = launch.places;
  std::shared_ptr<const Captured> path;
  {
    std::lock_guard lock(mutex);
    seenDevices.insert(kernel.device);
    if (launch.isGraph)
      path = captured.lookup(kernel.graphNode);
  }
  if (!path || path->names.empty())
    return places;
  for (Place &place : places.places) {
    std::lock_guard lock(place.data->mutex);
    place.node = place.data->descend(place.data->child(place.node, captureFrame), path->names);
  }
  places.areOfKernel = path->isOfKernel;
  return places;
}

void CuptiCollector::record(const KernelActivity &kernel) {
  std::optional<PendingLaunches::Launch> launch = pending.take(kernel.correlation);
  if (!launch)
    return;
  std::string name = kernel.name ? llvm::demangle(kernel.name) : "<unknown>";
  constexpr uint64_t streams = uint64_t(1) << 32; // tracks of traces: behind those of threads
  KernelRecord record{name,
                      int64_t(kernel.begin) + clockOffset,
                      int64_t(kernel.end) + clockOffset,
                      streams + (uint64_t(kernel.device) << 32) + kernel.stream,
                      {}};
  record.metrics = {{"time (ns)", int64_t(kernel.end - kernel.begin)},
                    {"device_id", std::to_string(kernel.device), /*isProperty=*/true},
                    {"device_type", std::string("CUDA"), /*isProperty=*/true}};
  recordKernel(placesOf(*launch, kernel), record);
  pending.recorded(*launch);
}

llvm::json::Object CuptiCollector::devices() const { return describeDevices("cuda", "CUDA", seenDevices); }

} // namespace

Collector &cuptiCollector() { return instance(); }

} // namespace triton::profiling
