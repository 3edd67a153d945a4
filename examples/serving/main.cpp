// Serves a small transformer over HTTP, with kernels that were compiled ahead of time and that can be replaced while it
// runs: see README.md.
#include "options.h"
#include "probe.h"
#include "service.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <omp.h>
#include <unistd.h>

namespace {

using namespace serving;

/// Sequences a second of the fastest pass: others use the machine, too.
void benchmark(Device &device, const Model &model, const CurrentLibrary &libraries, const Options &options) {
  omp_set_num_threads(options.batcher.threads);
  Batch batch;
  for (int i = 0; i < options.benchmarkSequences; ++i) {
    std::vector<std::int32_t> sequence(std::size_t(options.benchmarkLength), 0);
    for (std::size_t position = 0; position < sequence.size(); ++position)
      sequence[position] = std::int32_t(position * 31 + std::size_t(i)) % model.shape().vocabulary;
    model.check(sequence);
    batch.add(sequence);
  }
  Workspace workspace(device, model.shape(), options.benchmarkSequences);
  std::shared_ptr<const KernelLibrary> library = libraries.get();
  double best = 0;
  for (Clock::time_point begin = Clock::now(); Clock::now() - begin < std::chrono::milliseconds(1500);) {
    Clock::time_point start = Clock::now();
    model.forward(library->kernels(), batch, workspace);
    std::chrono::duration<double> time = Clock::now() - start;
    best = std::max(best, options.benchmarkSequences / time.count());
  }
  std::printf("%.1f sequences a second\n", best);
}

void reload(CurrentLibrary &libraries) {
  try {
    std::uint64_t generation = libraries.reload();
    std::printf("reloaded the kernels: generation %llu\n", static_cast<unsigned long long>(generation));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s; those that were loaded serve on\n", error.what());
  }
}

/// Until SIGINT or SIGTERM arrives, which all threads must have blocked.
void waitForEnd(const sigset_t &signals, CurrentLibrary &libraries) {
  for (int signal = 0; sigwait(&signals, &signal) == 0 && signal == SIGHUP;)
    reload(libraries);
}

void serve(Device &device, const Model &model, CurrentLibrary &libraries, const Options &options,
           const sigset_t &signals) {
  Batcher batcher(device, model, libraries, options.batcher);
  Service service(model, batcher, libraries, options.connections);
  int port = service.start(options.host, options.port, [] { kill(getpid(), SIGTERM); });
  std::printf("serving at http://%s:%d on %s with kernels for %s, %d worker(s)", options.host.c_str(), port,
              device.name().c_str(), libraries.get()->kernels().target(), options.batcher.workers);
  if (!options.device.isCuda)
    std::printf(" of %d thread(s)", options.batcher.threads);
  std::printf("; POST /predict, GET /metrics, POST /reload\n");
  waitForEnd(signals, libraries);
  service.stop();
  std::printf("%s\n", service.report().c_str());
}

void run(const Options &options, const sigset_t &signals) {
  Weights weights =
      options.weights.empty() ? Weights::random(std::uint64_t(options.seed)) : Weights::read(options.weights);
  if (!options.writeWeights.empty())
    return weights.write(options.writeWeights);
  // Memory belongs to the device, so that libraries of kernels come and go without it.
  std::unique_ptr<Device> device = Device::open(options.device);
  Model model(*device, weights);
  Probe probe(*device, model);
  CurrentLibrary libraries(options.kernels, options.device, [&](const Kernels &kernels) { probe(kernels); });
  if (options.benchmarkSequences > 0)
    return benchmark(*device, model, libraries, options);
  serve(*device, model, libraries, options, signals);
}

} // namespace

int main(int count, char **arguments) try {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::optional<Options> options = parseOptions(count, arguments);
  if (!options)
    return 0;
  // One thread, this one, takes the signals; those that it starts inherit the mask.
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // a client that hangs up
  run(*options, signals);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "server: %s\n", error.what());
  return 1;
}
