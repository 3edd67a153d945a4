#include "backends/cpu/runtime/InterruptTimer.h"
#include "backends/cpu/runtime/CpuRuntimeFunctions.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <pthread.h>
#include <thread>

using namespace triton::cpu;

int32_t triton_cpu_attention = 0;

// A timer that has had nothing to do for this many ticks sleeps. It wakes from time to time nevertheless, because a
// launch that begins while it falls asleep may believe that it is awake.
static constexpr unsigned idleTicks = 20;
static constexpr std::chrono::seconds longestSleep(1);

namespace {

class Timer {
public:
  void begin() {
    running.store(running.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (sleeping.load(std::memory_order_relaxed)) [[unlikely]]
      wake();
  }
  void end() {
    running.store(running.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    setAttention(0);
  }
  static void setAttention(int32_t value) {
    std::atomic_ref<int32_t>(triton_cpu_attention).store(value, std::memory_order_relaxed);
  }

private:
  void wake() {
    std::lock_guard lock(mutex);
    if (!isStarted) {
      isStarted = true;
      std::thread([this] { run(); }).detach();
    }
    sleeping.store(false);
    awakened.notify_one();
  }

  void run() {
    sigset_t all; // signals belong to the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pthread_setname_np(pthread_self(), "triton-timer");
    for (unsigned idle = 0;;) {
      if (idle < idleTicks) {
        std::this_thread::sleep_for(tickTime);
      } else {
        std::unique_lock lock(mutex);
        sleeping.store(true);
        awakened.wait_for(lock, longestSleep, [&] { return !sleeping.load() || running.load() != 0; });
        sleeping.store(false);
      }
      idle = running.load() != 0 ? 0 : idle + 1;
      if (idle != 0)
        continue;
      setAttention(1);
      if (running.load() == 0) // The launch has ended and would not reset it.
        setAttention(0);
    }
  }

  std::atomic<unsigned> running = 0; ///< launches that can be interrupted
  std::atomic<bool> sleeping = true; ///< the thread sleeps, or does not exist yet
  std::mutex mutex;                  ///< protects the members below
  std::condition_variable awakened;
  bool isStarted = false;
};

} // namespace

/// Never destroyed, because its thread may run longer than static objects live. A forked child does not have this
/// thread and makes a new one.
static std::atomic<Timer *> processTimer = [] {
  pthread_atfork(nullptr, nullptr, [] { processTimer.store(new Timer()); });
  return new Timer();
}();

InterruptTimer::InterruptTimer() { processTimer.load(std::memory_order_relaxed)->begin(); }
InterruptTimer::~InterruptTimer() { processTimer.load(std::memory_order_relaxed)->end(); }
void InterruptTimer::acknowledge() { Timer::setAttention(0); }
