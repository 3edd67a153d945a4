#include "simulator/core/SharedMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator {

SharedMemory::SharedMemory(std::size_t size, unsigned firstWarp)
    : length(size), bytes(allocateAligned(size, 1024)), shadows(size), firstWarp(firstWarp) {}

void SharedMemory::reset() {
  std::memset(bytes.get(), 0xA5, length);
  std::fill(shadows.begin(), shadows.end(), Shadow());
  reads.clear();
  asynchronousReads.clear();
}

//===--- Accesses of warps ----------------------------------------------------------------------------------------===//

/// The bit that stands for a program's warp among its readers, or 0 for warps of other programs of the cluster.
static uint32_t readerBit(unsigned number, unsigned mostReaders) {
  return number < mostReaders ? uint32_t(1) << number : 0;
}

/// Whether another warp has read the byte since the last write and this warp has not seen that.
bool SharedMemory::readByOther(std::size_t byte, const WarpClock &clock) const {
  const Shadow &shadow = shadows[byte];
  if (shadow.readTime <= clock.leastOfOthers())
    return false;
  if (shadow.manyTimes)
    return llvm::any_of(reads.find(byte)->second, [&](auto read) { return !clock.hasSeen(read.first, read.second); });
  for (uint32_t rest = shadow.readers; rest; rest &= rest - 1)
    if (!clock.hasSeen(firstWarp + unsigned(llvm::countr_zero(rest)), shadow.readTime))
      return true;
  return false;
}

void SharedMemory::addReader(std::size_t byte, const WarpClock &clock) {
  Shadow &shadow = shadows[byte];
  if (uint32_t bit = readerBit(clock.warp() - firstWarp, mostReaders);
      bit != 0 && !shadow.manyTimes && !readByOther(byte, clock)) {
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

SharedMemory::Outcome SharedMemory::recordAccess(std::size_t offset, std::size_t size, AccessKind kind,
                                                 const WarpClock &clock) {
  Outcome outcome = kind.writes && isBeingRead(offset, size, clock) ? Outcome::BeingRead : Outcome::Fine;
  bool atomic = kind.isStrong, replaces = kind.writes && !atomic;
  uint32_t now = clock.now(), bit = readerBit(clock.warp() - firstWarp, mostReaders);
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    bool otherWrote = !clock.hasSeen(shadow.writer, shadow.writeTime) && !(atomic && shadow.writeAtomic);
    if (shadow.beingCopied || (otherWrote && clock.isAgent(shadow.writer)))
      outcome = Outcome::BeingCopied;
    else if (otherWrote || (replaces && readByOther(i, clock)))
      outcome = std::max(outcome, Outcome::Race);
    if (!replaces && shadow.writeTime == 0)
      outcome = std::max(outcome, Outcome::Uninitialized);
    if (!kind.writes) {
      if (shadow.readTime == now && bit != 0 && !shadow.manyTimes)
        shadow.readers |= bit;
      else
        addReader(i, clock);
      continue;
    }
    shadow.writeTime = now;
    shadow.writer = uint16_t(clock.warp());
    shadow.writeAtomic = atomic;
    shadow.isCopied = false;
    if (replaces) { // what is ordered after this write is also ordered after the earlier reads
      shadow.readTime = shadow.readers = 0;
      if (shadow.manyTimes)
        reads.erase(i);
      shadow.manyTimes = false;
    }
  }
  return outcome;
}

SharedMemory::Outcome SharedMemory::beginCopy(std::size_t offset, std::size_t size, const WarpClock &clock) {
  Outcome outcome = isBeingRead(offset, size, clock) ? Outcome::BeingRead : Outcome::Fine;
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    bool otherWrote = !clock.hasSeen(shadow.writer, shadow.writeTime);
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    else if (otherWrote || readByOther(i, clock))
      outcome = std::max(outcome, Outcome::Race);
    shadow.beingCopied = true;
  }
  return outcome;
}

void SharedMemory::endCopy(std::size_t offset, std::size_t size) {
  for (std::size_t i = offset; i < offset + size; ++i)
    shadows[i].beingCopied = false;
}

void SharedMemory::markCopied(std::size_t offset, std::size_t size) {
  for (std::size_t i = offset; i < offset + size; ++i)
    shadows[i].isCopied = true;
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
SharedMemory::Outcome SharedMemory::compareWithProxy(const Shadow &shadow, const WarpClock &clock) {
  if (!clock.hasSeen(shadow.writer, shadow.writeTime))
    return clock.isAgent(shadow.writer) ? Outcome::BeingCopied : Outcome::Race;
  bool isVisible = shadow.isCopied || clock.isVisibleToProxy(shadow.writer, shadow.writeTime);
  return isVisible ? Outcome::Fine : Outcome::NotFenced;
}

SharedMemory::Outcome SharedMemory::writeAsynchronously(std::size_t offset, std::size_t size, Agent agent,
                                                        const WarpClock &clock) {
  Outcome outcome = isBeingRead(offset, size, clock) ? Outcome::BeingRead : Outcome::Fine;
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    outcome = std::max(outcome, compareWithProxy(shadow, clock));
    if (readByOther(i, clock))
      outcome = std::max(outcome, Outcome::Race);
    if (shadow.manyTimes)
      reads.erase(i);
    shadow = Shadow{.writeTime = agent.time, .writer = uint16_t(agent.number)};
  }
  return outcome;
}

SharedMemory::Outcome SharedMemory::readAsynchronously(std::size_t offset, std::size_t size, Agent agent,
                                                       const WarpClock &clock) {
  Outcome outcome = Outcome::Fine;
  const Shadow *previous = nullptr; // bytes that were written together need only one comparison
  for (std::size_t i = offset; i < offset + size; ++i) {
    const Shadow &shadow = shadows[i];
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    if (previous && shadow.writer == previous->writer && shadow.writeTime == previous->writeTime &&
        shadow.isCopied == previous->isCopied)
      continue;
    previous = &shadow;
    outcome = std::max(outcome, compareWithProxy(shadow, clock));
    if (shadow.writeTime == 0)
      outcome = std::max(outcome, Outcome::Uninitialized);
  }
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
