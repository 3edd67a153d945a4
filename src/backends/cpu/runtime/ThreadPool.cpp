#include "backends/cpu/runtime/ThreadPool.h"

#include "backends/cpu/runtime/CpuRuntimeFunctions.h"
#include "backends/cpu/runtime/DeviceAssert.h"
#include "backends/cpu/runtime/InterruptTimer.h"
#include "backends/cpu/runtime/OpenMpTeam.h"
#include "backends/cpu/runtime/Processors.h"
#include "base/Environment.h"
#include "base/ForkSafeMutex.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

using namespace triton::cpu;
using Clock = std::chrono::steady_clock;

// How long a worker, or a launching thread that waits for workers, spins before it sleeps. Waking a thread costs 5 to
// 50 us.
static constexpr std::chrono::microseconds spinTime(50);
// For how long after a launch the threads of an OpenMP runtime are taken to spin. Their defaults are longer.
static constexpr std::chrono::milliseconds teamSpinTime(1);
// The average number of chunks for each thread: enough to even out uneven programs, and few enough to claim rarely.
static constexpr int64_t chunksPerThread = 8;
// How long programs may run without a look at a clock.
static constexpr std::chrono::milliseconds shortPiece(2);

static inline void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb"); // waits for some tens of cycles; `yield` does nothing on most processors
#else
  std::this_thread::yield();
#endif
}

/// Spins until `done` is true or the spin time is over; returns the last result of `done`.
template <typename Condition> static bool spinUntil(Condition done) {
  Clock::time_point start = Clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (done())
        return true;
      pauseBriefly();
    }
  } while (Clock::now() - start < spinTime);
  return done();
}

namespace {

/// Scratch memory of one thread, kept from launch to launch.
class ScratchArena {
public:
  ~ScratchArena() { std::free(memory); }
  /// Null if there is not enough memory.
  void *get(std::size_t bytes) {
    if (bytes <= capacity)
      return memory;
    std::free(memory);
    // Operands of products are read again and again: huge pages need fewer entries of the translation buffers, and
    // neighbouring lines do not push each other out of the cache.
    std::size_t page = bytes > hugePageBytes / 2 ? hugePageBytes : 4096;
    capacity = llvm::alignTo(bytes, page);
    memory = std::aligned_alloc(page, capacity);
    if (!memory)
      capacity = 0;
    else if (page == hugePageBytes)
      madvise(memory, capacity, MADV_HUGEPAGE);
    return memory;
  }

private:
  static constexpr std::size_t hugePageBytes = 2 << 20;

  void *memory = nullptr;
  std::size_t capacity = 0;
};

} // namespace

namespace {

/// A range while it runs on this thread. It is an AssertScope. Ranges nest, because what a tick runs may launch another
/// kernel.
class RunningRange final : public AssertScope {
public:
  RunningRange(ProgramRange &range, llvm::function_ref<void()> tick)
      : range(range), tick(tick), depth(outer ? static_cast<RunningRange *>(outer)->depth + 1 : 0) {}

  /// Scratch memory that no outer range of this thread uses; null if there is not enough memory.
  void *scratch(std::size_t bytes) const {
    static thread_local ScratchArena outermost;
    if (depth == 0) [[likely]]
      return outermost.get(bytes);
    static thread_local std::deque<ScratchArena> nested; // by depth
    while (nested.size() < depth)
      nested.emplace_back();
    return nested[depth - 1].get(bytes);
  }

  /// Called by a running program. Leaves the program if the range must end.
  static void tickInnermost() {
    auto *innermost = static_cast<RunningRange *>(current);
    if (!innermost)
      return;
    innermost->tick();
    if (innermost->range.failed.load(std::memory_order_relaxed))
      leave();
  }

private:
  ProgramRange &range;
  llvm::function_ref<void()> tick;
  std::size_t depth;
};

} // namespace

void triton_cpu_tick() { RunningRange::tickInnermost(); }

/// Runs programs [from, to) in pieces, which grow until one takes some milliseconds. Short programs therefore need few
/// calls, and long programs end soon after a failure elsewhere. The sanitizer's check of function types is off, because
/// generated code has no type in front of it.
__attribute__((no_sanitize("function"))) static void runInPieces(ProgramRange &range, const RunningRange &running,
                                                                 int64_t from, int64_t to,
                                                                 llvm::function_ref<void()> tick) {
  void *scratch = range.scratchBytes ? running.scratch(range.scratchBytes) : nullptr;
  if (range.scratchBytes && !scratch) {
    if (!range.failed.exchange(true))
      range.failure =
          "cannot allocate " + std::to_string(range.scratchBytes) + " bytes of scratch memory for the kernel";
    return;
  }
  Clock::time_point start,
      lastTick; // set after the first program, so that a launch of one program does not read a clock
  for (int64_t piece = 1; from < to && !range.failed.load(std::memory_order_relaxed);) {
    int64_t end = from + std::min(piece, to - from);
    range.entry(range.arguments, range.grid, from, end, scratch);
    from = end;
    if (from == to)
      return;
    Clock::time_point now = Clock::now();
    if (lastTick == Clock::time_point())
      lastTick = now;
    else if (now - start < shortPiece)
      piece = std::min(4 * piece, to - from);
    start = now;
    if (now - lastTick >= tickTime) {
      tick();
      lastTick = Clock::now();
    }
  }
}

void ProgramRange::run(int64_t from, int64_t to, llvm::function_ref<void()> tick) {
  RunningRange running(*this, tick);
  if (setjmp(running.resume) == 0)
    runInPieces(*this, running, from, to, tick);
  else if (!failed.exchange(true)) // otherwise the program was left because of another failure
    failure = AssertScope::takeMessage();
}

void ProgramRange::runAs(unsigned worker, int64_t from, int64_t to, llvm::function_ref<void()> tick) {
  if (!parts) [[likely]]
    return run(from, to, tick);
  base::CounterSample before;
  if (parts->counters)
    before = parts->counters->sample();
  Clock::time_point start = Clock::now();
  run(from, to, tick);
  int64_t nanoseconds = std::chrono::nanoseconds(Clock::now() - start).count();
  parts->nanoseconds[worker] += nanoseconds;
  if (parts->counters)
    parts->counts[worker].add(before, parts->counters->sample(), nanoseconds);
}

void ProgramRange::stopIfInterrupted() {
  if (!interrupted)
    return;
  InterruptTimer::acknowledge();
  if (wasInterrupted || !interrupted())
    return;
  wasInterrupted = true;
  failed.store(true);
}

ThreadPool::ThreadPool(unsigned workerCount) {
  workers.reserve(workerCount);
  for (unsigned worker = 0; worker < workerCount; ++worker) {
    std::thread &thread = workers.emplace_back([this, worker] { work(worker); });
    // Not by the thread itself, which may not have run before somebody looks at the threads of a busy machine.
    pthread_setname_np(thread.native_handle(), "triton-worker");
  }
}

ThreadPool::ThreadPool(const OpenMpTeam &team, unsigned limit) : team(&team), teamLimit(limit) {}

unsigned ThreadPool::threadCount() const {
  if (team)
    return std::min(teamLimit, team->threadCount());
  const OpenMpTeam *loaded = OpenMpTeam::findLoaded();
  return std::min(unsigned(workers.size()) + 1, loaded ? loaded->threadCount() : ~0U);
}

bool ThreadPool::hasSpinningWorker() const {
  return team ? Clock::now() - lastTeamRun < teamSpinTime : spinning.load(std::memory_order_relaxed) != 0;
}

ThreadPool::~ThreadPool() {
  stopping.store(true, std::memory_order_seq_cst);
  wakeSignal.fetch_add(1, std::memory_order_seq_cst);
  wakeSignal.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

static unsigned defaultThreadCount() {
  const triton::base::Environment environment = triton::base::Environment::read();
  unsigned available = usableProcessors(), limit = environment.cpuMaxThreads;
  // A list has numbers for loops within loops, too. What is not a number is not a limit.
  llvm::StringRef list = environment.openMpThreads;
  if (limit == 0 && list.consumeInteger(10, limit))
    limit = 0;
  return limit ? std::min(limit, available) : available;
}

// Never freed: its threads may still run when static objects are destroyed, and a forked child must not join them.
static std::atomic<ThreadPool *> processPool = nullptr;
static triton::base::ForkSafeMutex processPoolCreation;
static const int poolReset = pthread_atfork(nullptr, nullptr, [] { processPool.store(nullptr); });

ThreadPool &ThreadPool::get() {
  if (const OpenMpTeam *team = OpenMpTeam::find()) {
    static auto *pool = new ThreadPool(*team, defaultThreadCount());
    return *pool;
  }
  if (ThreadPool *pool = processPool.load(std::memory_order_acquire))
    return *pool;
  std::lock_guard lock(processPoolCreation);
  if (ThreadPool *pool = processPool.load(std::memory_order_acquire))
    return *pool;
  auto *pool = new ThreadPool(defaultThreadCount() - 1);
  processPool.store(pool, std::memory_order_release);
  return *pool;
}

bool ThreadPool::tryRun(ProgramRange &newRange, unsigned threads, bool wake, int64_t leastChunk) {
  if (occupied.exchange(true, std::memory_order_acquire))
    return false;
  threads = std::min(threads, threadCount());
  int64_t programs = newRange.end - newRange.begin;
  int64_t wantedChunks = std::min<int64_t>(programs, chunksPerThread * threads);
  range = &newRange;
  chunkSize = std::max((programs + wantedChunks - 1) / wantedChunks, std::min(leastChunk, programs / threads));
  chunkCount = uint32_t((programs + chunkSize - 1) / chunkSize);
  progress.store(0, std::memory_order_relaxed);
  if (newRange.parts)
    newRange.parts->resize(threadCount());
  bool wereAsleep = wake && !hasSpinningWorker();
  Clock::time_point start = Clock::now();
  uint64_t admitted = std::min<uint64_t>(threads - 1, workersMask);
  open.store(++launchNumber << launchShift | admitted << workersShift | chunkCount, std::memory_order_seq_cst);
  if (team) {
    team->run([](void *pool, unsigned thread) { static_cast<ThreadPool *>(pool)->runInTeam(thread); }, this);
    lastTeamRun = Clock::now();
  } else {
    if (wake) {
      wakeSignal.fetch_add(1, std::memory_order_seq_cst);
      wakeTwo();
    }
    runInTeam(0);
  }
  if (wereAsleep && newRange.ownPrograms != 0) {
    // Threads run whole chunks. The last ones need not keep all threads busy.
    int64_t rounds = (int64_t(chunkCount) + threads - 1) / threads, most = std::min(rounds * chunkSize, programs);
    recordWake(nanosecondsSince(start) - newRange.ownNanoseconds / double(newRange.ownPrograms) * double(most));
  }
  occupied.store(false, std::memory_order_release);
  return true;
}

/// The launching thread is admitted whatever the limit is: it counts as worker 0, the pool's threads as 1 and up.
void ThreadPool::runInTeam(unsigned thread) {
  if (thread != 0)
    return runChunks(thread);
  Clock::time_point start = Clock::now();
  runChunks(0);
  range->ownNanoseconds = nanosecondsSince(start);
  waitForWorkers();
}

/// Each worker that wakes up wakes two others while there is work, so that the time until all of them run grows with
/// the logarithm of their number, and the launching thread soon begins with its own share.
void ThreadPool::wakeTwo() {
  wakeSignal.notify_one();
  wakeSignal.notify_one();
}

void ThreadPool::waitForWorkers() {
  if (spinUntil([&] { return chunksDone() == chunkCount; }))
    return;
  for (uint32_t seen = progress.load(std::memory_order_acquire); (seen & remainingMask) != chunkCount;
       seen = progress.load(std::memory_order_acquire)) {
    progress.wait(seen, std::memory_order_acquire);
    range->stopIfInterrupted();
  }
}

/// Claims and runs chunks until none is left.
void ThreadPool::runChunks(unsigned worker) {
  auto tick = [&] {
    if (worker == 0)
      return range->stopIfInterrupted();
    progress.fetch_add(uint32_t(1) << workersShift, std::memory_order_acq_rel);
    progress.notify_one();
  };
  uint64_t word = open.load(std::memory_order_acquire);
  while ((word & remainingMask) != 0 && worker <= (word >> workersShift & workersMask)) {
    if (!open.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    uint32_t count = chunkCount;
    int64_t from = range->begin + int64_t(count - (word & remainingMask)) * chunkSize;
    int64_t to = std::min(from + chunkSize, range->end);
    range->runAs(worker, from, to, tick);
    if (worker == 0)
      range->ownPrograms += to - from;
    // The launch may end, and the next one begin, as soon as the last chunk is counted.
    if (((progress.fetch_add(1, std::memory_order_acq_rel) + 1) & remainingMask) == count)
      progress.notify_one();
    word = open.load(std::memory_order_acquire);
  }
}

/// Mixes a measurement into the average: how much longer a launch took than its work did on that many threads. It is
/// the median of three, because the system may stop a thread for as long as many launches take.
void ThreadPool::recordWake(double nanoseconds) {
  auto [oldest, older] = latestWakes;
  latestWakes = {older, nanoseconds};
  double median = std::max(std::min(oldest, older), std::min(std::max(oldest, older), nanoseconds));
  double previous = wakeNanoseconds.load(std::memory_order_relaxed), latest = std::max(1.0, median);
  wakeNanoseconds.store(previous == 0 ? latest : 0.75 * previous + 0.25 * latest, std::memory_order_relaxed);
}

/// Nothing is measured while the answer is no. The average therefore shrinks a little each time, until it is yes again.
bool ThreadPool::paysToWake(double nanoseconds, unsigned threads) {
  double expected = wakeNanoseconds.load(std::memory_order_relaxed);
  if (nanoseconds - nanoseconds / threads >= expected)
    return true;
  wakeNanoseconds.store(0.98 * expected, std::memory_order_relaxed);
  return false;
}

static void pinToProcessor(unsigned worker) {
  std::vector<int> processors = allowedProcessors();
  if (worker >= processors.size())
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processors[worker], &set);
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

void ThreadPool::work(unsigned index) {
  unsigned worker = index + 1;
  // Signals belong to the program's own threads, except those that a crash raises. If these were blocked, they would
  // end the process without the report of the program's handler.
  sigset_t blocked;
  sigfillset(&blocked);
  for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&blocked, crash);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  if (triton::base::Environment::read().cpuPinWorkers)
    pinToProcessor(worker);
  auto hasWork = [&] {
    uint64_t word = open.load(std::memory_order_acquire);
    return (word & remainingMask) != 0 && worker <= (word >> workersShift & workersMask);
  };
  while (!stopping.load(std::memory_order_relaxed)) {
    uint32_t signal = wakeSignal.load(std::memory_order_seq_cst);
    runChunks(worker);
    spinning.fetch_add(1, std::memory_order_relaxed);
    bool found = spinUntil(hasWork);
    spinning.fetch_sub(1, std::memory_order_relaxed);
    if (found)
      continue;
    wakeSignal.wait(signal, std::memory_order_seq_cst);
    if ((open.load(std::memory_order_acquire) & remainingMask) != 0)
      wakeTwo();
  }
}
