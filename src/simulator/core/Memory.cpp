#include "simulator/core/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace triton::simulator {

GlobalMemory::GlobalMemory(std::vector<Allocation> given) : allocations(std::move(given)) {
  std::sort(allocations.begin(), allocations.end(),
            [](const Allocation &a, const Allocation &b) { return a.begin < b.begin; });
  shadows.resize(allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    shadows[i].words = (allocations[i].size + 2 * granule) / granule;
    shadows[i].writer = std::make_unique<std::atomic<uint64_t>[]>(shadows[i].words);
    shadows[i].reader = std::make_unique<std::atomic<uint64_t>[]>(shadows[i].words);
  }
}

void GlobalMemory::begin(ProgramOrder newOrder, uint64_t programs) {
  order = newOrder;
  usedAtomics.assign(order == ProgramOrder::Synchronized ? programs : 0, false);
  if (!std::exchange(dirty, true)) // as new
    return;
  for (Shadow &shadow : shadows) {
    shadow.byByte.clear();
    for (std::size_t i = 0; i < shadow.words; ++i) {
      shadow.writer[i].store(0, std::memory_order_relaxed);
      shadow.reader[i].store(0, std::memory_order_relaxed);
    }
  }
}

std::vector<std::vector<std::byte>> GlobalMemory::save() const {
  std::vector<std::vector<std::byte>> contents;
  for (const Allocation &allocation : allocations) {
    auto *first = reinterpret_cast<const std::byte *>(allocation.begin);
    contents.emplace_back();
    if (allocation.live)
      contents.back().assign(first, first + allocation.size);
  }
  return contents;
}

void GlobalMemory::restore(const std::vector<std::vector<std::byte>> &contents) {
  for (std::size_t i = 0; i < allocations.size(); ++i)
    if (!contents[i].empty())
      std::memcpy(reinterpret_cast<void *>(allocations[i].begin), contents[i].data(), contents[i].size());
}

const Allocation *GlobalMemory::find(uintptr_t address, std::size_t size) const {
  auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                [](uintptr_t value, const Allocation &a) { return value < a.begin; });
  // Views of one buffer overlap: any of those that start before the address may hold it.
  while (after != allocations.begin()) {
    --after;
    uintptr_t offset = address - after->begin;
    if (offset <= after->size && size <= after->size - offset)
      return &*after;
  }
  return nullptr;
}

const Allocation *GlobalMemory::nearest(uintptr_t address) const {
  const Allocation *best = nullptr;
  uintptr_t bestDistance = 0;
  for (const Allocation &allocation : allocations) {
    uintptr_t end = allocation.begin + allocation.size;
    uintptr_t distance = address < allocation.begin ? allocation.begin - address : address >= end ? address - end : 0;
    if (!best || distance < bestDistance) {
      best = &allocation;
      bestDistance = distance;
    }
  }
  return best;
}

/// Whether two accesses of one launch are unordered: other programs unless both used atomics, the same program within
/// one interval between barriers when the warps differ.
bool GlobalMemory::unordered(uint64_t earlier, uint64_t now) const {
  if (earlier == 0)
    return false;
  if (AccessStamp::thread(earlier) == AccessStamp::severalPrograms)
    return true;
  uint64_t first = AccessStamp::program(earlier), second = AccessStamp::program(now);
  if (first != second)
    return usedAtomics.empty() || !usedAtomics[first] || !usedAtomics[second];
  return AccessStamp::warp(earlier) != AccessStamp::warp(now) && AccessStamp::epoch(earlier) == AccessStamp::epoch(now);
}

/// Who read a place, after one more reader of the same bytes.
uint64_t GlobalMemory::mergeReaders(uint64_t earlier, uint64_t now) const {
  if (earlier == 0 || order == ProgramOrder::Synchronized)
    return now;
  uint64_t bytes = AccessStamp::bytes(now);
  if (AccessStamp::thread(earlier) == AccessStamp::severalPrograms ||
      AccessStamp::program(earlier) != AccessStamp::program(now))
    return AccessStamp::severalPrograms | bytes;
  if (AccessStamp::epoch(earlier) != AccessStamp::epoch(now) || AccessStamp::warp(earlier) == AccessStamp::warp(now))
    return now;
  return AccessStamp::pack(AccessStamp::program(now), AccessStamp::severalWarps, AccessStamp::epoch(now)) | bytes;
}

/// Of two host threads that write one word, or write the reader's and read the writer's, at least one sees the other's
/// stamp: no race between programs is missed.
bool GlobalMemory::recordConcurrently(Shadow &shadow, std::size_t index, AccessKind kind, uint64_t stamp) const {
  stamp |= AccessStamp::allBytes;
  std::atomic<uint64_t> &writer = shadow.writer[index], &reader = shadow.reader[index];
  if (kind == AccessKind::Write) {
    bool race = unordered(writer.exchange(stamp), stamp);
    return unordered(reader.load(), stamp) || race;
  }
  uint64_t readers = reader.load(std::memory_order_relaxed), merged = mergeReaders(readers, stamp);
  if (merged != readers) {
    readers = reader.exchange(merged);
    if (uint64_t all = mergeReaders(readers, stamp); all != merged) // another program read in between
      reader.exchange(all);
  }
  return unordered(writer.load(), stamp);
}

/// One thread alone needs no locked instructions. `stamp` is about the bytes accessed.
bool GlobalMemory::recordInOrder(Shadow &shadow, std::size_t index, AccessKind kind, uint64_t stamp) const {
  constexpr auto relaxed = std::memory_order_relaxed;
  uint64_t writer = shadow.writer[index].load(relaxed), reader = shadow.reader[index].load(relaxed);
  uint64_t &own = kind == AccessKind::Write ? writer : reader;
  // A stamp serves for all bytes that it is about: those must not be touched by several threads in part.
  bool sameThread = AccessStamp::thread(own) == AccessStamp::thread(stamp);
  bool covers = kind == AccessKind::Write ? (AccessStamp::bytes(own) & ~AccessStamp::bytes(stamp)) == 0
                                          : AccessStamp::bytes(own) == AccessStamp::bytes(stamp);
  if (writer == AccessStamp::byByte || (own != 0 && !sameThread && !covers))
    return recordByByte(shadow, index, kind, stamp);
  bool race = (AccessStamp::bytes(writer) & AccessStamp::bytes(stamp)) != 0 && unordered(writer, stamp);
  if (kind == AccessKind::Write)
    race |= (AccessStamp::bytes(reader) & AccessStamp::bytes(stamp)) != 0 && unordered(reader, stamp);
  if (sameThread)
    own |= stamp;
  else
    own = kind == AccessKind::Write ? stamp : mergeReaders(own, stamp);
  (kind == AccessKind::Write ? shadow.writer : shadow.reader)[index].store(own, relaxed);
  return race;
}

bool GlobalMemory::recordByByte(Shadow &shadow, std::size_t index, AccessKind kind, uint64_t stamp) const {
  auto [found, inserted] = shadow.byByte.try_emplace(index);
  ByteStamps &stamps = found->second;
  if (inserted) {
    uint64_t writer = shadow.writer[index].exchange(AccessStamp::byByte), reader = shadow.reader[index].load();
    for (unsigned byte = 0; byte < granule; ++byte) {
      stamps.writer[byte] = (writer >> byte) & 1 ? AccessStamp::thread(writer) : 0;
      stamps.reader[byte] = (reader >> byte) & 1 ? AccessStamp::thread(reader) : 0;
    }
  }
  bool race = false;
  uint64_t thread = AccessStamp::thread(stamp);
  for (unsigned byte = 0; byte < granule; ++byte) {
    if (!((stamp >> byte) & 1))
      continue;
    race |= unordered(stamps.writer[byte], thread);
    if (kind == AccessKind::Write) {
      race |= unordered(stamps.reader[byte], thread);
      stamps.writer[byte] = thread;
    } else {
      stamps.reader[byte] = mergeReaders(stamps.reader[byte], thread);
    }
  }
  return race;
}

bool GlobalMemory::recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind,
                                uint64_t stamp) {
  // Atomic operations order themselves against each other, and kernels use them to order plain accesses (locks, split
  // sums); what they touch is left out.
  if (kind == AccessKind::Atomic) {
    usedAtomics[AccessStamp::program(stamp)] = true;
    return false;
  }
  Shadow &shadow = shadows[&allocation - allocations.data()];
  uintptr_t offset = address - allocation.begin, end = offset + size;
  bool race = false;
  for (std::size_t i = offset / granule; i * granule < end; ++i) {
    if (order == ProgramOrder::Concurrent) {
      race |= recordConcurrently(shadow, i, kind, stamp);
      continue;
    }
    uint64_t bytes = AccessStamp::allBytes;
    if (i * granule < offset)
      bytes &= AccessStamp::allBytes << (offset - i * granule);
    if (end < (i + 1) * granule)
      bytes &= AccessStamp::allBytes >> ((i + 1) * granule - end);
    race |= recordInOrder(shadow, i, kind, stamp | bytes);
  }
  return race;
}

void SharedMemory::Free::operator()(std::byte *pointer) const { std::free(pointer); }

SharedMemory::SharedMemory(std::size_t size)
    : length(size), bytes(static_cast<std::byte *>(std::aligned_alloc(1024, (size + 1024) / 1024 * 1024))),
      shadows(size) {}

void SharedMemory::reset() {
  std::memset(bytes.get(), 0xA5, length);
  std::fill(shadows.begin(), shadows.end(), Shadow());
}

SharedMemory::Outcome SharedMemory::recordAccess(std::size_t offset, std::size_t size, AccessKind kind, unsigned warp,
                                                 uint32_t epoch) {
  Outcome outcome = Outcome::Fine;
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    bool atomic = kind == AccessKind::Atomic;
    bool otherWrote = shadow.writtenByOther(warp, epoch) && !(atomic && shadow.writeAtomic);
    bool otherRead = shadow.readByOther(warp, epoch);
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    else if ((otherWrote || (kind == AccessKind::Write && otherRead)) && outcome != Outcome::BeingCopied)
      outcome = Outcome::Race;
    if (kind != AccessKind::Write && shadow.writeEpoch == 0 && outcome == Outcome::Fine)
      outcome = Outcome::Uninitialized;
    if (kind == AccessKind::Read) {
      shadow.manyReaders = otherRead;
      shadow.readEpoch = epoch + 1;
      shadow.reader = warp;
    } else {
      shadow.writeEpoch = epoch + 1;
      shadow.writer = warp;
      shadow.writeAtomic = atomic;
    }
  }
  return outcome;
}

SharedMemory::Outcome SharedMemory::beginCopy(std::size_t offset, std::size_t size, unsigned warp, uint32_t epoch) {
  Outcome outcome = Outcome::Fine;
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    else if ((shadow.writtenByOther(warp, epoch) || shadow.readByOther(warp, epoch)) && outcome == Outcome::Fine)
      outcome = Outcome::Race;
    shadow.beingCopied = true;
  }
  return outcome;
}

void SharedMemory::endCopy(std::size_t offset, std::size_t size) {
  for (std::size_t i = offset; i < offset + size; ++i)
    shadows[i].beingCopied = false;
}

} // namespace triton::simulator
