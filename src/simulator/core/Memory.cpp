#include "simulator/core/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include <malloc.h>

namespace triton::simulator {

namespace {
/// Keeps the memory of ended launches for the next ones: launches follow one another, and touching memory that is new
/// costs more than recording accesses in it.
class StampPool {
public:
  uint64_t *take(std::size_t count) {
    {
      std::lock_guard lock(mutex);
      auto fitting = llvm::find_if(kept, [&](const Block &block) { return block.fits(count); });
      if (fitting != kept.end()) {
        uint64_t *stamps = fitting->stamps;
        keptCount -= fitting->count;
        kept.erase(fitting);
        std::fill_n(stamps, count, 0);
        return stamps;
      }
    }
    auto *stamps = static_cast<uint64_t *>(std::calloc(count, sizeof(uint64_t)));
    if (!stamps)
      llvm::report_bad_alloc_error("no memory for the record of a simulated launch's accesses");
    return stamps;
  }
  void give(uint64_t *stamps) {
    std::size_t count = malloc_usable_size(stamps) / sizeof(uint64_t);
    std::lock_guard lock(mutex);
    if (keptCount + count > mostKept)
      return std::free(stamps);
    kept.push_back({stamps, count});
    keptCount += count;
  }

private:
  static constexpr std::size_t mostKept = std::size_t(8) << 20; ///< 64 MiB
  struct Block {
    uint64_t *stamps;
    std::size_t count;
    bool fits(std::size_t needed) const { return needed <= count && count <= 2 * needed; }
  };
  std::mutex mutex;
  std::vector<Block> kept;
  std::size_t keptCount = 0;
};
} // namespace

static StampPool &stampPool() {
  static auto *pool = new StampPool; // as long as there may be launches
  return *pool;
}

void GlobalMemory::Free::operator()(uint64_t *pointer) const { stampPool().give(pointer); }

/// Zeros.
GlobalMemory::Stamps GlobalMemory::allocateStamps(std::size_t count) { return Stamps(stampPool().take(count)); }

GlobalMemory::GlobalMemory(std::vector<Allocation> given) : allocations(std::move(given)) {
  std::sort(allocations.begin(), allocations.end(),
            [](const Allocation &a, const Allocation &b) { return a.begin < b.begin; });
  shadows.resize(allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    shadows[i].words = (allocations[i].size + 2 * granule) / granule;
    shadows[i].writer = allocateStamps(shadows[i].words);
    shadows[i].reader = allocateStamps(shadows[i].words);
  }
}

void GlobalMemory::begin(ProgramOrder newOrder, uint64_t programs, bool newIsPartial) {
  order = newOrder;
  isPartial = newIsPartial;
  usedAtomics.assign(order == ProgramOrder::Synchronized ? programs : 0, false);
  if (!std::exchange(dirty, true)) // as new
    return;
  for (Shadow &shadow : shadows) {
    shadow.byByte.clear();
    std::fill_n(shadow.writer.get(), shadow.words, 0);
    std::fill_n(shadow.reader.get(), shadow.words, 0);
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

static bool isSameProgram(uint64_t first, uint64_t second) {
  return AccessStamp::thread(first) != AccessStamp::severalPrograms &&
         AccessStamp::program(first) == AccessStamp::program(second);
}

/// Whether an access and an earlier one are unordered: those of other programs unless both used atomics, those of the
/// same program unless the warp has seen the earlier one. Of several warps it must have seen what all others did: where
/// they only meet all together, that is no more than it needs.
bool GlobalMemory::unordered(uint64_t earlier, uint64_t now, const WarpClock &clock) const {
  if (earlier == 0)
    return false;
  if (AccessStamp::thread(earlier) == AccessStamp::severalPrograms)
    return true;
  uint64_t first = AccessStamp::program(earlier), second = AccessStamp::program(now);
  if (first != second)
    return usedAtomics.empty() || !usedAtomics[first] || !usedAtomics[second];
  unsigned warp = AccessStamp::warp(earlier);
  return warp == AccessStamp::severalWarps ? AccessStamp::time(earlier) > clock.leastOfOthers()
                                           : !clock.hasSeen(warp, AccessStamp::time(earlier));
}

/// Who read a place, after one more reader of the same bytes.
uint64_t GlobalMemory::mergeReaders(uint64_t earlier, uint64_t now, const WarpClock &clock) const {
  if (earlier == 0)
    return now;
  if (!isSameProgram(earlier, now))
    return order == ProgramOrder::Synchronized ? now : AccessStamp::severalPrograms | AccessStamp::bytes(now);
  if (!unordered(earlier, now, clock))
    return now;
  uint32_t time = std::max(AccessStamp::time(earlier), AccessStamp::time(now));
  return AccessStamp::pack(AccessStamp::program(now), AccessStamp::severalWarps, time) | AccessStamp::bytes(now);
}

/// The same where the readers of one program are kept one by one.
void GlobalMemory::addReader(llvm::SmallVectorImpl<uint64_t> &readers, uint64_t now, const WarpClock &clock) const {
  if (!isPartial || readers.empty() || !isSameProgram(readers.front(), now)) {
    readers.assign(1, mergeReaders(readers.empty() ? 0 : readers.front(), now, clock));
    return;
  }
  llvm::erase_if(readers, [&](uint64_t earlier) { return !unordered(earlier, now, clock); });
  readers.push_back(now);
}

/// Of two host threads that write one word, or write the reader's and read the writer's, at least one sees the other's
/// stamp: no race between programs is missed.
bool GlobalMemory::recordConcurrently(Shadow &shadow, std::size_t index, AccessKind kind, uint64_t stamp,
                                      const WarpClock &clock) const {
  stamp |= AccessStamp::allBytes;
  std::atomic_ref<uint64_t> writer(shadow.writer[index]), reader(shadow.reader[index]);
  if (kind == AccessKind::Write) {
    bool race = unordered(writer.exchange(stamp), stamp, clock);
    return unordered(reader.load(), stamp, clock) || race;
  }
  uint64_t readers = reader.load(std::memory_order_relaxed), merged = mergeReaders(readers, stamp, clock);
  if (merged != readers) {
    readers = reader.exchange(merged);
    if (uint64_t all = mergeReaders(readers, stamp, clock); all != merged) // another program read in between
      reader.exchange(all);
  }
  return unordered(writer.load(), stamp, clock);
}

/// One thread alone needs no locked instructions. The stamp is about the bytes accessed.
bool GlobalMemory::recordInOrder(Shadow &shadow, std::size_t index, AccessKind kind, uint64_t stamp,
                                 const WarpClock &clock) const {
  uint64_t writer = shadow.writer[index], reader = shadow.reader[index];
  bool isWrite = kind == AccessKind::Write;
  uint64_t &own = isWrite ? writer : reader;
  // A stamp serves for all bytes that it is about: those must not be touched by several threads in part.
  bool sameThread = AccessStamp::thread(own) == AccessStamp::thread(stamp);
  bool covers = isWrite ? (AccessStamp::bytes(own) & ~AccessStamp::bytes(stamp)) == 0
                        : AccessStamp::bytes(own) == AccessStamp::bytes(stamp);
  // Nor does one stamp serve for readers of which a warp may have seen some.
  bool severalReaders = isPartial && !isWrite && own != 0 && isSameProgram(own, stamp) && unordered(own, stamp, clock);
  if (writer == AccessStamp::byByte || severalReaders || (own != 0 && !sameThread && !covers))
    return recordByByte(shadow, index, kind, stamp, clock);
  bool race = (AccessStamp::bytes(writer) & AccessStamp::bytes(stamp)) != 0 && unordered(writer, stamp, clock);
  if (isWrite)
    race |= (AccessStamp::bytes(reader) & AccessStamp::bytes(stamp)) != 0 && unordered(reader, stamp, clock);
  if (sameThread)
    own |= stamp;
  else
    own = isWrite ? stamp : mergeReaders(own, stamp, clock);
  (isWrite ? shadow.writer : shadow.reader)[index] = own;
  return race;
}

bool GlobalMemory::recordByByte(Shadow &shadow, std::size_t index, AccessKind kind, uint64_t stamp,
                                const WarpClock &clock) const {
  auto [found, inserted] = shadow.byByte.try_emplace(index);
  ByteStamps &stamps = found->second;
  if (inserted) {
    uint64_t writer = std::exchange(shadow.writer[index], AccessStamp::byByte), reader = shadow.reader[index];
    for (unsigned byte = 0; byte < granule; ++byte) {
      stamps.writer[byte] = (writer >> byte) & 1 ? AccessStamp::thread(writer) : 0;
      if ((reader >> byte) & 1)
        stamps.readers[byte].push_back(AccessStamp::thread(reader));
    }
  }
  bool race = false;
  uint64_t thread = AccessStamp::thread(stamp);
  auto races = [&](uint64_t earlier) { return unordered(earlier, thread, clock); };
  for (unsigned byte = 0; byte < granule; ++byte) {
    if (!((stamp >> byte) & 1))
      continue;
    race |= races(stamps.writer[byte]);
    if (kind == AccessKind::Write) {
      race |= llvm::any_of(stamps.readers[byte], races);
      stamps.writer[byte] = thread;
    } else {
      addReader(stamps.readers[byte], thread, clock);
    }
  }
  return race;
}

bool GlobalMemory::recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind,
                                uint64_t program, const WarpClock &clock) {
  // Atomic operations order themselves against each other, and kernels use them to order plain accesses (locks, split
  // sums); what they touch is left out.
  if (kind == AccessKind::Atomic) {
    usedAtomics[program] = true;
    return false;
  }
  Shadow &shadow = shadows[&allocation - allocations.data()];
  uint64_t *own = (kind == AccessKind::Write ? shadow.writer : shadow.reader).get();
  const uint64_t *others = (kind == AccessKind::Write ? shadow.reader : shadow.writer).get();
  uint64_t stamp = AccessStamp::pack(program, clock.warp(), clock.now());
  uintptr_t offset = address - allocation.begin, end = offset + size;
  bool race = false;
  for (std::size_t i = offset / granule; i * granule < end; ++i) {
    if (order == ProgramOrder::Concurrent) {
      race |= recordConcurrently(shadow, i, kind, stamp, clock);
      continue;
    }
    uint64_t bytes = AccessStamp::allBytes;
    if (i * granule < offset)
      bytes &= AccessStamp::allBytes << (offset - i * granule);
    if (end < (i + 1) * granule)
      bytes &= AccessStamp::allBytes >> ((i + 1) * granule - end);
    // Most places are only read or only written, and by one thread.
    if (others[i] == 0 && (own[i] == 0 || AccessStamp::thread(own[i]) == stamp))
      own[i] |= stamp | bytes;
    else
      race |= recordInOrder(shadow, i, kind, stamp | bytes, clock);
  }
  return race;
}

void SharedMemory::Free::operator()(std::byte *pointer) const { std::free(pointer); }

SharedMemory::SharedMemory(std::size_t size, unsigned firstWarp)
    : length(size), bytes(static_cast<std::byte *>(std::aligned_alloc(1024, (size + 1024) / 1024 * 1024))),
      shadows(size), firstWarp(firstWarp) {}

void SharedMemory::reset() {
  std::memset(bytes.get(), 0xA5, length);
  std::fill(shadows.begin(), shadows.end(), Shadow());
  reads.clear();
}

/// The bit of a program's warp among its readers, or 0 for warps of other programs of the cluster.
static uint32_t readerBit(unsigned number, unsigned mostReaders) {
  return number < mostReaders ? uint32_t(1) << number : 0;
}

/// Whether another warp has read the byte since the last write, and this one has not seen that.
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
  Outcome outcome = Outcome::Fine;
  bool atomic = kind == AccessKind::Atomic;
  uint32_t now = clock.now(), bit = readerBit(clock.warp() - firstWarp, mostReaders);
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    bool otherWrote = !clock.hasSeen(shadow.writer, shadow.writeTime) && !(atomic && shadow.writeAtomic);
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    else if (outcome != Outcome::BeingCopied && (otherWrote || (kind == AccessKind::Write && readByOther(i, clock))))
      outcome = Outcome::Race;
    if (kind != AccessKind::Write && shadow.writeTime == 0 && outcome == Outcome::Fine)
      outcome = Outcome::Uninitialized;
    if (kind == AccessKind::Read) {
      if (shadow.readTime == now && bit != 0 && !shadow.manyTimes)
        shadow.readers |= bit;
      else
        addReader(i, clock);
      continue;
    }
    shadow.writeTime = now;
    shadow.writer = uint16_t(clock.warp());
    shadow.writeAtomic = atomic;
    if (kind == AccessKind::Write) { // what follows this write in order follows the reads before it, too
      shadow.readTime = shadow.readers = 0;
      if (shadow.manyTimes)
        reads.erase(i);
      shadow.manyTimes = false;
    }
  }
  return outcome;
}

SharedMemory::Outcome SharedMemory::beginCopy(std::size_t offset, std::size_t size, const WarpClock &clock) {
  Outcome outcome = Outcome::Fine;
  for (std::size_t i = offset; i < offset + size; ++i) {
    Shadow &shadow = shadows[i];
    bool otherWrote = !clock.hasSeen(shadow.writer, shadow.writeTime);
    if (shadow.beingCopied)
      outcome = Outcome::BeingCopied;
    else if (outcome == Outcome::Fine && (otherWrote || readByOther(i, clock)))
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
