#include "simulator/core/AccessCounter.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace triton::simulator {

static constexpr std::size_t wordBytes = 4, sectorBytes = 32;

static constexpr uint64_t LaunchCounts::*members[] = {
    &LaunchCounts::instructions,     &LaunchCounts::threadInstructions, &LaunchCounts::globalLoadBytes,
    &LaunchCounts::globalStoreBytes, &LaunchCounts::globalSectors,      &LaunchCounts::sharedLoadBytes,
    &LaunchCounts::sharedStoreBytes, &LaunchCounts::sharedWavefronts,   &LaunchCounts::bankConflicts,
    &LaunchCounts::localBytes,       &LaunchCounts::barrierArrivals};

LaunchCounts &LaunchCounts::operator+=(const LaunchCounts &other) {
  for (uint64_t LaunchCounts::*member : members)
    this->*member += other.*member;
  return *this;
}

LaunchCounts &LaunchCounts::operator-=(const LaunchCounts &other) {
  for (uint64_t LaunchCounts::*member : members)
    this->*member -= other.*member;
  return *this;
}

void AccessCounter::noteShared(std::size_t offset, std::size_t bytes, bool writes, bool isAtomic) {
  noteAsynchronousShared(bytes, writes);
  shared.push_back({offset, bytes, isAtomic});
}

void AccessCounter::noteAsynchronousShared(std::size_t bytes, bool writes) {
  (writes ? counts.sharedStoreBytes : counts.sharedLoadBytes) += bytes;
}

void AccessCounter::noteGlobal(uintptr_t address, std::size_t bytes, bool writes) {
  (writes ? counts.globalStoreBytes : counts.globalLoadBytes) += bytes;
  global.push_back({address, bytes, false});
}

/// Lanes are served in their order, as many at a time as ask for the words of one turn.
void AccessCounter::countWavefronts() {
  std::size_t first = 0, asked = 0, turnBytes = banks.of(shared.front().bytes) * wordBytes;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    std::size_t bytes = std::max(shared[i].bytes, wordBytes);
    if (asked + bytes > turnBytes && i > first) {
      endPhase(first, i);
      first = i;
      asked = 0;
    }
    asked += bytes;
  }
  endPhase(first, shared.size());
  shared.clear();
}

/// Each bank gives one word in a turn, to all lanes that ask for it; atomic updates of one word take a turn each.
void AccessCounter::endPhase(std::size_t first, std::size_t last) {
  if (first == last)
    return;
  unsigned count = banks.of(shared[first].bytes);
  llvm::SmallVector<uint64_t, 64> turns(count);
  std::size_t asked = 0, turnBytes = count * wordBytes;
  scratch.clear();
  for (std::size_t i = first; i < last; ++i) {
    const Access &access = shared[i];
    asked += std::max(access.bytes, wordBytes);
    uintptr_t end = (access.address + access.bytes + wordBytes - 1) / wordBytes;
    for (uintptr_t word = access.address / wordBytes; word < end; ++word)
      if (access.isAtomic)
        ++turns[word % count];
      else
        scratch.push_back(word);
  }
  std::sort(scratch.begin(), scratch.end());
  scratch.erase(std::unique(scratch.begin(), scratch.end()), scratch.end());
  for (uintptr_t word : scratch)
    ++turns[word % count];
  uint64_t taken = *std::max_element(turns.begin(), turns.end()), needed = (asked + turnBytes - 1) / turnBytes;
  counts.sharedWavefronts += taken;
  counts.bankConflicts += taken > needed ? taken - needed : 0;
}

void AccessCounter::countSectors() {
  scratch.clear();
  for (const Access &access : global)
    for (uintptr_t sector = access.address / sectorBytes; sector * sectorBytes < access.address + access.bytes;
         ++sector)
      scratch.push_back(sector);
  std::sort(scratch.begin(), scratch.end());
  counts.globalSectors += uint64_t(std::unique(scratch.begin(), scratch.end()) - scratch.begin());
  global.clear();
}

} // namespace triton::simulator
