#include "simulator/core/AccessStamp.h"

#include "llvm/ADT/SmallVector.h"

namespace triton::simulator {

void AccessSets::clear() {
  sets.clear();
  merged.clear();
  lastMerged = {};
}

ClusterClocks AccessSets::clocksOf(uint64_t stamp) const {
  if (AccessStamp::isSet(stamp))
    return clocks(stamp);
  llvm::SmallVector<uint32_t, 8> times(AccessStamp::warp(stamp) + 1);
  times.back() = AccessStamp::time(stamp);
  return {AccessStamp::program(stamp), times};
}

uint64_t AccessSets::merge(uint64_t first, uint64_t second) {
  std::pair key(AccessStamp::thread(first), AccessStamp::thread(second));
  if (key != lastMerged.first)
    lastMerged = {key, mergeNew(key.first, key.second)};
  return lastMerged.second | AccessStamp::bytes(second);
}

uint64_t AccessSets::mergeNew(uint64_t first, uint64_t second) {
  auto [found, isNew] = merged.try_emplace({first, second}, 0);
  if (!isNew)
    return found->second;
  ClusterClocks earlier = clocksOf(first), all = earlier.join(clocksOf(second));
  if (AccessStamp::isSet(first) && all.isSame(earlier)) {
    found->second = first;
  } else if (sets.size() == mostSets) {
    merged.erase(found);
    return second;
  } else {
    found->second = AccessStamp::packSet(sets.size()) | AccessStamp::kind(first | second);
    sets.push_back(std::move(all));
  }
  return found->second;
}

} // namespace triton::simulator
