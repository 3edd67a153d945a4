#include "profiler/HardwareCounters.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace triton::profiling {

int PerfEvents::open(perf_event_attr &event, int leader) {
  constexpr int callingThread = 0, anyProcessor = -1;
  long file = syscall(SYS_perf_event_open, &event, callingThread, anyProcessor, leader, PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : int(file);
}
int64_t PerfEvents::read(int leader, void *to, std::size_t bytes) { return ::read(leader, to, bytes); }
void PerfEvents::enable(int leader, bool isEnabled) {
  ioctl(leader, isEnabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}
void PerfEvents::close(int file) { ::close(file); }

static constexpr std::string_view counterNames[] = {"cycles", "instructions", "cache_misses"};
static constexpr uint64_t counterEvents[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                             PERF_COUNT_HW_CACHE_MISSES};
static constexpr std::size_t counterCount = std::size(counterNames);
static_assert(counterCount == base::CounterSample::most && counterCount == std::size(counterEvents));

namespace {

class ThreadGroup;

/// Never destroyed, because threads may end after it would be.
struct State {
  std::mutex mutex;
  std::vector<ThreadGroup *> groups; ///< of all threads that have counted
  std::atomic<PerfEvents *> events = nullptr;
  std::atomic<bool> isStarted = false;
};
State &state() {
  static State &instance = *new State;
  return instance;
}

/// The counters of one thread. They are opened once, and stay open until the thread ends.
class ThreadGroup {
public:
  ThreadGroup() {
    std::lock_guard lock(state().mutex);
    state().groups.push_back(this);
  }
  ~ThreadGroup() {
    std::lock_guard lock(state().mutex);
    std::erase(state().groups, this);
    close();
  }
  ThreadGroup(const ThreadGroup &) = delete;

  static ThreadGroup &ofThisThread() {
    thread_local ThreadGroup group;
    return group;
  }

  /// Opens what is not open. A forked child has its parent's counters, which count the parent, so it opens its own.
  void prepare() {
    PerfEvents *present = state().events.load(std::memory_order_acquire);
    if (events == present && process == getpid())
      return;
    std::lock_guard lock(state().mutex);
    close();
    events = present;
    process = getpid();
    open();
  }
  /// With the lock of the state.
  void enable(bool isEnabled) {
    if (!files.empty() && process == getpid())
      events->enable(files[0], isEnabled);
  }
  base::CounterSample sample() {
    base::CounterSample result;
    struct {
      uint64_t count, enabled, running, values[counterCount];
    } group;
    if (files.empty() || events->read(files[0], &group, sizeof(group)) != int64_t(sizeof(group)))
      return result;
    std::copy(std::begin(group.values), std::end(group.values), result.values.begin());
    result.enabled = group.enabled;
    result.running = group.running;
    result.isKnown = group.count == counterCount;
    return result;
  }
  /// An error of the last attempt to open them, and the counter's place; 0: none.
  int error = 0;
  std::size_t failed = 0;
  /// So that the next use tries again.
  void forget() { process = 0; }

private:
  void open() {
    error = 0;
    for (failed = 0; failed < counterCount; ++failed) {
      perf_event_attr event{};
      event.size = sizeof(event);
      event.type = PERF_TYPE_HARDWARE;
      event.config = counterEvents[failed];
      event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      // What the leader does, the others do. Some kernels leave out those that join a leader that counts already.
      event.disabled = files.empty();
      event.exclude_kernel = event.exclude_hv = 1;
      int file = events->open(event, files.empty() ? -1 : files[0]);
      if (file < 0) {
        error = -file;
        return close();
      }
      files.push_back(file);
    }
    if (state().isStarted)
      events->enable(files[0], true);
  }
  void close() {
    for (int file : files)
      events->close(file);
    files.clear();
  }

  PerfEvents *events = nullptr;
  pid_t process = 0;
  std::vector<int> files; ///< the leader's first; empty: nothing can be counted
};

class HardwareCounters final : public base::ThreadCounters {
public:
  std::span<const std::string_view> names() const override { return counterNames; }
  base::CounterSample sample() const override {
    ThreadGroup &group = ThreadGroup::ofThisThread();
    group.prepare();
    return group.sample();
  }
};

} // namespace

/// Why the system refuses, and what helps.
static std::string explain(int error) {
  switch (error) {
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    return "the system shows no such counter of this processor, as in a virtual machine without a performance "
           "monitoring unit; run on the machine itself, or give the virtual machine such a unit";
  case EACCES:
  case EPERM: {
    constexpr const char *setting = "/proc/sys/kernel/perf_event_paranoid";
    auto file = llvm::MemoryBuffer::getFile(setting, /*IsText=*/true);
    llvm::StringRef level = file ? (*file)->getBuffer().trim() : "unknown";
    return llvm::formatv("it is not allowed, and {0} is {1}; let an administrator write 2 or less there (`sysctl "
                         "kernel.perf_event_paranoid=2`) or give the process CAP_PERFMON; in a container, the profile "
                         "of seccomp must allow perf_event_open, too",
                         setting, level)
        .str();
  }
  case ENOSYS:
    return "the system has no call perf_event_open; use a Linux with CONFIG_PERF_EVENTS, and in a container or "
           "sandbox one that allows the call";
  case EMFILE:
  case ENFILE:
    return "too many files are open; each thread needs " + std::to_string(counterCount) +
           " of them, so raise the limit (`ulimit -n`)";
  default:
    return "perf_event_open gives this error for no reason that is known";
  }
}

static PerfEvents &systemEvents() {
  static PerfEvents &instance = *new PerfEvents;
  return instance;
}

void setPerfEvents(PerfEvents *events) { state().events = events ? events : &systemEvents(); }

void startHardwareCounters() {
  if (!state().events)
    setPerfEvents(nullptr);
  ThreadGroup &own = ThreadGroup::ofThisThread();
  own.prepare();
  if (own.error != 0) {
    own.forget();
    throw std::runtime_error(llvm::formatv("the profiler cannot count `{0}` on this processor, for which the mode "
                                           "`counters` asks: {1} ({2}). Other modes of the backend `cpu` need no "
                                           "counters",
                                           llvm::StringRef(counterNames[own.failed]), explain(own.error),
                                           std::strerror(own.error))
                                 .str());
  }
  std::lock_guard lock(state().mutex);
  state().isStarted = true;
  for (ThreadGroup *group : state().groups)
    group->enable(true);
}

void stopHardwareCounters() {
  std::lock_guard lock(state().mutex);
  state().isStarted = false;
  for (ThreadGroup *group : state().groups)
    group->enable(false);
}

const base::ThreadCounters *hardwareCounters() {
  static const HardwareCounters &instance = *new HardwareCounters;
  return state().isStarted.load(std::memory_order_acquire) ? &instance : nullptr;
}

} // namespace triton::profiling
