#include "simulator/core/Memory.h"

#include "simulator/core/HostVectors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include <malloc.h>

namespace triton::simulator {

namespace {
/// Keeps the memory of ended launches for the next ones, because first use of new memory costs more than recording
/// accesses in it.
class StampPool {
public:
  /// `isZeroed`: otherwise the contents are undefined.
  void *take(std::size_t size, bool isZeroed) {
    {
      std::lock_guard lock(mutex);
      auto fitting = llvm::find_if(kept, [&](const Block &block) { return block.fits(size); });
      if (fitting != kept.end()) {
        void *memory = fitting->memory;
        keptBytes -= fitting->size;
        kept.erase(fitting);
        return isZeroed ? std::memset(memory, 0, size) : memory;
      }
    }
    void *memory = isZeroed ? std::calloc(size, 1) : std::malloc(size);
    if (!memory)
      llvm::report_bad_alloc_error("no memory for the record of a simulated launch's accesses");
    return memory;
  }
  void give(void *memory) {
    std::size_t size = malloc_usable_size(memory);
    std::lock_guard lock(mutex);
    if (keptBytes + size > mostKept)
      return std::free(memory);
    kept.push_back({memory, size});
    keptBytes += size;
  }

private:
  static constexpr std::size_t mostKept = std::size_t(64) << 20;
  struct Block {
    void *memory;
    std::size_t size;
    bool fits(std::size_t needed) const { return needed <= size && size <= 2 * needed; }
  };
  std::mutex mutex;
  std::vector<Block> kept;
  std::size_t keptBytes = 0;
};
} // namespace

static StampPool &stampPool() {
  static auto *pool = new StampPool; // never destroyed, because launches may run until the process ends
  return *pool;
}

void GlobalMemory::Free::operator()(void *pointer) const { stampPool().give(pointer); }

GlobalMemory::GlobalMemory(std::vector<Allocation> given, unsigned deviceCount) : places(deviceCount) {
  replaceArrays(std::move(given));
}

GlobalMemory::Shadow GlobalMemory::makeShadow(const Allocation &allocation) const {
  Shadow shadow;
  shadow.lineCount = allocation.size / lineBytes + 1;
  shadow.lines.reset(static_cast<Line *>(stampPool().take(shadow.lineCount * sizeof(Line), /*isZeroed=*/true)));
  shadow.granules.reset(
      static_cast<StampsOfLine *>(stampPool().take(shadow.lineCount * sizeof(StampsOfLine), /*isZeroed=*/false)));
  return shadow;
}

void GlobalMemory::replaceArrays(std::vector<Allocation> given) {
  llvm::sort(given, [](const Allocation &a, const Allocation &b) { return a.begin < b.begin; });
  std::vector<Shadow> kept;
  for (const Allocation &array : given) {
    auto before = llvm::find_if(allocations, [&](const Allocation &earlier) {
      return earlier.isCommon && array.isCommon && earlier.begin == array.begin && earlier.size == array.size;
    });
    kept.push_back(before == allocations.end() ? makeShadow(array)
                                               : std::move(shadows[std::size_t(before - allocations.begin())]));
  }
  allocations = std::move(given);
  shadows = std::move(kept);
}

void GlobalMemory::begin(ProgramOrder newOrder, bool newIsPartial) {
  order = newOrder;
  isPartial = newIsPartial;
  places.clear();
  sets.clear();
  if (!std::exchange(dirty, true)) // as new
    return;
  for (Shadow &shadow : shadows) {
    shadow.bytes.clear();
    std::fill_n(shadow.lines.get(), shadow.lineCount, Line());
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
    if (isInside(address, size, after->begin, after->size))
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

unsigned GlobalMemory::deviceOf(uint64_t cluster) const {
  auto after = llvm::upper_bound(devices, cluster, [](uint64_t value, auto &launch) { return value < launch.first; });
  return after == devices.begin() ? 0 : std::prev(after)->second;
}

/// Whether all warps that a stamp means run on the device of this warp.
bool GlobalMemory::isOfDevice(uint64_t stamp, const WarpClock &clock) const {
  if (!places.hasPeers())
    return true;
  unsigned own = deviceOf(clock.cluster());
  if (!AccessStamp::isSet(stamp))
    return deviceOf(AccessStamp::program(stamp)) == own;
  return sets.clocks(stamp).all([&](uint64_t cluster, llvm::ArrayRef<uint32_t>) { return deviceOf(cluster) == own; });
}

/// Whether an access races with an earlier access to a byte that at least one of the two writes.
GlobalMemory::Outcome GlobalMemory::compare(uint64_t earlier, const Access &access) const {
  if (access.kind.isStrong && (earlier & AccessStamp::strong)) {
    uint64_t kinds = AccessStamp::kind(earlier | access.stamp);
    bool isNarrow = (kinds & AccessStamp::narrow) && !isOfProgram(earlier, access.clock);
    bool leavesDevice = (kinds & (AccessStamp::narrow | AccessStamp::ofDevice)) && !isOfDevice(earlier, access.clock);
    if ((!isNarrow && !leavesDevice) || !unordered(earlier, access.clock))
      return Outcome::Fine;
    return leavesDevice ? Outcome::ScopeOfDevice : Outcome::ScopeTooNarrow;
  }
  if (!unordered(earlier, access.clock))
    return isNotFenced(earlier, access) ? Outcome::NotFenced : Outcome::Fine;
  const Outcome race = isOfDevice(earlier, access.clock) ? Outcome::Race : Outcome::RaceOfDevices;
  if (!access.kind.isStrong)
    return !(earlier & AccessStamp::strong) && isOfProgram(earlier, access.clock) ? Outcome::RaceOfProgram : race;
  // What is known at the place happens before an operation that acquires it. A fence after the operation counts as well
  // here.
  WarpClock clock = access.clock;
  KnownAtPlace known = places.read(access.address, {clock.cluster(), deviceOf(clock.cluster())});
  clock.acquire(known.system);
  clock.acquire(known.device);
  clock.acquire(known.program);
  return unordered(earlier, clock) ? race : Outcome::Fine;
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
    return sets.merge(earlier, access.stamp, access.place);
  }
  uint32_t time = std::max(AccessStamp::time(earlier), AccessStamp::time(access.stamp));
  return AccessStamp::pack(AccessStamp::program(access.stamp), AccessStamp::severalWarps, time) |
         AccessStamp::bytes(access.stamp);
}

//===--- Records --------------------------------------------------------------------------------------------------===//

/// Whether the readers of a line that nobody has written include the warp. Then another read changes nothing.
bool GlobalMemory::isKnownReader(const Line &line, uint64_t stamp) {
  auto read = [](const uint64_t &word) {
    return std::atomic_ref(const_cast<uint64_t &>(word)).load(std::memory_order_acquire);
  };
  uint64_t reader = read(line.stamps.reader) | AccessStamp::allBytes;
  return (reader == (stamp | AccessStamp::allBytes) || reader == ~uint64_t(0)) && read(line.stamps.writer) == 0;
}

/// Whether nothing need be known any more of earlier accesses of this kind. Of writes that are not ordered, each may be
/// the last one, also if all have written the same.
bool GlobalMemory::replaces(uint64_t earlier, const Access &access) const {
  return access.kind.writes && !access.kind.isStrong && !unordered(earlier, access.clock);
}

/// Whether a stamp cannot be about the same bytes as before: threads other than its own have accessed only some of
/// them.
bool GlobalMemory::mustSplit(const Stamps &stamps, const Access &access) const {
  if (stamps.areOfParts())
    return true;
  uint64_t own = access.kind.writes ? stamps.writer : stamps.reader;
  if (own == 0 || AccessStamp::thread(own) == AccessStamp::thread(access.stamp) ||
      AccessStamp::bytes(own) == AccessStamp::bytes(access.stamp))
    return false;
  bool isPart = (AccessStamp::bytes(own) & ~AccessStamp::bytes(access.stamp)) == 0;
  return !isPart || !replaces(own, access);
}

/// Records an access to a place that was only read or only written, by the thread of the access alone, as most places
/// are. Returns false if the place is another one.
bool GlobalMemory::recordAgain(Stamps &stamps, bool isWrite, uint64_t stamp) {
  uint64_t &own = isWrite ? stamps.writer : stamps.reader, other = isWrite ? stamps.reader : stamps.writer;
  if (other != 0 || (own != 0 && AccessStamp::thread(own) != AccessStamp::thread(stamp)))
    return false;
  own |= stamp;
  return true;
}

/// Records an access to a place which need not be split for it. Calls `found(bytes, outcome)` for races.
template <typename FoundBytes> void GlobalMemory::record(Stamps &stamps, const Access &access, FoundBytes found) {
  bool isWrite = access.kind.writes;
  if (recordAgain(stamps, isWrite, access.stamp))
    return;
  uint64_t &own = isWrite ? stamps.writer : stamps.reader;
  bool isKnown = own == 0 || AccessStamp::thread(own) == AccessStamp::thread(access.stamp);
  auto compareWith = [&](uint64_t earlier, bool isWriter) {
    uint64_t bytes = AccessStamp::bytes(earlier) & AccessStamp::bytes(access.stamp);
    if (bytes == 0)
      return;
    bool isStrong = (earlier & AccessStamp::strong) && AccessStamp::thread(earlier) != AccessStamp::severalPrograms;
    // What a concurrent run reads at a place may be another one each time, so that a run in order must decide.
    bool areWrites = isWriter && isWrite && !access.kind.isStrong && !isStrong && order != ProgramOrder::Concurrent;
    if (Outcome outcome = compare(earlier, access); outcome != Outcome::Fine)
      found(bytes, outcome, areWrites);
  };
  compareWith(stamps.writer, true);
  if (isWrite)
    compareWith(stamps.reader, false);
  if (isKnown)
    own |= access.stamp;
  else
    own = replaces(own, access) ? access.stamp : merge(own, access);
}

/// Records the part of an access that concerns the bytes from `begin` to `end` of a line.
void GlobalMemory::recordInLine(Shadow &shadow, std::size_t number, std::size_t begin, std::size_t end,
                                const Access &access, Found found) {
  Line &line = shadow.lines[number];
  const bool byBytes = isPlain();
  const std::size_t first = number * lineBytes;
  auto change = [&](const Stamps &stamps) {
    std::atomic_ref(line.stamps.reader).store(stamps.reader, std::memory_order_release);
    std::atomic_ref(line.stamps.writer).store(stamps.writer, std::memory_order_release);
  };
  Stamps stamps = line.stamps;
  if (begin == 0 && end == lineBytes && !stamps.areOfParts() && !byBytes) {
    Access ofLine{access.kind, access.stamp | AccessStamp::allBytes, access.address, access.clock, &line};
    record(stamps, ofLine,
           [&](uint64_t, Outcome outcome, bool areWrites) { found(first, first + lineBytes, outcome, areWrites); });
    return change(stamps);
  }
  if (!stamps.areOfParts()) {
    shadow.granules[number].fill(stamps);
    change({AccessStamp::byPart, 0});
  }
  for (std::size_t i = begin / granuleBytes; i * granuleBytes < end; ++i) {
    uint64_t bytes = AccessStamp::allBytes;
    if (order != ProgramOrder::Concurrent) {
      if (i * granuleBytes < begin)
        bytes &= AccessStamp::allBytes << (begin - i * granuleBytes);
      if (end < (i + 1) * granuleBytes)
        bytes &= AccessStamp::allBytes >> ((i + 1) * granuleBytes - end);
    }
    if (!byBytes && recordAgain(shadow.granules[number][i], access.kind.writes, access.stamp | bytes))
      continue;
    Access ofGranule{access.kind, access.stamp | bytes, access.address, access.clock, &shadow.granules[number][i]};
    recordInGranule(shadow, number * granulesOfLine + i, ofGranule, found);
  }
}

void GlobalMemory::recordInGranule(Shadow &shadow, std::size_t number, const Access &access, Found found) {
  Stamps &stamps = shadow.granules[number / granulesOfLine][number % granulesOfLine];
  if (isPlain() || mustSplit(stamps, access))
    return recordInBytes(shadow, number, access, found);
  record(stamps, access, [&](uint64_t bytes, Outcome outcome, bool areWrites) {
    for (std::size_t byte = 0, first = number * granuleBytes; byte < granuleBytes; ++byte)
      if ((bytes >> byte) & 1)
        found(first + byte, first + byte + 1, outcome, areWrites);
  });
}

void GlobalMemory::recordInBytes(Shadow &shadow, std::size_t number, const Access &access, Found found) {
  auto [known, isNew] = shadow.bytes.try_emplace(number);
  StampsOfGranule &bytes = known->second;
  if (isNew) {
    Stamps &stamps = shadow.granules[number / granulesOfLine][number % granulesOfLine];
    for (unsigned byte = 0; byte < granuleBytes; ++byte) {
      bytes[byte].writer = (stamps.writer >> byte) & 1 ? stamps.writer | AccessStamp::allBytes : 0;
      bytes[byte].reader = (stamps.reader >> byte) & 1 ? stamps.reader | AccessStamp::allBytes : 0;
    }
    stamps.writer = AccessStamp::byPart;
  }
  Access ofByte{access.kind, access.stamp | AccessStamp::allBytes, access.address, access.clock};
  for (std::size_t byte = 0, first = number * granuleBytes; byte < granuleBytes; ++byte) {
    if (((access.stamp >> byte) & 1) == 0)
      continue;
    ofByte.place = &bytes[byte];
    record(bytes[byte], ofByte, [&](uint64_t, Outcome outcome, bool areWrites) {
      found(first + byte, first + byte + 1, outcome, areWrites);
    });
  }
}

namespace {
/// Holds a line while a host thread records an access to it, which takes a few nanoseconds.
class LineLock {
public:
  explicit LineLock(uint64_t &isLocked) : isLocked(isLocked) {
    while (this->isLocked.exchange(1, std::memory_order_acquire) != 0)
      std::this_thread::yield();
  }
  ~LineLock() { isLocked.store(0, std::memory_order_release); }

private:
  std::atomic_ref<uint64_t> isLocked;
};
} // namespace

GlobalMemory::Outcome GlobalMemory::recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size,
                                                 AccessKind kind, const WarpClock &clock, Keeps keeps) {
  Outcome most = Outcome::Fine;
  const std::size_t offset = address - allocation.begin;
  recordAccess(allocation, address, size, kind, clock,
               [&](std::size_t begin, std::size_t end, Outcome outcome, bool areWrites) {
                 begin = std::max(begin, offset) - offset;
                 end = std::min(end, offset + size) - offset;
                 if (!areWrites || !keeps || !keeps(begin, end))
                   most = std::max(most, outcome);
               });
  return most;
}

void GlobalMemory::recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind,
                                const WarpClock &clock, Found found) {
  Shadow &shadow = shadows[&allocation - allocations.data()];
  const Access access{kind, AccessStamp::pack(clock.cluster(), clock.warp(), clock.now(), kind), address, clock};
  std::size_t offset = address - allocation.begin, end = offset + size;
  for (std::size_t i = offset / lineBytes; i * lineBytes < end; ++i) {
    std::size_t first = i * lineBytes, from = std::max(offset, first) - first,
                to = std::min(end, first + lineBytes) - first;
    if (order != ProgramOrder::Concurrent) {
      recordInLine(shadow, i, from, to, access, found);
    } else if (kind.writes || !isKnownReader(shadow.lines[i], access.stamp)) {
      LineLock lock(shadow.lines[i].isLocked);
      recordInLine(shadow, i, from, to, access, found);
    }
  }
}

} // namespace triton::simulator
