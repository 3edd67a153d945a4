// The global arrays that a simulated launch may access, with known bounds. Every access is checked before it is done.
// Shadow state finds races.
#pragma once

#include "simulator/core/AccessStamp.h"
#include "simulator/core/ByteRange.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace triton::simulator {

/// An array that a kernel may access.
struct Allocation {
  std::string name; ///< the argument's name, for messages
  uintptr_t begin = 0;
  std::size_t size = 0;  ///< bytes
  bool live = true;      ///< false: freed; an access is a use after free
  bool isCommon = false; ///< of several devices: what is known of accesses outlives the launch
};

/// How the programs of a launch run. This decides what orders their accesses.
enum class ProgramOrder : uint8_t {
  Concurrent,   ///< on several host threads, without global atomics; accesses are compared by granules
  Sequential,   ///< one after another, without global atomics
  Synchronized, ///< one after another, with strong accesses, by which they synchronize
};

/// The global arrays of a launch.
class GlobalMemory {
public:
  explicit GlobalMemory(std::vector<Allocation> allocations, unsigned deviceCount = 1);

  /// The arrays of the next launches on several devices. What is known of accesses to common arrays remains.
  void replaceArrays(std::vector<Allocation> newAllocations);
  /// The clusters from this one on run on this device.
  void beginClusters(uint64_t first, unsigned device) { devices.emplace_back(first, device); }

  /// The allocation that contains all of [address, address + size), or null.
  const Allocation *find(uintptr_t address, std::size_t size) const;
  /// The allocation that is closest to an address outside of all allocations; null when there are none.
  const Allocation *nearest(uintptr_t address) const;

  /// Forgets all accesses before a run of the programs. `isPartial`: some of a program's warps may synchronize without
  /// the others.
  void begin(ProgramOrder order, bool isPartial);

  /// In ascending order of severity. `RaceOfProgram`: with an ordinary access of the same program (or cluster).
  /// `RaceOfDevices`, `ScopeOfDevice`: the accesses are of different devices.
  enum class Outcome : uint8_t { Fine, NotFenced, RaceOfProgram, Race, RaceOfDevices, ScopeTooNarrow, ScopeOfDevice };
  /// Records an access by the warp whose clock is given, and says whether it races with an earlier access of this
  /// launch by another warp. Two accesses race if they race on a byte. Ordinary writes do not race where they leave
  /// what is there: `keeps` says whether a part of the access does. A concurrent run compares granules and counts the
  /// readers of one program as one reader, so what it finds must be confirmed by a run in order.
  using Keeps = llvm::function_ref<bool(std::size_t begin, std::size_t end)>; ///< bytes of the access
  Outcome recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind,
                       const WarpClock &clock, Keeps keeps = nullptr);
  /// Receives the first byte in its array of a part of an access that is not fine, and the end of this part.
  /// `areWrites`: all racing accesses are ordinary writes, which do not race if their values are the same.
  using Found = llvm::function_ref<void(std::size_t begin, std::size_t end, Outcome outcome, bool areWrites)>;
  /// The same for what several lanes access together.
  void recordAccess(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind,
                    const WarpClock &clock, Found found);

  std::size_t bytes() const; ///< of all arrays
  /// The contents of all arrays, by which the kernel can run again from its start.
  std::vector<std::vector<std::byte>> save() const;
  void restore(const std::vector<std::vector<std::byte>> &contents);
  /// The address of the first byte that differs; none if all are the same.
  std::optional<uintptr_t> firstDifference(const std::vector<std::vector<std::byte>> &contents) const;

  SynchronizationPlaces places;

private:
  static constexpr std::size_t granuleBytes = AccessStamp::maskBits, granulesOfLine = 16,
                               lineBytes = granuleBytes * granulesOfLine;
  /// Who wrote and who read a place, all of whose parts were accessed by the same threads.
  struct Stamps {
    uint64_t writer = 0, reader = 0;
    /// The parts of the place have stamps of their own, which are kept elsewhere.
    bool areOfParts() const { return writer == AccessStamp::byPart; }
  };
  /// Neighbouring bytes. Most accesses are to all of them, because the lanes of a warp access neighbouring places.
  struct Line {
    Stamps stamps;
    uint64_t isLocked = 0; ///< by the host thread that records an access
  };
  using StampsOfLine = std::array<Stamps, granulesOfLine>;  ///< for each granule
  using StampsOfGranule = std::array<Stamps, granuleBytes>; ///< for each byte
  struct Free {
    void operator()(void *pointer) const;
  };
  struct Shadow {
    std::unique_ptr<Line[], Free> lines;
    std::unique_ptr<StampsOfLine[], Free> granules; ///< those of a line are undefined until it is split
    std::size_t lineCount = 0;
    std::unordered_map<std::size_t, StampsOfGranule> bytes; ///< by the number of the granule
  };

  /// An access, or its part that concerns one place.
  struct Access {
    AccessKind kind;
    uint64_t stamp;
    uintptr_t address; ///< of the whole access
    const WarpClock &clock;
    const void *place = nullptr; ///< where its stamps are kept
  };
  bool unordered(uint64_t earlier, const WarpClock &clock) const;
  bool isNotFenced(uint64_t earlier, const Access &access) const;
  bool isOfProgram(uint64_t stamp, const WarpClock &clock) const;
  bool isOfDevice(uint64_t stamp, const WarpClock &clock) const;
  unsigned deviceOf(uint64_t cluster) const;
  Shadow makeShadow(const Allocation &allocation) const;
  Outcome compare(uint64_t earlier, const Access &access) const;
  uint64_t merge(uint64_t earlier, const Access &access);
  static bool isKnownReader(const Line &line, uint64_t stamp);
  bool replaces(uint64_t earlier, const Access &access) const;
  bool mustSplit(const Stamps &stamps, const Access &access) const;
  static bool recordAgain(Stamps &stamps, bool isWrite, uint64_t stamp);
  template <typename FoundBytes> void record(Stamps &stamps, const Access &access, FoundBytes found);
  void recordInLine(Shadow &shadow, std::size_t number, std::size_t begin, std::size_t end, const Access &access,
                    Found found);
  void recordInGranule(Shadow &shadow, std::size_t number, const Access &access, Found found);
  void recordInBytes(Shadow &shadow, std::size_t number, const Access &access, Found found);

  std::vector<Allocation> allocations; ///< sorted by address
  std::vector<Shadow> shadows;
  ProgramOrder order = ProgramOrder::Sequential;
  bool isPartial = false;
  bool dirty = false; ///< some accesses may have been recorded
  AccessSets sets;
  std::vector<std::pair<uint64_t, unsigned>> devices; ///< the first cluster of each launch, and its device; ascending
};

} // namespace triton::simulator
