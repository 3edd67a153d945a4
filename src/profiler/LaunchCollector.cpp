// Profiles of launches on this processor and in the simulator, which report themselves.
#include "base/LaunchObserver.h"
#include "profiler/Collector.h"
#include "profiler/CuptiCollector.h"
#include "profiler/HardwareCounters.h"
#include "profiler/RoctracerCollector.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

#include <numeric>
#include <thread>

namespace triton::profiling {
namespace {

struct Observed {
  std::string_view backend, device;
};
constexpr Observed processor{"cpu", "CPU"}, simulator{"simulator", "SIMULATOR"}, instrumentation{"instrumentation", ""};

Metric property(const char *name, MetricValue value) { return {name, std::move(value), /*isProperty=*/true}; }

class Observer final : public base::LaunchObserver {
public:
  const base::ThreadCounters *counters() const override { return hardwareCounters(); }
  void launched(const base::LaunchReport &report) override {
    const Observed &source = report.device == processor.device ? processor : simulator;
    LaunchPlaces places = currentLaunchPlaces(source.backend);
    LaunchPlaces instrumented = currentLaunchPlaces(instrumentation.backend);
    KernelRecord record{report.kernel, report.begin, report.end, ThreadContext::current().track, {}};
    // What a simulation takes says nothing about the GPU, so it has a name of its own.
    const char *time = report.device == processor.device ? "time (ns)" : "simulation_time (ns)";
    record.metrics = {{time, report.end - report.begin},
                      property("device_id", "0"),
                      property("device_type", std::string(report.device)),
                      {"programs", int64_t(report.grid[0]) * report.grid[1] * report.grid[2]}};
    if (!report.threadNanoseconds.empty()) {
      int64_t busy = 0, threads = 0;
      for (int64_t time : report.threadNanoseconds) {
        busy += time;
        threads += time > 0;
      }
      record.metrics.push_back({"thread_time (ns)", busy});
      record.metrics.push_back(property("threads", threads));
    }
    for (const base::LaunchCount &count : report.counts)
      record.metrics.push_back({std::string(count.name), int64_t(count.value)});
    recordKernel(places, record);
    if (!instrumented.areOfKernel) // otherwise the places are the same
      recordKernel(instrumented, record);
  }

  void scoped(const base::ScopeReport &report) override {
    LaunchPlaces places = currentLaunchPlaces(instrumentation.backend);
    for (const Place &place : places.places) {
      std::lock_guard lock(place.data->mutex);
      Node *kernel = places.kernelNode(place, report.kernel);
      if (report.isOnGpu)
        place.data->add(kernel, {"count", int64_t(1)});
      if (report.lostRecords != 0)
        place.data->add(kernel, {"lost_records", int64_t(report.lostRecords)});
      std::vector<Node *> nodes;
      for (std::size_t i = 0; i < report.paths.size(); ++i) {
        llvm::SmallVector<llvm::StringRef> names;
        llvm::StringRef(report.paths[i]).split(names, '\t');
        Node *node = kernel;
        for (llvm::StringRef name : names)
          node = place.data->child(node, name);
        place.data->add(node, {std::string(report.unit), report.numbers[2 * i]});
        place.data->add(node, {"count", report.numbers[2 * i + 1]});
        nodes.push_back(node);
      }
      if (place.data->isTrace)
        trace(*place.data, nodes, report);
    }
  }

private:
  /// Each unit of a kernel has a track. A cycle is drawn as a nanosecond.
  static void trace(PhaseData &data, llvm::ArrayRef<Node *> nodes, const base::ScopeReport &report) {
    constexpr uint64_t units = uint64_t(1) << 48; // behind the tracks of threads and streams
    for (const base::ScopeRecord &record : report.records)
      data.events.push_back({TraceEvent::Kind::Scope,
                             nodes[record.scope],
                             report.begin + record.begin,
                             report.begin + record.end,
                             units + record.unit,
                             -1,
                             {{std::string(report.unit), record.end - record.begin}}});
  }
};

/// One for each kind of device; the observer is there while any of them is started.
class LaunchCollector final : public Collector {
public:
  explicit LaunchCollector(const Observed &source) : source(source) {}

  void start(const Mode &mode) override {
    if (mode.name == "counters") {
      startHardwareCounters();
      counts = true;
    }
    static Observer &observer = *new Observer; // a launch may still use it later
    if (started++ == 0)
      base::setLaunchObserver(&observer);
  }
  void stop() override {
    if (counts)
      stopHardwareCounters();
    counts = false;
    if (--started == 0)
      base::setLaunchObserver(nullptr);
  }
  llvm::json::Object devices() const override {
    if (source.device != processor.device)
      return {};
    llvm::json::Object facts{{"arch", llvm::sys::getHostCPUName()},
                             {"num_threads", int64_t(std::thread::hardware_concurrency())}};
    return llvm::json::Object{{"CPU", llvm::json::Object{{"0", std::move(facts)}}}};
  }

private:
  const Observed &source;
  bool counts = false;           ///< what the processor does
  static inline int started = 0; ///< collectors; with the lock of the sessions
};

} // namespace

Collector *findCollector(std::string_view backend) {
  static LaunchCollector cpu(processor), simulated(simulator), instrumented(instrumentation);
  if (backend == "cupti")
    return &cuptiCollector();
  if (backend == "roctracer")
    return &roctracerCollector();
  if (backend == processor.backend)
    return &cpu;
  if (backend == simulator.backend)
    return &simulated;
  if (backend == instrumentation.backend)
    return &instrumented;
  return nullptr;
}

} // namespace triton::profiling
