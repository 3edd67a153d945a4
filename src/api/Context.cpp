#include "triton/context.h"

#include "api/ContextState.h"
#include "api/Errors.h"
#include "compiler/PrivateFolder.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"

#include <cstdlib>
#include <pthread.h>

using namespace triton;
using namespace triton::api;

static unsigned processors() { return llvm::hardware_concurrency().compute_thread_count(); }

Context::Context(const ContextOptions &options) {
  base::Environment environment = base::Environment::read();
  if (!options.cacheDirectory.empty()) {
    llvm::Expected<std::string> folder = compiler::makePrivateFolder(options.cacheDirectory);
    if (!folder)
      throwLaunchError("the cache directory `" + options.cacheDirectory +
                       "` cannot be used: " + llvm::toString(folder.takeError()));
    environment.cacheDir = options.cacheDirectory;
  }
  if (options.cacheBytes)
    environment.cacheSizeLimit = std::to_string(*options.cacheBytes);
  compiler::ResidentLimits limits{.compilations = options.compileThreads ? options.compileThreads : processors(),
                                  .processes = options.assemblerProcesses,
                                  .kernels = options.residentKernels,
                                  .bytes = options.residentBytes};
  state = std::make_shared<State>(limits, std::move(environment));
}

const std::shared_ptr<Context::State> &Context::State::ofProcess() {
  // Never destroyed, because static objects of the program may have kernels.
  static const auto &state = *new std::shared_ptr<State>(std::make_shared<State>(
      compiler::ResidentLimits{.compilations = processors(), .isPassive = true}, base::Environment()));
  static std::once_flag once;
  std::call_once(once, [] {
    std::atexit([] { state->compiler->stop(); }); // before static objects of the compiler are destroyed
    pthread_atfork([] { state->compiler->beforeFork(); }, [] { state->compiler->afterForkInParent(); },
                   [] { state->compiler->afterForkInChild(); });
  });
  return state;
}

const std::string &Context::cacheDirectory() const { return state->cacheDirectory; }

Metrics Context::metrics() const {
  auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  compiler::ResidentCounts counts = state->compiler->counts();
  uint64_t hits = state->hits.load(std::memory_order_relaxed);
  return {.launches = state->launches.load(std::memory_order_relaxed),
          .memoryHits = hits + counts.memoryHits,
          .diskHits = counts.diskHits,
          .compilations = counts.compilations,
          .failures = counts.failures,
          .joined = counts.joined,
          .waits = counts.waits,
          .evictions = counts.evictions,
          .assemblers = counts.processes.started,
          .compileSeconds = seconds(counts.compiling),
          .waitSeconds = seconds(counts.waiting),
          .queuedNow = counts.queued,
          .compilingNow = counts.running,
          .assemblersNow = counts.processes.running,
          .residentKernels = counts.kernels,
          .residentBytes = counts.bytes};
}

namespace {

/// A member of Metrics, as texts show it.
struct MetricText {
  const char *member, *name, *help;
  bool isTotal;
  std::string value;
};

std::vector<MetricText> textsOf(const Metrics &metrics) {
  auto number = [](double value) { return llvm::formatv("{0:f6}", value).str(); };
  auto text = [](uint64_t value) { return std::to_string(value); };
  return {
      {"launches", "launches", "Kernels that were launched.", true, text(metrics.launches)},
      {"memoryHits", "memory_hits", "Requests whose kernel was in memory.", true, text(metrics.memoryHits)},
      {"diskHits", "disk_hits", "Kernels that were read from disk.", true, text(metrics.diskHits)},
      {"compilations", "compilations", "Kernels that were compiled.", true, text(metrics.compilations)},
      {"failures", "compile_failures", "Compilations that ended with an error.", true, text(metrics.failures)},
      {"joined", "joined_requests", "Requests for kernels that were being compiled for another.", true,
       text(metrics.joined)},
      {"waits", "waits", "Waits for kernels that were not compiled yet.", true, text(metrics.waits)},
      {"evictions", "evictions", "Kernels that a limit removed from memory.", true, text(metrics.evictions)},
      {"assemblers", "assemblers_started", "Processes of ptxas that were started under a limit.", true,
       text(metrics.assemblers)},
      {"compileSeconds", "compile_seconds", "Time that compilations took.", true, number(metrics.compileSeconds)},
      {"waitSeconds", "wait_seconds", "Time that threads waited for kernels.", true, number(metrics.waitSeconds)},
      {"queuedNow", "queued_compilations", "Compilations that wait for a thread.", false, text(metrics.queuedNow)},
      {"compilingNow", "running_compilations", "Compilations that are running.", false, text(metrics.compilingNow)},
      {"assemblersNow", "running_assemblers", "Processes of ptxas that run under a limit.", false,
       text(metrics.assemblersNow)},
      {"residentKernels", "resident_kernels", "Compiled kernels in memory.", false, text(metrics.residentKernels)},
      {"residentBytes", "resident_bytes", "Bytes of compiled kernels in memory.", false, text(metrics.residentBytes)},
  };
}

} // namespace

std::string Metrics::toJson() const {
  std::string json;
  for (const MetricText &metric : textsOf(*this))
    json.append(json.empty() ? "{" : ", ").append("\"").append(metric.member).append("\": ").append(metric.value);
  return json + "}";
}

std::string Metrics::toPrometheus(std::string_view labels) const {
  std::string text, name;
  std::string labelled = labels.empty() ? "" : "{" + std::string(labels) + "}";
  for (const MetricText &metric : textsOf(*this)) {
    name.assign("triton_").append(metric.name).append(metric.isTotal ? "_total" : "");
    text.append("# HELP ").append(name).append(" ").append(metric.help).append("\n");
    text.append("# TYPE ").append(name).append(metric.isTotal ? " counter\n" : " gauge\n");
    text.append(name).append(labelled).append(" ").append(metric.value).append("\n");
  }
  return text;
}
