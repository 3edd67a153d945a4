#include "backends/cpu/runtime/OpenMpTeam.h"

#include "base/Environment.h"
#include "base/ForkSafeMutex.h"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

using namespace triton::cpu;
using Clock = std::chrono::steady_clock;

static constexpr std::chrono::milliseconds searchInterval(100);

static std::atomic<bool> isForked = false;
static const int childWatch = pthread_atfork(nullptr, nullptr, [] { isForked.store(true); });

/// What the environment said when it was first asked. This is not a static variable of a function: the child of a fork
/// would wait for the thread that initializes it.
static const triton::base::Environment &settings() {
  static std::atomic<const triton::base::Environment *> known = nullptr;
  if (!known.load(std::memory_order_acquire))
    known.store(new triton::base::Environment(triton::base::Environment::read()), std::memory_order_release);
  return *known.load(std::memory_order_acquire);
}

bool OpenMpTeam::load(void *library) {
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  // The entry that GCC's compiler calls, which the runtimes of LLVM and Intel have, too.
  return find(parallel, "GOMP_parallel") && find(maxThreads, "omp_get_max_threads") &&
         find(threadNumber, "omp_get_thread_num") && find(isInParallel, "omp_in_parallel");
}

static triton::base::ForkSafeMutex searchMutex;

/// The program's own runtime, or the one that PyTorch brings along, which only its libraries see.
const OpenMpTeam *OpenMpTeam::search() {
  static OpenMpTeam team;
  std::lock_guard lock(searchMutex);
  if (team.load(RTLD_DEFAULT))
    return &team;
  void *torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (!torch)
    return nullptr;
  // The library stays open, because its functions are called from now on.
  return team.load(torch) ? &team : nullptr;
}

const OpenMpTeam *OpenMpTeam::findLoaded() {
  static std::atomic<const OpenMpTeam *> found = nullptr;
  static std::atomic<Clock::duration> nextSearch = Clock::duration::min();
  const OpenMpTeam *team = found.load(std::memory_order_acquire);
  if (team || settings().cpuOpenMp == "0")
    return team;
  Clock::duration now = Clock::now().time_since_epoch();
  if (now < nextSearch.load(std::memory_order_relaxed))
    return nullptr;
  nextSearch.store(now + searchInterval, std::memory_order_relaxed);
  team = search();
  found.store(team, std::memory_order_release);
  return team;
}

const OpenMpTeam *OpenMpTeam::find() {
  static thread_local const bool isFirstThread = gettid() == getpid();
  return settings().cpuPinWorkers || !isFirstThread || isForked.load(std::memory_order_relaxed) ? nullptr
                                                                                                : findLoaded();
}

unsigned OpenMpTeam::threadCount() const { return isInParallel() ? 1 : unsigned(std::max(1, maxThreads())); }

void OpenMpTeam::run(void (*body)(void *, unsigned), void *data) const {
  struct Call {
    const OpenMpTeam &team;
    void (*body)(void *, unsigned);
    void *data;
  } call{*this, body, data};
  constexpr unsigned usualCount = 0, noFlags = 0;
  parallel(
      [](void *pointer) {
        const Call &call = *static_cast<Call *>(pointer);
        call.body(call.data, unsigned(call.team.threadNumber()));
      },
      &call, usualCount, noFlags);
}
