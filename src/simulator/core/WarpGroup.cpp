#include "simulator/core/WarpGroup.h"

#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {

std::optional<WarpGroup::Step> WarpGroup::execute(const Warp &warp, const Step &step) {
  uint64_t number = counts[warp.index % size]++;
  std::optional<Step> other;
  if (number - first == steps.size())
    steps.push_back(step);
  else if (const Step &known = steps[number - first]; known != step)
    other = known;
  for (; !steps.empty() && llvm::all_of(counts, [&](uint64_t count) { return count > first; }); ++first)
    steps.pop_front();
  return other;
}

void WarpGroup::end(Warp &last) const {
  if (steps.empty())
    return;
  auto missing = llvm::count_if(counts, [&](uint64_t count) { return count <= first; });
  last.report(FindingKind::DivergentWarpGroup, steps.front().instruction->location, 0,
              llvm::formatv("{0} of the 4 warps of the group have ended without it", missing).str());
}

} // namespace triton::simulator
