#include "simulator/core/Launch.h"

#include "simulator/core/RunningProgram.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace triton::simulator {

namespace {

/// Runs programs of the grid on one host thread, one after the other. A program that waits for what another may do is
/// put aside, as a GPU would let others run beside it.
class Worker {
public:
  Worker(LaunchState &launch, llvm::ArrayRef<uint64_t> arguments) : launch(launch), arguments(arguments) {}

  /// `next` gives the programs in order, and none at the end.
  void run(llvm::function_ref<std::optional<uint64_t>()> next) {
    while (std::optional<uint64_t> id = next()) {
      std::unique_ptr<RunningProgram> program = takeIdle();
      program->start(*id, arguments);
      if (advance(*program))
        idle.push_back(std::move(program));
      else
        waiting.push_back(std::move(program));
      if (launch.givenUp)
        return;
      if (waiting.size() == mostWaiting && !wake())
        return reportDeadlock();
    }
    while (!waiting.empty())
      if (!wake())
        return reportDeadlock();
  }

  uint64_t laneInstructions = 0;
  std::vector<std::pair<uint64_t, std::string>> printed; ///< by program

private:
  /// As many as the multiprocessors of a large GPU: programs that rely on more to run at once would hang on some GPUs.
  static constexpr std::size_t mostWaiting = 132;

  std::unique_ptr<RunningProgram> takeIdle() {
    if (idle.empty())
      return std::make_unique<RunningProgram>(launch);
    return idle.pop_back_val();
  }

  /// Lets a program run as far as it can; whether it has ended.
  bool advance(RunningProgram &program) {
    uint64_t before = program.changes();
    bool ended = program.advance() == RunningProgram::Outcome::Ended;
    changes += program.changes() - before;
    if (!ended)
      return false;
    laneInstructions += program.laneInstructions();
    if (std::string text = program.takePrinted(); !text.empty())
      printed.push_back({program.id(), std::move(text)});
    return true;
  }

  /// Gives each program that waits a turn; whether one ended or changed memory.
  bool wake() {
    uint64_t before = changes;
    bool anyEnded = false;
    std::vector<std::unique_ptr<RunningProgram>> woken;
    woken.swap(waiting);
    for (std::unique_ptr<RunningProgram> &program : woken) {
      bool ended = advance(*program);
      anyEnded |= ended;
      if (ended)
        idle.push_back(std::move(program));
      else
        waiting.push_back(std::move(program));
    }
    return anyEnded || changes != before;
  }

  void reportDeadlock() {
    if (launch.givenUp) // then no program has gone on
      return;
    for (std::unique_ptr<RunningProgram> &program : waiting)
      program->reportDeadlock();
  }

  LaunchState &launch;
  llvm::ArrayRef<uint64_t> arguments;
  llvm::SmallVector<std::unique_ptr<RunningProgram>, 1> idle;
  std::vector<std::unique_ptr<RunningProgram>> waiting;
  uint64_t changes = 0; ///< of global memory, by all programs
};

/// Threads that all do the same work.
class Crew {
public:
  Crew(unsigned count, llvm::function_ref<void()> work) : working(count) {
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back([this, work] {
        work();
        std::lock_guard lock(mutex);
        if (--working == 0)
          done.notify_one();
      });
  }
  ~Crew() {
    for (std::thread &thread : threads)
      thread.join();
  }
  /// Whether all threads have ended within this time.
  bool waitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return done.wait_for(lock, time, [&] { return working == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable done;
  unsigned working;
  std::vector<std::thread> threads;
};

} // namespace

static constexpr std::chrono::milliseconds timeBetweenQuestions(10);

/// Runs all programs on `hostThreads` threads and returns the lane-instructions executed.
static uint64_t runPrograms(LaunchState &state, llvm::ArrayRef<uint64_t> arguments, unsigned hostThreads,
                            std::string &printed) {
  const auto &grid = state.configuration.grid;
  uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
  state.memory.begin(state.program.hasGlobalAtomics ? ProgramOrder::Synchronized
                     : hostThreads == 1             ? ProgramOrder::Sequential
                                                    : ProgramOrder::Concurrent,
                     programs);
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  uint64_t laneInstructions = 0;
  std::map<uint64_t, std::string> texts;
  auto work = [&] {
    Worker worker(state, arguments);
    worker.run([&]() -> std::optional<uint64_t> {
      uint64_t id = next.fetch_add(1);
      return id < programs ? std::optional(id) : std::nullopt;
    });
    std::lock_guard lock(mutex);
    laneInstructions += worker.laneInstructions;
    texts.insert(std::make_move_iterator(worker.printed.begin()), std::make_move_iterator(worker.printed.end()));
  };
  if (state.configuration.interrupted) {
    // The launching thread does no work of its own, so that it can ask at any time.
    Crew crew(hostThreads, work);
    while (!crew.waitFor(timeBetweenQuestions))
      if (!state.givenUp)
        state.givenUp = state.configuration.interrupted();
  } else {
    Crew others(hostThreads - 1, work);
    work();
  }
  printed.clear();
  for (const auto &[id, text] : texts)
    printed += text;
  return laneInstructions;
}

LaunchResult launch(const Program &program, const LaunchConfiguration &configuration,
                    llvm::ArrayRef<uint64_t> arguments, std::vector<Allocation> allocations) {
  GlobalMemory memory(std::move(allocations));
  Report report;
  LaunchState state{program, configuration, memory, report, false};
  uint64_t programs = uint64_t(configuration.grid[0]) * configuration.grid[1] * configuration.grid[2];
  unsigned hostThreads = configuration.hostThreads ? configuration.hostThreads : std::thread::hardware_concurrency();
  if (program.hasGlobalAtomics)
    hostThreads = 1;
  hostThreads = unsigned(std::max<uint64_t>(1, std::min<uint64_t>(hostThreads, programs)));

  std::vector<std::vector<std::byte>> contents;
  if (hostThreads > 1)
    contents = memory.save();
  std::string printed;
  uint64_t laneInstructions = runPrograms(state, arguments, hostThreads, printed);
  if (!state.givenUp && hostThreads > 1 && (report.has(FindingKind::GlobalRace) || report.has(FindingKind::Deadlock))) {
    memory.restore(contents);
    report.clear();
    laneInstructions = runPrograms(state, arguments, 1, printed);
  }
  if (configuration.print)
    configuration.print(printed);
  else
    (llvm::outs() << printed).flush();
  return {report.findings(), laneInstructions, state.givenUp};
}

} // namespace triton::simulator
