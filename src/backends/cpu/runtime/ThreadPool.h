// The threads that run the programs of a grid beside the launching thread. A process has one pool of its own, which is
// made on first use, and one whose threads are those of an OpenMP runtime that the process uses.
#pragma once

#include "backends/cpu/runtime/CpuLaunch.h"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace triton::cpu {

class OpenMpTeam;

/// The programs [begin, end) of one launch, and their outcome.
struct ProgramRange {
  CpuEntry entry = nullptr;
  const void *arguments = nullptr;
  const int32_t *grid = nullptr;
  std::size_t scratchBytes = 0;
  int64_t begin = 0, end = 0;

  /// What the launching thread ran of a shared launch, without the time that it waited for others.
  int64_t ownPrograms = 0;
  double ownNanoseconds = 0;

  base::InterruptCheck interrupted = nullptr;
  ThreadParts *parts = nullptr; ///< null: nobody wants to know; otherwise each thread adds to its own element

  std::atomic<bool> failed =
      false;                   ///< a device_assert failed or an interrupt came, so that the other programs need not run
  std::string failure;         ///< its message; written by the thread that set `failed`
  bool wasInterrupted = false; ///< written by the launching thread

  /// Runs programs [from, to) on this thread until one fails anywhere. Meanwhile it calls `tick` about every 50 ms
  /// between programs, and inside of programs when triton_cpu_attention asks for it.
  void run(int64_t from, int64_t to, llvm::function_ref<void()> tick);
  /// The same as thread number `worker`, which notes what it took.
  void runAs(unsigned worker, int64_t from, int64_t to, llvm::function_ref<void()> tick);
  /// Calls `interrupted`, on the launching thread.
  void stopIfInterrupted();
};

inline double nanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

class ThreadPool {
public:
  /// The pool for launches of the calling thread. A forked child gets a new one, because threads do not survive a fork.
  static ThreadPool &get();

  /// Threads that can run programs, the launching one included. No more than an OpenMP runtime would give this thread.
  unsigned threadCount() const;
  /// Whether a worker would start at once, without a system call to wake it.
  bool hasSpinningWorker() const;

  /// Whether this much work is done sooner if sleeping workers are woken, as far as earlier launches show.
  bool paysToWake(double nanoseconds, unsigned threads);

  /// Runs the range on the calling thread and up to `threads` - 1 workers; `wake` also wakes sleeping ones. Threads
  /// take `leastChunk` programs at a time or more, unless there would be too few chunks for all of them. If another
  /// thread's launch uses the pool, does nothing and returns false.
  bool tryRun(ProgramRange &range, unsigned threads, bool wake, int64_t leastChunk = 1);

  explicit ThreadPool(unsigned workerCount);
  /// A pool without threads of its own. A launch takes no more than `limit` of the team's.
  ThreadPool(const OpenMpTeam &team, unsigned limit);
  /// Stops the workers. The process pool is never destroyed.
  ~ThreadPool();

private:
  // The open launch as one word, so that a compare-exchange claims a chunk and a late worker of an earlier launch
  // cannot claim anything: bits 63-40 launch number, 39-24 workers admitted, 23-0 chunks left.
  static constexpr uint64_t remainingMask = (uint64_t(1) << 24) - 1;
  static constexpr unsigned workersShift = 24, launchShift = 40;
  static constexpr uint64_t workersMask = 0xFFFF;

  uint32_t chunksDone() const { return progress.load(std::memory_order_acquire) & uint32_t(remainingMask); }
  void wakeTwo();
  void waitForWorkers();
  void work(unsigned worker);
  void runChunks(unsigned worker);
  void runInTeam(unsigned thread);
  void recordWake(double nanoseconds);

  std::vector<std::thread> workers;
  const OpenMpTeam *team = nullptr; ///< null: the workers are this pool's own
  unsigned teamLimit = 0;
  std::chrono::steady_clock::time_point lastTeamRun;
  std::atomic<double> wakeNanoseconds = 0; ///< that launches took longer for waking workers; 0: not known
  std::array<double, 2> latestWakes = {};  ///< measurements, the older one first; of who occupies the pool
  std::atomic<bool> occupied = false;      ///< by a launch; its thread may try to launch again during an interrupt

  alignas(64) std::atomic<uint64_t> open = 0;
  // Fields of the open launch. They are read only after a successful claim, which keeps the launch alive.
  ProgramRange *range = nullptr;
  int64_t chunkSize = 0;
  uint32_t chunkCount = 0;
  uint64_t launchNumber = 0;

  /// Bits 23-0 count the chunks that are done. In the bits above, workers count time in ticks of about 50 ms: each
  /// change wakes the launching thread if it waits for the last chunks, so that it can check for an interrupt.
  alignas(64) std::atomic<uint32_t> progress = 0;
  alignas(64) std::atomic<uint32_t> wakeSignal = 0; ///< on which workers sleep
  std::atomic<uint32_t> spinning = 0;
  std::atomic<bool> stopping = false;
};

} // namespace triton::cpu
