#include "simulator/core/Launch.h"

#include "simulator/core/BothWays.h"
#include "simulator/core/Handlers.h"
#include "simulator/core/RacingReads.h"
#include "simulator/core/Worker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace triton::simulator {

namespace {

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

/// What programs that run beside each other may report although a run in order does not.
static constexpr FindingKind uncertainKinds[] = {FindingKind::GlobalRace, FindingKind::MissingProxyFence,
                                                 FindingKind::Deadlock};

/// The contents of larger arrays are not kept only to find the other sides of races, or what divisions by zero decide.
static constexpr std::size_t mostBytesKept = std::size_t(64) << 20;

static uint64_t volume(const std::array<uint32_t, 3> &box) { return uint64_t(box[0]) * box[1] * box[2]; }
static uint64_t programCount(const LaunchConfiguration &configuration) { return volume(configuration.grid); }
uint64_t clusterCount(const LaunchConfiguration &configuration) {
  return programCount(configuration) / volume(configuration.cluster);
}

/// The cluster that runs as number `index` in one of the orders: as they are numbered, backwards, or scattered.
static uint64_t clusterInOrder(uint64_t index, uint64_t clusters, unsigned order) {
  if (order == 0)
    return index;
  if (order == 1)
    return clusters - 1 - index;
  constexpr uint64_t spread = 0x9E3779B97F4A7C15;
  uint64_t factor = (spread >> (order % 32)) % clusters;
  while (std::gcd(factor, clusters) != 1) // then no two have the same number
    ++factor;
  return uint64_t((static_cast<unsigned __int128>(factor) * index + order) % clusters);
}

/// Runs all programs on `hostThreads` threads.
static Work runPrograms(LaunchState &state, unsigned hostThreads, std::string &printed) {
  uint64_t clusters = clusterCount(state.configuration);
  bool isPartial = state.program.hasStrongAccesses || state.program.hasPartialBarriers ||
                   clusters != programCount(state.configuration);
  state.memory.begin(state.program.hasStrongAccesses ? ProgramOrder::Synchronized
                     : hostThreads == 1              ? ProgramOrder::Sequential
                                                     : ProgramOrder::Concurrent,
                     isPartial);
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  Work done;
  std::map<uint64_t, std::string> texts;
  auto work = [&] {
    Worker worker;
    worker.run([&]() -> std::optional<NextCluster> {
      uint64_t id = next.fetch_add(1);
      if (id >= clusters)
        return std::nullopt;
      return NextCluster{&state, clusterInOrder(id, clusters, state.order)};
    });
    std::lock_guard lock(mutex);
    done.laneInstructions += worker.work.laneInstructions;
    done.counts += worker.work.counts;
    for (PrintedText &printed : worker.printed)
      texts.emplace(printed.program, std::move(printed.text));
  };
  if (state.configuration.interrupted) {
    // The launching thread runs no programs, so that it can ask at any time.
    Crew crew(hostThreads, work);
    while (!crew.waitFor(timeBetweenQuestions))
      if (!state.isInterrupted && state.configuration.interrupted())
        state.isInterrupted = state.givenUp = true;
  } else {
    Crew others(hostThreads - 1, work);
    work();
  }
  printed.clear();
  for (const auto &[id, text] : texts)
    printed += text;
  return done;
}

bool LaunchState::isParameter(uintptr_t address, std::size_t size) const {
  auto hidden = reinterpret_cast<uintptr_t>(hiddenArguments.data());
  if (isInside(address, size, hidden, hiddenArguments.size()))
    return true;
  return llvm::any_of(llvm::zip_equal(program.parameters, arguments), [&](auto pair) {
    auto [parameter, argument] = pair;
    return isInside(address, size, argument, parameter.structBytes);
  });
}

/// How long programs wait for one another depends on their order, and so may every time that they store.
static bool readsTime(const Program &program) {
  return llvm::any_of(program.instructions,
                      [](const DecodedInstruction &instruction) { return instruction.execute == timeHandler(); });
}

namespace {
using Contents = std::vector<std::vector<std::byte>>;

/// Runs a launch again, from the same contents, to see what decides its results and what its findings mean. Leaves the
/// arrays as the launch has left them.
class Repetitions {
public:
  /// `laneInstructions`: of the launch.
  Repetitions(LaunchState &state, const Contents &start, uint64_t laneInstructions)
      : state(state), start(start), laneInstructions(laneInstructions), divisions(state.divisionsByZero.findings()),
        firstFindings(state.report.findings()) {}
  ~Repetitions() {
    if (results)
      state.memory.restore(*results);
  }

  /// Leaves out races within a program between reads and writes, of which the reads decide nothing.
  void dropHarmlessRaces(std::vector<Finding> &findings) {
    if (llvm::none_of(findings, isWithinProgram))
      return;
    RacingReads reads(state.program);
    run(&reads);
    if (!reads.isComplete())
      return;
    std::set<SourceLocation> harmless;
    for (const Finding &finding : findings)
      if (isWithinProgram(finding))
        harmless.merge(reads.readsThatRaceAt(finding.location));
    expectedText = text;
    if (decide(reads, harmless, findings)) {
      std::erase_if(harmless, [&](const SourceLocation &place) { return decide(reads, {place}, findings); });
      if (!harmless.empty() && decide(reads, harmless, findings))
        harmless.clear(); // They decide only together.
    }
    llvm::erase_if(findings, [&](const Finding &finding) {
      std::set<SourceLocation> racing;
      if (isWithinProgram(finding))
        racing = reads.readsThatRaceAt(finding.location);
      return !racing.empty() && llvm::all_of(racing, [&](auto &place) { return harmless.contains(place); });
    });
  }

  /// Lets races say who the others were.
  void findOtherSides(std::vector<Finding> &findings) {
    RaceWatch watch(state.program, findings);
    if (watch.isEmpty())
      return;
    run(&watch);
    watch.complete();
  }

  /// What divisions by zero gave, if results depend on it.
  std::vector<Finding> divisionsThatDecide() {
    if (divisions.empty())
      return {};
    state.variesDivisions = true;
    run();
    state.variesDivisions = false;
    return hasChanged(firstFindings) ? divisions : std::vector<Finding>();
  }

  /// What happens in other orders of the programs, if it differs. Results that may contain times are not compared.
  std::vector<Finding> orderDependence() {
    bool compares = !readsTime(state.program);
    for (state.order = 1; state.order < state.configuration.orders && !state.givenUp; ++state.order) {
      run();
      std::optional<uintptr_t> address = compares ? state.memory.firstDifference(*results) : std::nullopt;
      std::vector<Finding> findings = state.report.findings();
      dropHarmlessRaces(findings);
      for (Finding &finding : findings)
        finding.detail += "; this happens if the programs run in another order";
      if (!findings.empty())
        return findings;
      if (address)
        return {describeWrite(*address)};
    }
    return {};
  }

private:
  static bool isWithinProgram(const Finding &finding) { return finding.access.isWithinProgram; }

  void run(AccessWatch *watch = nullptr) {
    if (!results)
      results = state.memory.save();
    state.memory.restore(start);
    state.report.clear();
    text.clear();
    state.watch = watch;
    runPrograms(state, 1, text);
    state.watch = nullptr;
  }

  /// Whether the last run has other results than the launch, or other findings than these.
  bool hasChanged(const std::vector<Finding> &findings) const {
    auto isSame = [](const Finding &a, const Finding &b) { return a.location == b.location && a.kind == b.kind; };
    std::vector<Finding> now = state.report.findings();
    return !std::equal(now.begin(), now.end(), findings.begin(), findings.end(), isSame) ||
           state.memory.firstDifference(*results);
  }

  /// Whether results or findings become others if the racing reads at these places read other values. The launch may
  /// then run much longer, too.
  bool decide(const RacingReads &reads, const std::set<SourceLocation> &places, const std::vector<Finding> &findings) {
    VariedReads varied(state.program, reads, places);
    state.mostInstructions = 2 * laneInstructions + (uint64_t(1) << 24);
    run(&varied);
    state.mostInstructions = 0;
    if (!std::exchange(state.isTooLong, false))
      return hasChanged(findings) || (text != expectedText && !readsTime(state.program));
    state.givenUp = state.isInterrupted;
    return true;
  }

  /// A finding about the byte, which has become another one, where it is written last.
  Finding describeWrite(uintptr_t address) {
    WriteWatch watch(state.program, address);
    state.order = 0;
    run(&watch);
    Finding finding = watch.last;
    const Allocation *array = state.memory.find(address, 1);
    finding.kind = FindingKind::OrderDependence;
    finding.detail = llvm::formatv("byte {0} of `{1}` is another one if the programs run in another order",
                                   address - array->begin, array->name)
                         .str();
    return finding;
  }

  LaunchState &state;
  const Contents &start;
  std::optional<Contents> results; ///< saved before the first repetition
  uint64_t laneInstructions;
  std::vector<Finding> divisions, firstFindings;
  std::string text, expectedText; ///< what the last run has printed, and what runs print that vary nothing
};
} // namespace

LaunchResult launch(const Program &program, LaunchConfiguration configuration, llvm::ArrayRef<uint64_t> arguments,
                    std::vector<Allocation> allocations) {
  if (runsBothWays() && !configuration.map)
    return launchBothWays(program, std::move(configuration), arguments, std::move(allocations));
  return launchOneWay(program, std::move(configuration), arguments, std::move(allocations));
}

LaunchResult launchOneWay(const Program &program, LaunchConfiguration configuration, llvm::ArrayRef<uint64_t> arguments,
                          std::vector<Allocation> allocations) {
  configuration.cluster = program.requiredCluster.value_or(configuration.cluster);
  GlobalMemory memory(std::move(allocations));
  Report report, unwrittenReads, divisionsByZero;
  LaunchState state{program, configuration, memory, report, unwrittenReads, divisionsByZero, arguments};
  state.reachable = ReachableMemory::ofPlaces(program, configuration.parameters);
  if (program.hiddenArguments)
    state.hiddenArguments = program.hiddenArguments(configuration);
  unsigned hostThreads = configuration.hostThreads ? configuration.hostThreads : std::thread::hardware_concurrency();
  if (program.hasStrongAccesses || configuration.map)
    hostThreads = 1;
  hostThreads = unsigned(std::max<uint64_t>(1, std::min<uint64_t>(hostThreads, clusterCount(configuration))));

  bool mayRunAgain =
      hostThreads > 1 || configuration.orders > 1 || (!configuration.map && memory.bytes() <= mostBytesKept);
  Contents contents;
  if (mayRunAgain)
    contents = memory.save();
  std::string printed;
  Work done = runPrograms(state, hostThreads, printed);
  if (!state.givenUp && hostThreads > 1 &&
      llvm::any_of(uncertainKinds, [&](FindingKind kind) { return report.has(kind); })) {
    memory.restore(contents);
    report.clear();
    unwrittenReads.clear();
    done = runPrograms(state, 1, printed);
  }
  std::vector<Finding> findings = report.findings(), unwritten = unwrittenReads.findings();
  if (mayRunAgain && !state.givenUp) {
    Repetitions repetitions(state, contents, done.laneInstructions);
    repetitions.dropHarmlessRaces(findings);
    repetitions.findOtherSides(findings);
    if (findings.empty())
      findings = repetitions.divisionsThatDecide();
    if (findings.empty())
      findings = repetitions.orderDependence();
  }
  if (configuration.print)
    configuration.print(printed);
  else
    (llvm::outs() << printed).flush();
  return {std::move(findings), std::move(unwritten), done.laneInstructions, done.counts, state.isInterrupted};
}

} // namespace triton::simulator
