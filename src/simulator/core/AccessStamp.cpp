#include "simulator/core/AccessStamp.h"

namespace triton::simulator {

void AccessSets::clear() {
  sets.clear();
  merged.clear();
  lastMerged = {};
}

static bool raise(ClusterClocks &clocks, uint64_t stamp) {
  return clocks.raise(AccessStamp::program(stamp), AccessStamp::warp(stamp), AccessStamp::time(stamp));
}

uint64_t AccessSets::merge(uint64_t first, uint64_t second, const void *place) {
  if (AccessStamp::isSet(first)) {
    Set &set = sets[AccessStamp::numberOfSet(first)];
    if (set.owner == place)
      return AccessStamp::thread(first) | (add(set, second) ? AccessStamp::kind(second) : 0) |
             AccessStamp::bytes(second);
  }
  Pair pair(AccessStamp::thread(first), AccessStamp::thread(second));
  if (pair == lastMerged.first)
    share(lastMerged.second);
  else
    lastMerged = {pair, mergeNew(pair, place)};
  return lastMerged.second | AccessStamp::bytes(second);
}

/// Adds an access to the set of one place. From then on, no other place finds this set. Returns whether the set had not
/// contained the access.
bool AccessSets::add(Set &set, uint64_t stamp) {
  if (set.isAsMerged) {
    merged.erase(set.origin);
    if (lastMerged.first == set.origin)
      lastMerged = {};
    set.isAsMerged = false;
  }
  return raise(set.clocks, stamp);
}

/// Another place has this stamp from now on.
uint64_t AccessSets::share(uint64_t stamp) {
  if (AccessStamp::isSet(stamp))
    sets[AccessStamp::numberOfSet(stamp)].owner = nullptr;
  return stamp;
}

uint64_t AccessSets::mergeNew(Pair pair, const void *place) {
  auto [first, second] = pair;
  auto [found, isNew] = merged.try_emplace(pair, 0);
  if (!isNew)
    return share(found->second);
  Set all{.clocks = {}, .origin = pair, .owner = place};
  if (AccessStamp::isSet(first))
    all.clocks = clocks(first);
  else
    raise(all.clocks, first);
  bool isMore = raise(all.clocks, second);
  if (AccessStamp::isSet(first) && !isMore) {
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
