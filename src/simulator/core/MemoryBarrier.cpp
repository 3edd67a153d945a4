#include "simulator/core/MemoryBarrier.h"

#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <set>

namespace triton::simulator {

MemoryBarrier::MemoryBarrier(std::size_t offset, uint32_t arrivals, const Warp &warp, unsigned warps, unsigned agent)
    : Barrier("the mbarrier at shared byte " + std::to_string(offset), warps), number(agent),
      initializer(warp.clock.warp()), initializedAt(warp.clock.now()), expected(arrivals), pending(arrivals) {}

void MemoryBarrier::fenceInitialization(const Warp &warp) { isFenced |= warp.clock.warp() == initializer; }

bool MemoryBarrier::isKnownTo(const Warp &warp) const { return warp.clock.hasSeen(initializer, initializedAt); }

bool MemoryBarrier::isVisibleToProxy(const Warp &warp) const {
  return isFenced || warp.clock.isVisibleToProxy(initializer, initializedAt);
}

MemoryBarrier::Token MemoryBarrier::arrive(Warp &warp, unsigned lane, uint32_t count, bool drops, bool releases,
                                           uint32_t location) {
  Token token{phase(), pending};
  if (count > pending)
    warp.report(FindingKind::BarrierMisuse, location, lane,
                llvm::formatv("{0} arrivals at {1}, where {2} of {3} are missing in this phase", count, name(), pending,
                              expected)
                    .str());
  pending -= std::min(count, pending);
  if (drops)
    expected -= std::min(count, expected);
  Barrier::arrive(warp, location, releases);
  return token;
}

void MemoryBarrier::expectBytes(int64_t count) {
  bytes += count;
  endCompletePhase();
}

void MemoryBarrier::completeBytes(Warp &warp, int64_t count, uint32_t location) {
  gathered.raise(number, agent().time);
  time = std::max(time, warp.time.copy(uint64_t(std::max<int64_t>(count, 0)), location));
  int64_t tooMany = bytes > 0 && pending == 0 ? count - bytes : 0;
  if (tooMany <= 0) {
    bytes -= count;
    return endCompletePhase();
  }
  warp.report(FindingKind::BarrierMisuse, location, warp.firstLane(),
              llvm::formatv("a copy of {0} bytes ends at {1}, which waits for {2} bytes: the phase ends too early",
                            count, name(), bytes)
                  .str());
  bytes = 0;
  endCompletePhase();
  bytes = -tooMany;
}

void MemoryBarrier::arriveFor(Warp &warp, Agent agent, uint32_t location) {
  // What the warp waited for before it started the work has happened, too; its own accesses are not released.
  unsigned self = warp.clock.warp();
  uint32_t released = std::max(gathered[self], warp.clock.now() - 1);
  warp.clock.ofAgent(agent.number, agent.time).release(gathered);
  gathered[self] = released;
  time = std::max(time, warp.time.productsEnd());
  if (pending == 0)
    return warp.report(
        FindingKind::BarrierMisuse, location, warp.firstLane(),
        llvm::formatv("an arrival at {0}, where none of {1} is missing in this phase", name(), expected).str());
  --pending;
  endCompletePhase();
}

void MemoryBarrier::complete() {
  llvm::erase_if(waiters,
                 [&](Warp *warp) { return warp->status != Warp::Status::Waiting || warp->awaited.barrier != this; });
  for (Warp *warp : waiters)
    if (warp->awaited.phase < phase())
      warp->report(
          FindingKind::BarrierMisuse, warp->awaited.location, warp->firstLane(),
          llvm::formatv("the warp waits for phase {0} of {1}, which has ended, and phase {2} ends before the warp goes "
                        "on: its parity is that of a phase that has not ended",
                        warp->awaited.phase, name(), phase())
              .str());
  pending = expected;
}

std::string MemoryBarrier::describe() const {
  std::string text =
      llvm::formatv("phase {0} of {1} waits for {2} of {3} arrivals", phase(), name(), pending, expected);
  if (bytes != 0)
    text += llvm::formatv(" and for {0} bytes", bytes).str();
  std::map<std::string, std::set<unsigned>> places;
  for (const Warp *warp : waiters)
    if (warp->status == Warp::Status::Waiting && warp->awaited.barrier == this)
      places[warp->describeLocation(warp->awaited.location)].insert(warp->clock.warp());
  for (const auto &[place, warps] : places) {
    llvm::SmallVector<unsigned> sorted(warps.begin(), warps.end());
    text += ", and " + namesOfWarps(sorted) + (sorted.size() == 1 ? " waits" : " wait") + " for it in " + place;
  }
  return text;
}

} // namespace triton::simulator
