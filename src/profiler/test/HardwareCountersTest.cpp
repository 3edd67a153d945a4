// Counters of the threads that run programs, with calls that stand in for the system's, and with the system's own.
#include "profiler/HardwareCounters.h"
#include "backends/cpu/CpuKernel.h"
#include "backends/gpu/driver/test/StandIn.h"
#include "profiler/Profiler.h"
#include "profiler/test/Profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace triton::profiling {
namespace {

using backends::contains;
using backends::messageOf;

thread_local uint64_t work = 0; ///< that this thread has done; its counters show multiples of it

/// Counts on paper.
class FakeEvents final : public PerfEvents {
public:
  int open(perf_event_attr &event, int leader) override {
    std::lock_guard lock(mutex);
    ++opened;
    EXPECT_TRUE(event.exclude_kernel && event.exclude_hv);
    if (opened == failsAt)
      return -error;
    int file = nextFile++;
    EXPECT_EQ(event.disabled, leader < 0); // a group that counts already cannot grow
    if (leader < 0)
      leaders[file] = {std::this_thread::get_id(), false};
    else
      EXPECT_EQ(leaders.at(leader).thread, std::this_thread::get_id());
    return file;
  }
  int64_t read(int leader, void *to, std::size_t bytes) override {
    std::lock_guard lock(mutex);
    ++reads;
    EXPECT_TRUE(leaders.at(leader).isEnabled && leaders.at(leader).thread == std::this_thread::get_id());
    uint64_t values[] = {3, 100 * work, uint64_t(100 * share * double(work)), 10 * work, 20 * work, work};
    EXPECT_EQ(bytes, sizeof(values));
    std::memcpy(to, values, sizeof(values));
    return readsFail ? -1 : int64_t(bytes);
  }
  void enable(int leader, bool isEnabled) override {
    std::lock_guard lock(mutex);
    leaders.at(leader).isEnabled = isEnabled;
  }
  void close(int file) override {
    std::lock_guard lock(mutex);
    ++closed;
    leaders.erase(file);
  }
  std::size_t enabledGroups() {
    std::lock_guard lock(mutex);
    return std::size_t(std::count_if(leaders.begin(), leaders.end(), [](auto &each) { return each.second.isEnabled; }));
  }

  int failsAt = 0, error = 0; ///< which call of `open` fails
  double share = 1;           ///< of the time in which the counters are this process's
  bool readsFail = false;
  int opened = 0, closed = 0, reads = 0;

private:
  struct Leader {
    std::thread::id thread;
    bool isEnabled = false;
  };
  std::mutex mutex;
  std::map<int, Leader> leaders;
  int nextFile = 1000;
};
FakeEvents fake;

/// A task clock, page faults and another clock, of which every Linux has counters, in place of the processor's.
class SoftwareEvents final : public PerfEvents {
public:
  int open(perf_event_attr &event, int leader) override {
    constexpr uint64_t substitutes[] = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CPU_CLOCK};
    event.type = PERF_TYPE_SOFTWARE;
    event.config = substitutes[leader < 0 ? 0 : 1 + isThird.exchange(!isThird)];
    return PerfEvents::open(event, leader);
  }

private:
  std::atomic<bool> isThird = false; ///< the next counter of a group
};

void workInPrograms(const void *, const int32_t *, int64_t begin, int64_t end, void *) {
  for (int64_t program = begin; program < end; ++program) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ++work;
  }
}

constexpr std::size_t pages = 64;
void touchPages(const void *, const int32_t *, int64_t begin, int64_t end, void *) {
  auto size = std::size_t(sysconf(_SC_PAGESIZE));
  for (int64_t program = begin; program < end; ++program) {
    void *memory = mmap(nullptr, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, pages * size, MADV_NOHUGEPAGE);
    for (std::size_t page = 0; page < pages; ++page)
      static_cast<volatile char *>(memory)[page * size] = 1;
    munmap(memory, pages * size);
  }
}

void launch(cpu::CpuEntry entry, int32_t programs, int maxThreads = 0) {
  static std::map<cpu::CpuEntry, cpu::CpuKernel> kernels; // each with its history
  const cpu::CpuKernel &kernel = kernels.try_emplace(entry, "kernel", nullptr, entry, 0).first->second;
  base::KernelLaunch launch;
  launch.grid = {programs, 1, 1};
  launch.maxThreads = maxThreads;
  kernel.launch(launch);
}

SessionId startSession(const char *mode, const char *name = "it") {
  SessionOptions options;
  options.name = name;
  options.backend = "cpu";
  options.mode = mode;
  return start(options);
}

/// In a process of its own, whose threads have no counters yet.
void withEvents(PerfEvents *events, const std::function<void()> &body) {
  EXPECT_EXIT(
      {
        setPerfEvents(events);
        body();
        exit(testing::Test::HasFailure());
      },
      testing::ExitedWithCode(0), "");
}

int64_t metric(SessionId session, const char *name) {
  llvm::json::Value metrics = llvm::cantFail(llvm::json::parse(metricsAt(phaseAsJson(session, 0), {"kernel"})));
  return metrics.getAsObject()->getInteger(name).value_or(-1);
}

TEST(HardwareCounters, WorkOfAllThreadsIsCountedAndNothingElse) {
  withEvents(&fake, [] {
    SessionId session = startSession("counters");
    for (int i = 0; i < 5; ++i) {
      work += 1000; // belongs to no launch
      launch(workInPrograms, 64);
    }
    EXPECT_EQ(metric(session, "cycles"), 5 * 64 * 10);
    EXPECT_EQ(metric(session, "instructions"), 5 * 64 * 20);
    EXPECT_EQ(metric(session, "cache_misses"), 5 * 64);
    EXPECT_EQ(metric(session, "uncounted_time (ns)"), -1);
    EXPECT_GT(metric(session, "thread_time (ns)"), 0);
    // A thread opens its counters once.
    EXPECT_EQ(fake.opened % 3, 0);
    EXPECT_GE(fake.opened, 3 * metric(session, "threads"));
    EXPECT_LE(fake.opened, 3 * int(std::max(1U, std::thread::hardware_concurrency())));
    EXPECT_EQ(fake.closed, 0);
  });
}

TEST(HardwareCounters, SharedCountersAreExtrapolated) {
  withEvents(&fake, [] {
    fake.share = 0.5;
    SessionId session = startSession("counters");
    launch(workInPrograms, 8);
    EXPECT_EQ(metric(session, "instructions"), 2 * 8 * 20);
    EXPECT_EQ(metric(session, "uncounted_time (ns)"), -1);
  });
}

TEST(HardwareCounters, WhatIsNotCountedIsSaid) {
  auto expectNothing = [] {
    SessionId session = startSession("counters");
    launch(workInPrograms, 8);
    EXPECT_EQ(metric(session, "instructions"), 0);
    EXPECT_EQ(metric(session, "uncounted_time (ns)"), metric(session, "thread_time (ns)"));
  };
  withEvents(&fake, [&] { // other programs have the counters
    fake.share = 0;
    expectNothing();
  });
  withEvents(&fake, [&] {
    fake.readsFail = true;
    expectNothing();
  });
  withEvents(&fake, [] { // a thread that can open none
    SessionId session = startSession("counters");
    fake.failsAt = 5;
    fake.error = EMFILE;
    std::thread([] { launch(workInPrograms, 1); }).join();
    EXPECT_EQ(metric(session, "uncounted_time (ns)"), metric(session, "thread_time (ns)"));
    EXPECT_EQ(fake.closed, 1); // of the incomplete group
    EXPECT_EQ(fake.reads, 0);
  });
}

TEST(HardwareCounters, NothingIsCountedUnlessASessionAsks) {
  withEvents(&fake, [] {
    startSession("", "plain");
    launch(workInPrograms, 8);
    EXPECT_EQ(fake.opened, 0);
    deactivate(std::nullopt, /*flushes=*/false);

    SessionId counting = startSession("counters");
    launch(workInPrograms, 8);
    std::size_t groups = fake.enabledGroups();
    EXPECT_GE(groups, 1U);
    int reads = fake.reads;
    deactivate(counting, /*flushes=*/false);
    EXPECT_EQ(fake.enabledGroups(), 0U);
    launch(workInPrograms, 8);
    EXPECT_EQ(fake.reads, reads);
    EXPECT_EQ(hardwareCounters(), nullptr);

    activate(counting);
    EXPECT_EQ(fake.enabledGroups(), groups);
    launch(workInPrograms, 8);
    EXPECT_EQ(metric(counting, "instructions"), 2 * 8 * 20);
    EXPECT_TRUE(contains(messageOf<std::invalid_argument>([] { startSession("", "other"); }), "another mode"));
  });
}

TEST(HardwareCounters, CountersOfAThreadThatEndsAreClosed) {
  withEvents(&fake, [] {
    startSession("counters");
    std::thread([] { launch(workInPrograms, 1); }).join();
    EXPECT_EQ(fake.opened, 6);
    EXPECT_EQ(fake.closed, 3);
  });
}

TEST(HardwareCounters, AForkedChildCountsItself) {
  withEvents(&fake, [] {
    SessionId session = startSession("counters");
    launch(workInPrograms, 1);
    int opened = fake.opened;
    pid_t child = fork();
    if (child == 0) {
      launch(workInPrograms, 1);
      _exit(fake.opened == opened + 3 && metric(session, "instructions") == 2 * 20 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
}

TEST(HardwareCounters, WhatTheSystemRefusesIsSaid) {
  struct Case {
    int error;
    const char *help;
  };
  for (Case each : {Case{ENOENT, "performance monitoring unit"}, Case{EOPNOTSUPP, "performance monitoring unit"},
                    Case{EACCES, "sysctl kernel.perf_event_paranoid=2"}, Case{EPERM, "seccomp"},
                    Case{ENOSYS, "CONFIG_PERF_EVENTS"}, Case{EMFILE, "ulimit -n"}, Case{EINVAL, "no reason"}})
    withEvents(&fake, [&] {
      fake.failsAt = 3;
      fake.error = each.error;
      std::string message = messageOf<std::runtime_error>([] { startSession("counters"); });
      EXPECT_TRUE(contains(message, "the profiler cannot count `cache_misses` on this processor") &&
                  contains(message, each.help) && contains(message, std::strerror(each.error)))
          << message;
      EXPECT_FALSE(hasSessions());
      EXPECT_EQ(fake.closed, 2);
      EXPECT_EQ(base::launchObserver(), nullptr);
      SessionId session = startSession("counters"); // the system has changed its mind
      launch(workInPrograms, 8);
      EXPECT_EQ(metric(session, "instructions"), 8 * 20);
    });
}

/// A session of the mode, or none where the system refuses it with a reason.
std::optional<SessionId> startIfAllowed() {
  std::optional<SessionId> session;
  std::string message = messageOf<std::runtime_error>([&] { session = startSession("counters"); });
  if (!session)
    EXPECT_TRUE(contains(message, "the profiler cannot count `cycles` on this processor") &&
                !contains(message, "no reason"))
        << message;
  return session;
}

TEST(HardwareCounters, TheSystemCountsPageFaultsOfPrograms) {
  static SoftwareEvents events;
  withEvents(&events, [] {
    std::optional<SessionId> session = startIfAllowed();
    if (!session)
      return;
    launch(touchPages, 16);
    EXPECT_GE(metric(*session, "instructions"), int64_t(16 * pages)); // these are page faults
    EXPECT_LT(metric(*session, "instructions"), int64_t(16 * pages + 1000));
    EXPECT_GT(metric(*session, "cycles"), 0);
    EXPECT_EQ(metric(*session, "uncounted_time (ns)"), -1);
  });
}

TEST(HardwareCounters, TheProcessorCounts) {
  withEvents(nullptr, [] {
    std::optional<SessionId> session = startIfAllowed();
    if (!session)
      return;
    launch(touchPages, 16);
    if (metric(*session, "uncounted_time (ns)") == -1) // otherwise other programs had the counters
      EXPECT_GT(metric(*session, "instructions"), int64_t(16 * pages));
  });
}

} // namespace
} // namespace triton::profiling
