#include "simulator/core/Memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <malloc.h>

namespace triton::simulator {

namespace {
/// Keeps the memory of ended launches for the next ones, because first use of new memory costs more than recording
/// accesses in it.
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
  static auto *pool = new StampPool; // never destroyed, because launches may run until the process ends
  return *pool;
}

void GlobalMemory::Free::operator()(uint64_t *pointer) const { stampPool().give(pointer); }

/// The stamps are zeros.
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

void GlobalMemory::begin(ProgramOrder newOrder, bool newIsPartial) {
  order = newOrder;
  isPartial = newIsPartial;
  places.clear();
  sets.clear();
  if (!std::exchange(dirty, true)) // as new
    return;
  for (Shadow &shadow : shadows) {
    shadow.byByte.clear();
    std::fill_n(shadow.writer.get(), shadow.words, 0);
    std::fill_n(shadow.reader.get(), shadow.words, 0);
  }
}

std::size_t GlobalMemory::bytes() const {
  std::size_t sum = 0;
  for (const Allocation &allocation : allocations)
    sum += allocation.size;
  return sum;
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
  for (auto [allocation, before] : llvm::zip_equal(allocations, contents)) {
    auto *first = reinterpret_cast<std::byte *>(allocation.begin);
    if (!std::equal(before.begin(), before.end(), first)) // what is the same may be in read-only memory
      std::copy(before.begin(), before.end(), first);
  }
}

std::optional<uintptr_t> GlobalMemory::firstDifference(const std::vector<std::vector<std::byte>> &contents) const {
  for (auto [allocation, before] : llvm::zip_equal(allocations, contents)) {
    const auto *first = reinterpret_cast<const std::byte *>(allocation.begin);
    auto different = std::mismatch(before.begin(), before.end(), first).first;
    if (different != before.end())
      return allocation.begin + uintptr_t(different - before.begin());
  }
  return std::nullopt;
}

const Allocation *GlobalMemory::find(uintptr_t address, std::size_t size) const {
  auto after = std::upper_bound(allocations.begin(), allocations.end(), address,
                                [](uintptr_t value, const Allocation &a) { return value < a.begin; });
  // Views of one buffer overlap, so any of those that start before the address may contain it.
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

/// Whether the warp has not seen an earlier access. If several warps of one program made it, this warp must have seen
/// what all other warps did. If they only meet all together, that is no more than it needs.
bool GlobalMemory::unordered(uint64_t earlier, const WarpClock &clock) const {
  if (earlier == 0)
    return false;
  if (AccessStamp::thread(earlier) == AccessStamp::severalPrograms)
    return true;
  if (AccessStamp::isSet(earlier))
    return !clock.hasSeen(sets.clocks(earlier));
  unsigned warp = AccessStamp::warp(earlier);
  uint32_t time = AccessStamp::time(earlier);
  if (AccessStamp::program(earlier) != clock.cluster())
    return !clock.hasSeen(AccessStamp::program(earlier), warp, time);
  return warp == AccessStamp::severalWarps ? time > clock.leastOfOthers() : !clock.hasSeen(warp, time);
}

/// Whether an asynchronous operation reads what a warp has written and no fence of the proxies followed.
bool GlobalMemory::isNotFenced(uint64_t earlier, const Access &access) const {
  if (earlier == 0 || access.kind.writes || !access.clock.isAgent(access.clock.warp()) || AccessStamp::isSet(earlier) ||
      AccessStamp::warp(earlier) == AccessStamp::severalWarps)
    return false;
  return !access.clock.isVisibleToProxy(AccessStamp::program(earlier), AccessStamp::warp(earlier),
                                        AccessStamp::time(earlier));
}

/// Whether all warps that a stamp means belong to the program (or cluster) of this warp.
bool GlobalMemory::isOfProgram(uint64_t stamp, const WarpClock &clock) const {
  if (AccessStamp::thread(stamp) == AccessStamp::severalPrograms)
    return false;
  if (!AccessStamp::isSet(stamp))
    return AccessStamp::program(stamp) == clock.cluster();
  return sets.clocks(stamp).all([&](uint64_t cluster, llvm::ArrayRef<uint32_t>) { return cluster == clock.cluster(); });
}

/// Whether an access races with an earlier access to a byte that at least one of the two writes.
GlobalMemory::Outcome GlobalMemory::compare(uint64_t earlier, const Access &access) const {
  if (access.kind.isStrong && (earlier & AccessStamp::strong)) {
    bool isNarrow = AccessStamp::kind(earlier | access.stamp) & AccessStamp::narrow;
    if (!isNarrow || isOfProgram(earlier, access.clock))
      return Outcome::Fine;
    return unordered(earlier, access.clock) ? Outcome::ScopeTooNarrow : Outcome::Fine;
  }
  if (!unordered(earlier, access.clock))
    return isNotFenced(earlier, access) ? Outcome::NotFenced : Outcome::Fine;
  if (!access.kind.isStrong)
    return !(earlier & AccessStamp::strong) && isOfProgram(earlier, access.clock) ? Outcome::RaceOfProgram
                                                                                  : Outcome::Race;
  // What is known at the place happens before an operation that acquires it. A fence after the operation counts as well
  // here.
  WarpClock clock = access.clock;
  KnownAtPlace known = places.read(access.address, clock.cluster());
  clock.acquire(known.device);
  clock.acquire(known.program);
  return unordered(earlier, clock) ? Outcome::Race : Outcome::Fine;
}

/// The stamp of a place, for its readers or for its writers by strong accesses, after another access to the same bytes.
uint64_t GlobalMemory::merge(uint64_t earlier, const Access &access) {
  if (earlier == 0)
    return access.stamp;
  if (order != ProgramOrder::Synchronized && !isOfProgram(earlier, access.clock))
    return AccessStamp::severalPrograms | AccessStamp::bytes(access.stamp);
  if (!unordered(earlier, access.clock))
    return access.stamp;
  if (order != ProgramOrder::Concurrent && isPartial) {
    // Strong and other accesses race with different accesses. The others are kept, because they race with more.
    if ((earlier ^ access.stamp) & AccessStamp::strong)
      return earlier & AccessStamp::strong ? access.stamp : earlier;
    return sets.merge(earlier, access.stamp);
  }
  uint32_t time = std::max(AccessStamp::time(earlier), AccessStamp::time(access.stamp));
  return AccessStamp::pack(AccessStamp::program(access.stamp), AccessStamp::severalWarps, time) |
         AccessStamp::bytes(access.stamp);
}

/// Whether the readers of a granule that nobody has written include the warp. Then another read changes nothing.
bool GlobalMemory::isKnownReader(Shadow &shadow, std::size_t index, uint64_t stamp) {
  uint64_t reader = std::atomic_ref(shadow.reader[index]).load(std::memory_order_relaxed) | AccessStamp::allBytes;
  return (reader == (stamp | AccessStamp::allBytes) || reader == ~uint64_t(0)) &&
         std::atomic_ref(shadow.writer[index]).load() == 0;
}

/// Whether nobody has accessed a granule before. Then the access is recorded, unless it must be compared with another
/// one that has come in between.
bool GlobalMemory::isFirst(uint64_t &own, uint64_t &other, uint64_t stamp) {
  uint64_t expected = 0;
  return std::atomic_ref(own).load(std::memory_order_relaxed) == 0 &&
         std::atomic_ref(own).compare_exchange_strong(expected, stamp | AccessStamp::allBytes) &&
         std::atomic_ref(other).load() == 0;
}

/// If two host threads write the same word, or one writes and the other reads it, at least one of them sees the other's
/// stamp, so that no race between programs is missed.
GlobalMemory::Outcome GlobalMemory::recordConcurrently(Shadow &shadow, std::size_t index, Access access) {
  access.stamp |= AccessStamp::allBytes;
  std::atomic_ref<uint64_t> writer(shadow.writer[index]), reader(shadow.reader[index]);
  if (access.kind.writes) {
    Outcome outcome = compare(writer.exchange(access.stamp), access);
    return std::max(compare(reader.load(), access), outcome);
  }
  uint64_t readers = reader.load(std::memory_order_relaxed), merged = merge(readers, access);
  if (merged != readers) {
    readers = reader.exchange(merged);
    if (uint64_t all = merge(readers, access); all != merged) // another program read in between
      reader.exchange(all);
  }
  return compare(writer.load(), access);
}

/// A single thread needs no locked instructions. The stamp is about the accessed bytes.
GlobalMemory::Outcome GlobalMemory::recordInOrder(Shadow &shadow, std::size_t index, const Access &access) {
  uint64_t writer = shadow.writer[index], reader = shadow.reader[index], stamp = access.stamp;
  bool isWrite = access.kind.writes, replaces = isWrite && !access.kind.isStrong;
  uint64_t &own = isWrite ? writer : reader;
  // A stamp is about several bytes, so threads other than its own must not have accessed only some of them.
  bool sameThread = AccessStamp::thread(own) == AccessStamp::thread(stamp);
  bool covers = replaces ? (AccessStamp::bytes(own) & ~AccessStamp::bytes(stamp)) == 0
                         : AccessStamp::bytes(own) == AccessStamp::bytes(stamp);
  if (writer == AccessStamp::byByte || (own != 0 && !sameThread && !covers))
    return recordByByte(shadow, index, access);
  Outcome outcome = Outcome::Fine;
  if ((AccessStamp::bytes(writer) & AccessStamp::bytes(stamp)) != 0)
    outcome = compare(writer, access);
  if (isWrite && (AccessStamp::bytes(reader) & AccessStamp::bytes(stamp)) != 0)
    outcome = std::max(outcome, compare(reader, access));
  if (sameThread)
    own |= stamp;
  else
    own = replaces ? stamp : merge(own, access);
  (isWrite ? shadow.writer : shadow.reader)[index] = own;
  return outcome;
}

GlobalMemory::Outcome GlobalMemory::recordByByte(Shadow &shadow, std::size_t index, const Access &access) {
  auto [found, inserted] = shadow.byByte.try_emplace(index);
  ByteStamps &stamps = found->second;
  if (inserted) {
    uint64_t writer = std::exchange(shadow.writer[index], AccessStamp::byByte), reader = shadow.reader[index];
    for (unsigned byte = 0; byte < granule; ++byte) {
      stamps.writer[byte] = (writer >> byte) & 1 ? AccessStamp::thread(writer) : 0;
      stamps.reader[byte] = (reader >> byte) & 1 ? AccessStamp::thread(reader) : 0;
    }
  }
  Outcome outcome = Outcome::Fine;
  Access ofByte{access.kind, AccessStamp::thread(access.stamp), access.address, access.clock};
  for (unsigned byte = 0; byte < granule; ++byte) {
    if (!((access.stamp >> byte) & 1))
      continue;
    uint64_t &writer = stamps.writer[byte], &reader = stamps.reader[byte];
    outcome = std::max(outcome, compare(writer, ofByte));
    if (access.kind.writes) {
      outcome = std::max(outcome, compare(reader, ofByte));
      writer = access.kind.isStrong ? merge(writer, ofByte) : ofByte.stamp;
    } else {
      reader = merge(reader, ofByte);
    }
  }
  return outcome;
}

GlobalMemory::Outcome GlobalMemory::recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size,
                                                 AccessKind kind, const WarpClock &clock) {
  Shadow &shadow = shadows[&allocation - allocations.data()];
  uint64_t *own = (kind.writes ? shadow.writer : shadow.reader).get();
  uint64_t *others = (kind.writes ? shadow.reader : shadow.writer).get();
  Access access{kind, AccessStamp::pack(clock.cluster(), clock.warp(), clock.now(), kind), address, clock};
  const uint64_t stamp = access.stamp;
  uintptr_t offset = address - allocation.begin, end = offset + size;
  Outcome outcome = Outcome::Fine;
  for (std::size_t i = offset / granule; i * granule < end; ++i) {
    if (order == ProgramOrder::Concurrent) {
      if ((!kind.writes && isKnownReader(shadow, i, stamp)) || isFirst(own[i], others[i], stamp))
        continue;
      outcome = std::max(outcome, recordConcurrently(shadow, i, access));
      continue;
    }
    uint64_t bytes = AccessStamp::allBytes;
    if (i * granule < offset)
      bytes &= AccessStamp::allBytes << (offset - i * granule);
    if (end < (i + 1) * granule)
      bytes &= AccessStamp::allBytes >> ((i + 1) * granule - end);
    // Most places are only read or only written, and by only one thread.
    if (others[i] == 0 && (own[i] == 0 || AccessStamp::thread(own[i]) == stamp)) {
      own[i] |= stamp | bytes;
    } else {
      access.stamp = stamp | bytes;
      outcome = std::max(outcome, recordInOrder(shadow, i, access));
    }
  }
  return outcome;
}

} // namespace triton::simulator
