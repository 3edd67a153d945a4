#include "base/ForkSafeMutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace triton::base;

namespace {

ForkSafeMutex first, second;

TEST(ForkSafeMutex, IsFreeInTheChildOfAForkBesideAThreadThatHoldsIt) {
  std::atomic<bool> stop = false, holds = false;
  std::thread holder([&] {
    while (!stop.load()) {
      std::lock_guard lock(first);
      holds.store(true);
      usleep(100);
    }
  });
  while (!holds.load())
    std::this_thread::yield();
  for (int repetition = 0; repetition < 20; ++repetition) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      first.lock();
      second.lock();
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop.store(true);
  holder.join();
  std::lock_guard lock(second); // free in the parent, too
}

} // namespace
