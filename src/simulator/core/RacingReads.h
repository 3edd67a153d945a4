// Races within a program whose reads decide nothing. Where a block has fewer elements than a program has threads,
// several warps load the same elements, and the one that stores in place may come first. What the others have loaded
// then is not used, so that the race is not an error.
#pragma once

#include "simulator/core/AccessWatch.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <set>
#include <utility>

namespace triton::simulator {

/// Finds the reads of a launch that race with ordinary writes of their own program (or cluster).
class RacingReads final : public AccessWatch {
public:
  explicit RacingReads(const Program &program) : program(program) {}
  std::byte *note(const WatchedAccess &access) override;

  /// Whether all of them were found: neither did programs take turns, nor was there too much to remember.
  bool isComplete() const { return complete; }
  bool contains(const WatchedAccess &access) const { return reads.contains(nameOf(access)); }
  /// The places of the reads that race with an access at this place; none if one of the races is between writes.
  std::set<SourceLocation> readsThatRaceAt(const SourceLocation &place) const;

private:
  /// The cluster, the warp, and the place of the access in the source; then the address.
  using Name = std::pair<std::pair<uint64_t, uint64_t>, uintptr_t>;
  /// An access by a warp at a time of its own.
  struct Past {
    unsigned warp = 0;
    uint32_t time = 0; ///< 0: never
    uint32_t location = 0;
    uintptr_t address = 0; ///< of the whole access
  };
  struct Byte {
    Past write;
    llvm::SmallVector<Past, 2> readers; ///< since the write
  };
  static Name nameOf(const WatchedAccess &access) {
    return nameOf(access.clock.cluster(), {access.clock.warp(), 0, access.location, access.address});
  }
  static Name nameOf(uint64_t cluster, const Past &past) {
    return {{cluster, uint64_t(past.warp) << 32 | past.location}, past.address};
  }
  void noteRead(Byte &byte, const Past &read, const WarpClock &clock);
  void noteWrite(Byte &byte, const Past &write, const WarpClock &clock);
  void enterCluster(uint64_t cluster);

  static constexpr std::size_t mostBytes = std::size_t(1) << 22; ///< of a program
  const Program &program;
  llvm::DenseSet<Name> reads;
  std::set<std::pair<SourceLocation, SourceLocation>> places; ///< of a racing access, and of the read
  std::set<SourceLocation> racingWrites;                      ///< that race with writes
  llvm::DenseMap<uintptr_t, Byte> bytes;                      ///< of the cluster that runs
  llvm::DenseSet<uint64_t> clusters;                          ///< that have run
  uint64_t running = UINT64_MAX;
  bool complete = true;
};

/// Lets the racing reads at some places read other values.
class VariedReads final : public AccessWatch {
public:
  VariedReads(const Program &program, const RacingReads &reads, const std::set<SourceLocation> &places)
      : program(program), reads(reads), places(places) {}
  std::byte *note(const WatchedAccess &access) override;

private:
  const Program &program;
  const RacingReads &reads;
  const std::set<SourceLocation> &places;
  llvm::SmallVector<std::byte, 16> values; ///< of the last such read
};

} // namespace triton::simulator
