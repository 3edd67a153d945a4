// Launches in a program that uses OpenMP.
#include "backends/cpu/runtime/CpuLaunch.h"
#include "backends/cpu/runtime/OpenMpTeam.h"
#include "backends/cpu/runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <omp.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace triton::cpu;

namespace {

using Threads = std::set<std::thread::id>;

struct Seen {
  std::mutex mutex;
  Threads threads;
  int programs = 0;

  void add(int count) {
    std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    programs += count;
  }
};

void sleepABit(const void *arguments, const int32_t *, int64_t begin, int64_t end, void *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(end - begin));
  (*static_cast<Seen *const *>(arguments))->add(int(end - begin));
}

Threads threadsOfALaunch() {
  Seen seen;
  Seen *slot = &seen;
  LaunchHistory history;
  history.nanosecondsPerProgram = 1e6; // so that other threads take part
  launchCpu(sleepABit, &slot, {64, 1, 1}, 0, history);
  EXPECT_EQ(seen.programs, 64);
  return seen.threads;
}

Threads threadsOfALoop() {
  Seen seen;
#pragma omp parallel
  seen.add(1);
  return seen.threads;
}

/// As many as one launch can use: a machine may have one processor, but a team can have more threads.
class OpenMp : public testing::Test {
protected:
  void SetUp() override {
    omp_set_dynamic(0);
    omp_set_num_threads(3);
  }
};

} // namespace

TEST_F(OpenMp, LaunchesRunOnTheThreadsOfItsLoops) {
  Threads ofLoop = threadsOfALoop();
  EXPECT_EQ(ofLoop.size(), 3u);
  for (int launch = 0; launch < 3; ++launch)
    for (std::thread::id thread : threadsOfALaunch())
      EXPECT_TRUE(ofLoop.count(thread));
  EXPECT_EQ(threadsOfALoop(), ofLoop) << "the runtime made another team";
}

TEST_F(OpenMp, ItsNumberOfThreadsIsALimit) {
  ThreadPool pool(*OpenMpTeam::find(), /*limit=*/8);
  EXPECT_EQ(pool.threadCount(), 3u);
  omp_set_num_threads(2);
  EXPECT_EQ(pool.threadCount(), 2u);
  omp_set_num_threads(1);
  EXPECT_EQ(threadsOfALaunch(), Threads{std::this_thread::get_id()});
  EXPECT_EQ(ThreadPool(*OpenMpTeam::find(), 2).threadCount(), 1u);
}

TEST_F(OpenMp, ALaunchWithinALoopStaysOnItsThread) {
  Threads ofLaunch;
  std::thread::id launching;
#pragma omp parallel
#pragma omp master
  {
    launching = std::this_thread::get_id();
    ofLaunch = threadsOfALaunch();
  }
  EXPECT_EQ(ofLaunch, Threads{launching});
}

TEST_F(OpenMp, OtherThreadsHaveNoTeam) {
  Threads ofLoop = threadsOfALoop();
  std::thread([&] {
    EXPECT_EQ(OpenMpTeam::find(), nullptr);
    omp_set_num_threads(1);
    EXPECT_EQ(threadsOfALaunch(), Threads{std::this_thread::get_id()});
    omp_set_num_threads(3);
    for (std::thread::id thread : threadsOfALaunch())
      EXPECT_FALSE(ofLoop.count(thread));
  }).join();
}

TEST_F(OpenMp, AForkedChildHasNoTeam) {
  threadsOfALoop();
  threadsOfALaunch();
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // A launch that waits for lost threads does not end.
    bool isRight = !OpenMpTeam::find() && !threadsOfALaunch().empty();
    omp_set_num_threads(1);
    isRight = isRight && threadsOfALaunch().size() == 1;
    _exit(isRight ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(OpenMp, AnInterruptEndsALaunch) {
  Seen seen;
  Seen *slot = &seen;
  LaunchHistory history;
  history.nanosecondsPerProgram = 1e6;
  EXPECT_THROW(launchCpu(sleepABit, &slot, {1 << 30, 1, 1}, 0, history, 0, [] { return true; }),
               triton::base::LaunchInterrupted);
}
