#include "simulator/core/Barrier.h"

#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace triton::simulator {

Barrier::Phase Barrier::arrive(Warp &warp, uint32_t location, bool releases, Scope scope) {
  Phase phase = current;
  if (releases)
    warp.clock.release(gathered);
  else
    gathered.join(warp.clock.cluster(), warp.synchronization.lastReleased(scope));
  arrivals.push_back({&warp, location, warp.firstLane()});
  time = std::max(time, warp.time.now());
  endCompletePhase();
  return phase;
}

void Barrier::endCompletePhase() {
  if (!isComplete())
    return;
  complete();
  released[current % 2] = gathered;
  releasedInAll[current % 2] = {};
  ends[current % 2] = time;
  arrivals.clear();
  ++current;
}

/// The place of the instruction that the warp executes, or at which it waits.
static uint32_t presentLocation(const Warp &warp) {
  return warp.status == Warp::Status::Waiting ? warp.awaited.location : warp.next[-1].location;
}

void Barrier::leave(Warp &warp, Phase phase, bool acquires) const {
  warp.time.reach(ends[phase % 2], presentLocation(warp));
  const VectorClock &clock = released[phase % 2];
  if (acquires)
    return warp.clock.acquire(clock);
  ClusterClocks &all = releasedInAll[phase % 2];
  if (all.isEmpty())
    all = clock.otherClusters().join(ClusterClocks(warp.clock.cluster(), clock.times()));
  warp.synchronization.find(all);
}

//===--- Barriers that count warps ------------------------------------------------------------------------------===//

unsigned WarpBarrier::numberOf(const Warp &warp) const {
  return group == Group::Program ? warp.index : warp.clock.warp();
}

Barrier::Phase WarpBarrier::arrive(Warp &warp, std::optional<unsigned> count, uint32_t location, bool releases) {
  if (!arrivals.empty() && count != expected) {
    auto words = [](std::optional<unsigned> number) {
      return number ? llvm::formatv("{0}", *number).str() : std::string("all");
    };
    warp.report(
        FindingKind::DivergentBarrier, location, warp.firstLane(),
        llvm::formatv("{0} warps are to meet at {1}, where others wait for {2}", words(count), name(), words(expected))
            .str());
  }
  expected = count;
  return Barrier::arrive(warp, location, releases, group == Group::Program ? Scope::Program : Scope::Device);
}

bool WarpBarrier::isComplete() const {
  return !arrivals.empty() && arrivals.size() >= expected.value_or(members - unsigned(ended.size()));
}

void WarpBarrier::complete() {
  if (expected)
    return;
  // Nobody has to wait for what was done by a warp for which the barrier does not wait.
  for (const Warp *warp : ended)
    gathered[warp->clock.warp()] = VectorClock::everything;
  if (group != Group::Program || ended.empty())
    return;
  for (const Arrival &arrival : arrivals)
    arrival.warp->report(
        FindingKind::DivergentBarrier, arrival.location, arrival.lane,
        llvm::formatv("{0} of {1} warps of the program have ended and never reach it", ended.size(), members).str());
}

void WarpBarrier::memberEnded(const Warp &warp) {
  ended.push_back(&warp);
  endCompletePhase();
}

std::string namesOfWarps(llvm::ArrayRef<unsigned> sorted) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1)
      ++last;
    if (last < i + 2) // a range has at least three
      last = i;
    parts.push_back(last == i ? std::to_string(sorted[i]) : llvm::formatv("{0} to {1}", sorted[i], sorted[last]).str());
    i = last + 1;
  }
  std::string text = parts.size() == 1 && sorted.size() == 1 ? "warp " : "warps ";
  for (auto [i, part] : llvm::enumerate(parts))
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + part;
  return text;
}

/// "warp 2 has", "warps 0 to 3 and 5 have".
static std::string listOfWarps(llvm::ArrayRef<unsigned> sorted) {
  return namesOfWarps(sorted) + (sorted.size() == 1 ? " has" : " have");
}

std::string WarpBarrier::describe() const {
  std::vector<unsigned> here, gone, elsewhere;
  for (const Arrival &arrival : arrivals)
    here.push_back(numberOf(*arrival.warp));
  for (const Warp *warp : ended)
    gone.push_back(numberOf(*warp));
  for (unsigned warp = 0; warp < members; ++warp)
    if (!llvm::is_contained(here, warp) && !llvm::is_contained(gone, warp))
      elsewhere.push_back(warp);
  llvm::sort(here);
  llvm::sort(gone);
  std::string text = here.empty() ? "nobody has arrived at " + name() : listOfWarps(here) + " arrived at " + name();
  if (expected)
    text += llvm::formatv(", where {0} are to meet", *expected);
  if (!elsewhere.empty())
    text += ", " + listOfWarps(elsewhere) + " not";
  if (!gone.empty())
    text += ", " + listOfWarps(gone) + " ended";
  return text;
}

} // namespace triton::simulator
