#include "simulator/core/SharedMemory.h"

#include "simulator/core/HostVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace triton::simulator {

SharedMemory::SharedMemory(std::size_t size, unsigned firstWarp)
    : length(size), bytes(allocateAligned(size, 1024)), shadows(size / granule + 1), firstWarp(firstWarp) {}

void SharedMemory::reset() {
  std::memset(bytes.get(), 0xA5, length);
  std::fill(shadows.begin(), shadows.end(), Shadow());
  reads.clear();
  asynchronousReads.clear();
}

//===--- Shadows --------------------------------------------------------------------------------------------------===//

/// Calls `body(shadow, first byte)` for the shadows of a range, which it may change.
template <typename Body> void SharedMemory::forEachShadow(std::size_t offset, std::size_t size, Body body) {
  const bool byBytes = isPlain();
  for (std::size_t end = offset + size; offset < end;) {
    std::size_t number = offset / granule, endOfGranule = (number + 1) * granule;
    Shadow &shadow = shadows[number];
    if (!shadow.isSplit && offset % granule == 0 && endOfGranule <= end && !byBytes) {
      body(shadow, offset);
      offset = endOfGranule;
      continue;
    }
    if (!shadow.isSplit)
      split(number);
    for (std::size_t last = std::min(endOfGranule, end); offset < last;) {
      Shadow &first = shadowsOfBytes[offset];
      const Shadow before = first;
      body(first, offset);
      // Bytes whose shadows are the same have the same outcome.
      bool isWhole = !before.manyTimes && !first.manyTimes && !byBytes;
      for (++offset; isWhole && offset < last && isSame(shadowsOfBytes[offset], before); ++offset)
        shadowsOfBytes[offset] = first;
    }
    if (offset == endOfGranule && !byBytes)
      merge(number);
  }
}

bool SharedMemory::isSame(const Shadow &a, const Shadow &b) {
  static_assert(std::has_unique_object_representations_v<Shadow>);
  return std::memcmp(&a, &b, sizeof(Shadow)) == 0;
}

void SharedMemory::split(std::size_t number) {
  if (!shadowsOfBytes)
    shadowsOfBytes.reset(new Shadow[shadows.size() * granule]);
  Shadow &shadow = shadows[number];
  std::size_t first = number * granule;
  std::fill_n(&shadowsOfBytes[first], granule, shadow);
  if (shadow.manyTimes) {
    Reads all = reads[first];
    for (std::size_t i = first + 1; i < first + granule; ++i)
      reads[i] = all;
  }
  shadow.isSplit = true;
}

/// Gives the bytes of a granule one shadow again if they have the same.
void SharedMemory::merge(std::size_t number) {
  const Shadow *own = &shadowsOfBytes[number * granule];
  if (!own->manyTimes && std::memcmp(own, own + 1, (granule - 1) * sizeof(Shadow)) == 0)
    shadows[number] = *own;
}

//===--- Accesses of warps ----------------------------------------------------------------------------------------===//

/// The bit that stands for a program's warp among its readers, or 0 for warps of other programs of the cluster.
static uint32_t readerBit(unsigned number, unsigned mostReaders) {
  return number < mostReaders ? uint32_t(1) << number : 0;
}

/// Whether another warp has read the byte since the last write and this warp has not seen that.
bool SharedMemory::readByOther(const Shadow &shadow, std::size_t byte, const WarpClock &clock) const {
  if (shadow.readTime <= clock.leastOfOthers())
    return false;
  if (shadow.manyTimes)
    return llvm::any_of(reads.find(byte)->second, [&](auto read) { return !clock.hasSeen(read.first, read.second); });
  for (uint32_t rest = shadow.readers; rest; rest &= rest - 1)
    if (!clock.hasSeen(firstWarp + unsigned(llvm::countr_zero(rest)), shadow.readTime))
      return true;
  return false;
}

void SharedMemory::addReader(Shadow &shadow, std::size_t byte, const WarpClock &clock) {
  if (uint32_t bit = readerBit(clock.warp() - firstWarp, mostReaders);
      bit != 0 && !shadow.manyTimes && !readByOther(shadow, byte, clock)) {
    shadow.readTime = clock.now();
    shadow.readers = bit;
    return;
  }
  Reads &all = reads[byte];
  if (!shadow.manyTimes)
    for (uint32_t rest = shadow.readers; rest; rest &= rest - 1)
      all.push_back({firstWarp + unsigned(llvm::countr_zero(rest)), shadow.readTime});
  shadow.manyTimes = true;
  llvm::erase_if(all, [&](auto read) { return clock.hasSeen(read.first, read.second); });
  all.push_back({clock.warp(), clock.now()});
  shadow.readTime = std::max(shadow.readTime, clock.now());
}

SharedMemory::Outcome SharedMemory::compare(const Shadow &shadow, std::size_t byte, AccessKind kind,
                                            const WarpClock &clock) const {
  bool atomic = kind.isStrong, replaces = kind.writes && !atomic;
  bool otherWrote = !clock.hasSeen(shadow.writer, shadow.writeTime) && !(atomic && shadow.writeAtomic);
  if (shadow.beingCopied || (otherWrote && clock.isAgent(shadow.writer)))
    return Outcome::BeingCopied;
  if (otherWrote || (replaces && readByOther(shadow, byte, clock)))
    return Outcome::Race;
  return !replaces && shadow.writeTime == 0 ? Outcome::Uninitialized : Outcome::Fine;
}

void SharedMemory::record(Shadow &shadow, std::size_t byte, AccessKind kind, const WarpClock &clock) {
  if (!kind.writes) {
    uint32_t bit = readerBit(clock.warp() - firstWarp, mostReaders);
    if (shadow.readTime == clock.now() && bit != 0 && !shadow.manyTimes)
      shadow.readers |= bit;
    else
      addReader(shadow, byte, clock);
    return;
  }
  shadow.writeTime = clock.now();
  shadow.writer = uint16_t(clock.warp());
  shadow.writeAtomic = kind.isStrong;
  shadow.isCopied = false;
  if (kind.isStrong)
    return;
  // What is ordered after this write is also ordered after the earlier reads.
  shadow.readTime = shadow.readers = 0;
  if (shadow.manyTimes)
    reads.erase(byte);
  shadow.manyTimes = false;
}

SharedMemory::Outcome SharedMemory::recordAccess(std::size_t offset, std::size_t size, AccessKind kind,
                                                 const WarpClock &clock) {
  Outcome outcome = kind.writes && isBeingRead(offset, size, clock) ? Outcome::BeingRead : Outcome::Fine;
  forEachShadow(offset, size, [&](Shadow &shadow, std::size_t byte) {
    outcome = std::max(outcome, compare(shadow, byte, kind, clock));
    record(shadow, byte, kind, clock);
  });
  return outcome;
}

bool SharedMemory::recordIfFine(std::size_t offset, std::size_t size, AccessKind kind, const WarpClock &clock) {
  bool isFine = true;
  if (!kind.writes) { // a read that is recorded twice changes nothing
    forEachShadow(offset, size, [&](Shadow &shadow, std::size_t byte) {
      isFine &= compare(shadow, byte, kind, clock) == Outcome::Fine;
      record(shadow, byte, kind, clock);
    });
    return isFine;
  }
  if (isBeingRead(offset, size, clock))
    return false;
  forEachShadow(offset, size, [&](Shadow &shadow, std::size_t byte) {
    isFine = isFine && compare(shadow, byte, kind, clock) == Outcome::Fine;
  });
  if (isFine)
    forEachShadow(offset, size, [&](Shadow &shadow, std::size_t byte) { record(shadow, byte, kind, clock); });
  return isFine;
}

SharedMemory::Outcome SharedMemory::beginCopy(std::size_t offset, std::size_t size, const WarpClock &clock) {
  Outcome outcome = isBeingRead(offset, size, clock) ? Outcome::BeingRead : Outcome::Fine;
  forEachShadow(offset, size, [&](Shadow &shadow, std::size_t byte) {
    bool otherWrote = !clock.hasSeen(shadow.writer, shadow.writeTime);
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    else if (otherWrote || readByOther(shadow, byte, clock))
      outcome = std::max(outcome, Outcome::Race);
    shadow.beingCopied = true;
  });
  return outcome;
}

void SharedMemory::endCopy(std::size_t offset, std::size_t size) {
  forEachShadow(offset, size, [](Shadow &shadow, std::size_t) { shadow.beingCopied = false; });
}

void SharedMemory::markCopied(std::size_t offset, std::size_t size) {
  forEachShadow(offset, size, [](Shadow &shadow, std::size_t) { shadow.isCopied = true; });
}

//===--- Asynchronous operations ----------------------------------------------------------------------------------===//

/// Whether an agent is reading these bytes, as far as the warp knows.
bool SharedMemory::isBeingRead(std::size_t offset, std::size_t size, const WarpClock &clock) const {
  if (asynchronousReads.empty())
    return false;
  for (std::size_t i = offset / granule; i * granule < offset + size; ++i)
    if (llvm::any_of(asynchronousReads[i], [&](Agent agent) { return !clock.hasSeen(agent.number, agent.time); }))
      return true;
  return false;
}

/// Compares an asynchronous operation that a warp starts with the last write.
SharedMemory::Outcome SharedMemory::compareWithProxy(const Shadow &shadow, const WarpClock &clock, bool needsFence) {
  if (!clock.hasSeen(shadow.writer, shadow.writeTime))
    return clock.isAgent(shadow.writer) ? Outcome::BeingCopied : Outcome::Race;
  bool isVisible = !needsFence || shadow.isCopied || clock.isVisibleToProxy(shadow.writer, shadow.writeTime);
  return isVisible ? Outcome::Fine : Outcome::NotFenced;
}

SharedMemory::Outcome SharedMemory::writeAsynchronously(std::size_t offset, std::size_t size, Agent agent,
                                                        const WarpClock &clock, bool needsFence) {
  Outcome outcome = isBeingRead(offset, size, clock) ? Outcome::BeingRead : Outcome::Fine;
  forEachShadow(offset, size, [&](Shadow &shadow, std::size_t byte) {
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    outcome = std::max(outcome, compareWithProxy(shadow, clock, needsFence));
    if (readByOther(shadow, byte, clock))
      outcome = std::max(outcome, Outcome::Race);
    if (shadow.manyTimes)
      reads.erase(byte);
    shadow = Shadow{.writeTime = agent.time, .writer = uint16_t(agent.number)};
  });
  return outcome;
}

SharedMemory::Outcome SharedMemory::readAsynchronously(std::size_t offset, std::size_t size, Agent agent,
                                                       const WarpClock &clock) {
  Outcome outcome = Outcome::Fine;
  forEachShadow(offset, size, [&](const Shadow &shadow, std::size_t) {
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    outcome = std::max(outcome, compareWithProxy(shadow, clock, /*needsFence=*/true));
    if (shadow.writeTime == 0)
      outcome = std::max(outcome, Outcome::Uninitialized);
  });
  if (asynchronousReads.empty())
    asynchronousReads.resize(length / granule + 1);
  for (std::size_t i = offset / granule; i * granule < offset + size; ++i) {
    auto &agents = asynchronousReads[i];
    auto known = llvm::find_if(agents, [&](Agent other) { return other.number == agent.number; });
    if (known == agents.end())
      agents.push_back(agent);
    else
      known->time = std::max(known->time, agent.time);
  }
  return outcome;
}

} // namespace triton::simulator
