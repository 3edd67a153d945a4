#include "backends/cpu/runtime/CpuLaunch.h"
#include "backends/cpu/runtime/CpuRuntimeFunctions.h"
#include "backends/cpu/runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace triton::cpu;

namespace {

/// The argument of the kernels of these tests: the first slot contains the address of such a record.
struct Record {
  std::vector<std::atomic<int>> runs;
  std::atomic<int> threads = 0;
  std::atomic<bool> scratchWasAligned = true;
  explicit Record(std::size_t programs) : runs(programs) {}
};

Record &recordOf(const void *arguments) { return **static_cast<Record *const *>(arguments); }

void countRuns(const void *arguments, const int32_t *, int64_t begin, int64_t end, void *) {
  for (int64_t program = begin; program < end; ++program)
    ++recordOf(arguments).runs[std::size_t(program)];
}

void spinABit(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch) {
  for (int64_t program = begin; program < end; ++program) {
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::microseconds(20))
      ;
    countRuns(arguments, grid, program, program + 1, scratch);
  }
}

void useScratch(const void *arguments, const int32_t *, int64_t begin, int64_t end, void *scratch) {
  Record &record = recordOf(arguments);
  if (reinterpret_cast<uintptr_t>(scratch) % 64 != 0)
    record.scratchWasAligned = false;
  auto *words = static_cast<int64_t *>(scratch);
  for (int64_t program = begin; program < end; ++program) {
    for (int i = 0; i < 1000; ++i)
      words[i] = program;
    for (int i = 0; i < 1000; ++i)
      record.runs[std::size_t(program)] += words[i] == program;
  }
}

void failInProgramSeven(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch) {
  for (int64_t program = begin; program < end; ++program) {
    if (program == 7)
      triton_cpu_assert_fail(int32_t(program), 0, 0, "x must be positive", "kernel.py:12");
    spinABit(arguments, grid, program, program + 1, scratch);
  }
}

void expectEachRanOnce(const Record &record) {
  for (std::size_t program = 0; program < record.runs.size(); ++program)
    ASSERT_EQ(record.runs[program], 1) << "program " << program;
}

} // namespace

TEST(Launch, RunsEachProgramOfAGridOnce) {
  for (std::array<int32_t, 3> grid :
       {std::array<int32_t, 3>{1, 1, 1}, {2, 1, 1}, {3, 5, 7}, {1000, 1, 1}, {1, 17, 64}, {65537, 1, 1}}) {
    Record record(std::size_t(grid[0]) * grid[1] * grid[2]);
    Record *slot = &record;
    LaunchHistory history;
    launchCpu(countRuns, &slot, grid, 0, history);
    expectEachRanOnce(record);
  }
}

TEST(Launch, RunsEachProgramOnceOnSeveralThreads) {
  LaunchHistory history;
  for (int launch = 0; launch < 20; ++launch) {
    Record record(40);
    Record *slot = &record;
    launchCpu(spinABit, &slot, {40, 1, 1}, 0, history);
    expectEachRanOnce(record);
  }
  EXPECT_GT(history.nanosecondsPerProgram, 10000);
}

TEST(Launch, AnEmptyGridRunsNothing) {
  Record record(1);
  Record *slot = &record;
  LaunchHistory history;
  launchCpu(countRuns, &slot, {0, 5, 5}, 0, history);
  EXPECT_EQ(record.runs[0], 0);
}

TEST(Launch, ScratchMemoryIsAlignedAndPrivate) {
  Record record(500);
  Record *slot = &record;
  LaunchHistory history;
  history.nanosecondsPerProgram = 1e6; // so that workers take part
  launchCpu(useScratch, &slot, {500, 1, 1}, 8000, history);
  EXPECT_TRUE(record.scratchWasAligned);
  for (auto &count : record.runs)
    ASSERT_EQ(count, 1000);
}

TEST(Launch, SeveralThreadsMayLaunchAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      LaunchHistory history;
      for (int launch = 0; launch < 10; ++launch) {
        Record record(20);
        Record *slot = &record;
        launchCpu(spinABit, &slot, {20, 1, 1}, 0, history);
        expectEachRanOnce(record);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Launch, AFailedAssertThrowsAndLaterLaunchesWork) {
  for (int maxThreads : {1, 0}) {
    Record record(100);
    Record *slot = &record;
    LaunchHistory history;
    try {
      launchCpu(failInProgramSeven, &slot, {100, 1, 1}, 0, history, maxThreads);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error &error) {
      std::string text = error.what();
      EXPECT_NE(text.find("x must be positive"), std::string::npos) << text;
      EXPECT_NE(text.find("kernel.py:12"), std::string::npos) << text;
      EXPECT_NE(text.find("program (7, 0, 0)"), std::string::npos) << text;
    }
    EXPECT_EQ(record.runs[7], 0);
    Record next(100);
    slot = &next;
    launchCpu(countRuns, &slot, {100, 1, 1}, 0, history, maxThreads);
    expectEachRanOnce(next);
  }
}

TEST(Launch, AForkedChildCanLaunch) {
  Record warm(64);
  Record *slot = &warm;
  LaunchHistory history;
  launchCpu(spinABit, &slot, {64, 1, 1}, 0, history); // the pool exists before the fork
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Record record(64);
    slot = &record;
    launchCpu(spinABit, &slot, {64, 1, 1}, 0, history);
    for (auto &count : record.runs)
      if (count != 1)
        _exit(1);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

// Programs of a millisecond each, 16 to 20 seconds in all. An interrupt must end them before the last.
void sleepAMillisecond(const void *arguments, const int32_t *grid, int64_t begin, int64_t end, void *scratch) {
  for (int64_t program = begin; program < end; ++program) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    countRuns(arguments, grid, program, program + 1, scratch);
  }
}

TEST(Launch, AnInterruptEndsIt) {
  for (int maxThreads : {0, 1}) {
    Record record(20000);
    Record *slot = &record;
    LaunchHistory history;
    std::thread::id asked;
    int questions = 0;
    EXPECT_THROW(launchCpu(sleepAMillisecond, &slot, {20000, 1, 1}, 0, history, maxThreads,
                           [&] {
                             asked = std::this_thread::get_id();
                             return ++questions == 2;
                           }),
                 triton::base::LaunchInterrupted);
    int ran = 0;
    for (const std::atomic<int> &runs : record.runs)
      ran += runs;
    EXPECT_LT(ran, 20000);
    EXPECT_EQ(asked, std::this_thread::get_id());
    EXPECT_EQ(questions, 2);
    launchCpu(countRuns, &slot, {20000, 1, 1}, 0, history, maxThreads); // the pool still works
  }
}

TEST(Launch, AnInterruptEndsTheProgramsOfOtherThreads) {
  // The launching thread's programs end at once; then it waits for those of a worker.
  static std::thread::id launcher;
  launcher = std::this_thread::get_id();
  ThreadPool pool(1);
  ProgramRange range;
  range.entry = [](const void *, const int32_t *, int64_t begin, int64_t end, void *) {
    if (std::this_thread::get_id() == launcher)
      return std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5) * (end - begin));
  };
  int32_t grid[3] = {100000, 1, 1};
  range.grid = grid;
  range.end = 100000;
  std::atomic<bool> interrupt = false;
  auto check = [&] { return interrupt.load(); };
  range.interrupted = check;
  std::thread interrupter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    interrupt = true;
  });
  ASSERT_TRUE(pool.tryRun(range, 2, /*wake=*/true));
  interrupter.join();
  EXPECT_TRUE(range.wasInterrupted);
}

/// Runs 64 programs of a millisecond or more: they wait until `limit` threads run some, however late a busy machine
/// lets these begin. Returns the threads that ran some.
std::set<std::thread::id> threadsOfALaunch(ThreadPool &pool, unsigned limit) {
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    unsigned limit = 0;
    Clock::time_point deadline = Clock::now() + std::chrono::seconds(20);

    bool awaitsMore() {
      std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
      return threads.size() < limit && Clock::now() < deadline;
    }
  } seen;
  seen.limit = limit;
  Seen *slot = &seen;
  ProgramRange range;
  range.entry = [](const void *arguments, const int32_t *, int64_t, int64_t, void *) {
    Seen &seen = **static_cast<Seen *const *>(arguments);
    do
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (seen.awaitsMore());
  };
  range.arguments = &slot;
  int32_t grid[3] = {64, 1, 1};
  range.grid = grid;
  range.end = 64;
  EXPECT_TRUE(pool.tryRun(range, limit, /*wake=*/true));
  return seen.threads;
}

TEST(ThreadPool, LimitsTheThreadsOfALaunch) {
  ThreadPool pool(3);
  std::set<std::thread::id> threads = threadsOfALaunch(pool, 2);
  EXPECT_LE(threads.size(), 2u);
  EXPECT_TRUE(threads.count(std::this_thread::get_id()));
}

TEST(ThreadPool, WakesAllWorkers) {
  ThreadPool pool(7);
  for (int launch = 0; launch < 3; ++launch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // Workers fall asleep.
    EXPECT_EQ(threadsOfALaunch(pool, 8).size(), 8u);
  }
}

TEST(ThreadPool, SleepingWorkersAreWokenForEnoughWork) {
  ThreadPool pool(1);
  EXPECT_TRUE(pool.paysToWake(1, 2)) << "nothing is known yet";
  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // The worker falls asleep.
  EXPECT_EQ(threadsOfALaunch(pool, 2).size(), 2u);
  EXPECT_FALSE(pool.paysToWake(1, 2));
  EXPECT_TRUE(pool.paysToWake(1e12, 2));
  int refusals = 0;
  while (!pool.paysToWake(1, 2) && refusals < 10000)
    ++refusals;
  EXPECT_GT(refusals, 1);
  EXPECT_LT(refusals, 10000) << "it is never measured again";
}

/// A launch of `programs` programs that sleep. Workers fall asleep before it.
void launchSleepers(ThreadPool &pool, unsigned threads, int32_t programs, std::chrono::milliseconds time) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ProgramRange range;
  range.entry = [](const void *time, const int32_t *, int64_t begin, int64_t end, void *) {
    std::this_thread::sleep_for(*static_cast<const std::chrono::milliseconds *>(time) * (end - begin));
  };
  range.arguments = &time;
  int32_t grid[3] = {programs, 1, 1};
  range.grid = grid;
  range.end = programs;
  ASSERT_TRUE(pool.tryRun(range, threads, /*wake=*/true));
}

TEST(ThreadPool, ProgramsThatNoOthersRunBesideTellNothingOfWaking) {
  ThreadPool pool(7);
  for (int launch = 0; launch < 4; ++launch)
    launchSleepers(pool, 8, 9, std::chrono::milliseconds(50)); // The last program runs alone.
  EXPECT_TRUE(pool.paysToWake(20e6, 8));
}

TEST(ThreadPool, OneLateThreadTellsNothingOfWaking) {
  ThreadPool pool(1);
  for (int launch = 0; launch < 3; ++launch)
    launchSleepers(pool, 2, 2, std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // One of the two programs takes far longer than the other.
  std::atomic<int> begun = 0;
  std::atomic<int> *slot = &begun;
  ProgramRange range;
  range.entry = [](const void *arguments, const int32_t *, int64_t, int64_t, void *) {
    bool isFirst = (*static_cast<std::atomic<int> *const *>(arguments))->fetch_add(1) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(isFirst ? 1 : 400));
  };
  range.arguments = &slot;
  int32_t grid[3] = {2, 1, 1};
  range.grid = grid;
  range.end = 2;
  ASSERT_TRUE(pool.tryRun(range, 2, /*wake=*/true));
  EXPECT_TRUE(pool.paysToWake(50e6, 2));
}

TEST(ThreadPool, ALaunchCountsWhatItsOwnThreadRan) {
  ThreadPool pool(1);
  ProgramRange range;
  range.entry = [](const void *, const int32_t *, int64_t begin, int64_t end, void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(end - begin));
  };
  int32_t grid[3] = {32, 1, 1};
  range.grid = grid;
  range.end = 32;
  ASSERT_TRUE(pool.tryRun(range, 2, /*wake=*/true));
  EXPECT_GT(range.ownPrograms, 0);
  EXPECT_LE(range.ownPrograms, 32);
  EXPECT_GE(range.ownNanoseconds, 1e6 * double(range.ownPrograms));
}
