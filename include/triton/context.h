// Contexts: compilation for programs that run for weeks, with limits, numbers to watch, and a cache of their own.
//
//   triton::Context context({.cacheDirectory = "/var/cache/app", .compileThreads = 4, .residentBytes = 512 << 20});
//   triton::Kernel add = triton::Module::load("add.py", context).kernel("add");
//   triton::CompileFuture future = add.compileAsync({}, triton::type("*fp32:16"), ...);
//   std::cout << context.metrics().toPrometheus("service=\"search\"");
#pragma once

#include "triton/triton.h"

#include <optional>

namespace triton {

/// How a context compiles and what it keeps.
struct ContextOptions {
  /// Where compiled kernels are kept on disk, for later processes too. It is made if it does not exist. Only the user
  /// of the process may be able to write there. Empty: what TRITON_CACHE_DIR says.
  std::string cacheDirectory = {};
  /// Bytes that this folder may contain; what was used least recently goes first. 0: any number. None: what
  /// TRITON_CACHE_SIZE_LIMIT says, by default 16 GiB.
  std::optional<std::uint64_t> cacheBytes = {};
  /// Compilations at a time, each on a thread of the context. 0: as many as there are processors. The threads start
  /// when there is something to compile.
  unsigned compileThreads = 0;
  /// Processes of ptxas at a time. 0: any number, which is at most one for each compilation.
  unsigned assemblerProcesses = 0;
  /// Compiled kernels in memory, and their bytes: of their code and of all artifacts. 0: any number. Above a limit,
  /// kernels go that were used least recently, and are read from disk when they are needed again. A kernel that is
  /// being launched or to which the program has a CompiledKernel or CompileFuture stays, even if a limit is exceeded
  /// meanwhile. A kernel that goes is unloaded from its GPUs, for which the context waits until the GPU has run all
  /// that was launched.
  std::size_t residentKernels = 0;
  std::uint64_t residentBytes = 0;
};

/// Numbers of a context: totals since it was made, and (those called `…Now`) values of this moment.
struct TRITON_API Metrics {
  std::uint64_t launches = 0;        ///< of kernels; those that fail do not count
  std::uint64_t memoryHits = 0;      ///< launches and compilations whose kernel was in memory
  std::uint64_t diskHits = 0;        ///< kernels that were read from the cache on disk
  std::uint64_t compilations = 0;    ///< kernels that were compiled
  std::uint64_t failures = 0;        ///< compilations that ended with an error
  std::uint64_t joined = 0;          ///< requests for a kernel that was being compiled for another
  std::uint64_t waits = 0;           ///< for kernels that were not compiled yet
  std::uint64_t evictions = 0;       ///< kernels that a limit removed from memory
  std::uint64_t assemblers = 0;      ///< processes of ptxas that were started; counted where their number is limited
  double compileSeconds = 0;         ///< that compilations and reads from disk took, all together
  double waitSeconds = 0;            ///< that threads of the program waited for kernels, all together
  std::uint64_t queuedNow = 0;       ///< compilations that wait for a thread
  std::uint64_t compilingNow = 0;    ///< compilations that run
  std::uint64_t assemblersNow = 0;   ///< processes of ptxas that run; counted where their number is limited
  std::uint64_t residentKernels = 0; ///< in memory now
  std::uint64_t residentBytes = 0;   ///< in memory now

  /// A JSON object with the members above by name.
  std::string toJson() const;
  /// The text format of Prometheus, version 0.0.4: triton_launches_total and so on, with help and type. `labels` go
  /// into the braces of each sample, as in `service="search"`.
  std::string toPrometheus(std::string_view labels = {}) const;
};

/// Owns a cache directory, a queue of compilations, their threads, limits and metrics. Two contexts do not disturb one
/// another. A handle: copies are the same context, which lives as long as a copy or a Module or Kernel that belongs to
/// it. Its end gives up what is queued, and waits for compilations that run, which notice it soon.
///
/// All functions may be called from several threads at once. A thread that needs a kernel which another thread
/// has asked for waits for that one: each variant is compiled once. What somebody waits for is compiled before
/// what was asked for in advance. A failed compilation is not kept: the next request tries again.
///
/// A context belongs to the process that made it: a child that was forked from it must make its own. The variables of
/// docs/options.md are read when the context is made, but for those that name tools, drivers and threads, which the
/// process has in common, as it has the drivers themselves. "cuda" and "hip" as targets are the calling thread's
/// current device, so that one context serves several devices, each with code for its architecture.
class TRITON_API Context {
public:
  struct State; ///< internal to the library

  /// Throws Error (Kind::Launch) when the cache directory cannot be made, or another user can write there.
  explicit Context(const ContextOptions &options = {});

  Metrics metrics() const;
  /// What the options name, or the environment.
  const std::string &cacheDirectory() const;

private:
  friend class Module;
  std::shared_ptr<State> state;
};

} // namespace triton
