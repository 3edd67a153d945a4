#include "simulator/core/WarpGroup.h"

#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {

WarpGroup::WarpGroup(unsigned number, unsigned members, unsigned warps, unsigned agent)
    : Barrier("the products of warps " + std::to_string(size * number) + " to " +
                  std::to_string(size * number + members - 1),
              warps),
      agent(agent), number(number), members(members) {}

std::optional<WarpGroup::Step> WarpGroup::execute(const Warp &warp, const Step &step) {
  uint64_t place = counts[warp.index % size]++;
  std::optional<Step> other;
  if (place - first == steps.size())
    steps.push_back(step);
  else if (const Step &known = steps[place - first]; known != step)
    other = known;
  for (; !steps.empty() && llvm::all_of(counts, [&](uint64_t count) { return count > first; }); ++first)
    steps.pop_front();
  return other;
}

bool WarpGroup::isComplete() const {
  // If all members have ended, nobody waits any more.
  auto present = llvm::ArrayRef(committed).take_front(members);
  return llvm::all_of(present, [&](uint64_t count) { return count > phase(); }) &&
         llvm::any_of(present, [](uint64_t count) { return count != UINT64_MAX; });
}

void WarpGroup::commit(const Warp &warp) {
  ++committed[warp.index % size];
  endCompletePhase();
}

void WarpGroup::memberEnded(const Warp &warp) {
  committed[warp.index % size] = UINT64_MAX;
  while (isComplete())
    endCompletePhase();
}

void WarpGroup::reportMissing(Warp &last) const {
  if (steps.empty() || members != size)
    return;
  auto missing = llvm::count_if(counts, [&](uint64_t count) { return count <= first; });
  last.report(FindingKind::DivergentWarpGroup, steps.front().instruction->location, 0,
              llvm::formatv("{0} of the 4 warps of the group have ended without it", missing).str());
}

std::string WarpGroup::describe() const {
  std::string text;
  for (unsigned i = 0; i < members; ++i)
    if (committed[i] <= phase())
      text += (text.empty() ? "warp " : ", warp ") + std::to_string(size * number + i);
  return text + llvm::formatv(" has not committed the group of products number {0}", phase() + 1).str();
}

} // namespace triton::simulator
