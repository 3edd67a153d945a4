// The shared window of a program. Every access is checked before it is done. Shadow state finds races, reads of bytes
// that nobody wrote, and what asynchronous operations read without seeing it.
#pragma once

#include "simulator/core/AccessStamp.h"
#include "simulator/core/AlignedBytes.h"
#include "simulator/core/ByteRange.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace triton::simulator {

/// An agent of the cluster, and a time of its work (VectorClock.h).
struct Agent {
  unsigned number;
  uint32_t time;
};

/// The shared window of one program.
class SharedMemory {
public:
  /// `firstWarp`: the program's first warp in its cluster.
  SharedMemory(std::size_t size, unsigned firstWarp);

  std::byte *data() const { return bytes.get(); }
  std::size_t size() const { return length; }
  bool contains(uintptr_t address, std::size_t bytesAccessed) const {
    return isInside(address, bytesAccessed, reinterpret_cast<uintptr_t>(bytes.get()), length);
  }
  /// The host address of an offset. Offsets beyond the window get addresses that no memory of the host has.
  uintptr_t hostAddress(uint64_t offset) const {
    return offset <= length ? reinterpret_cast<uintptr_t>(bytes.get()) + offset : beyond | uint32_t(offset);
  }
  /// The offset of an address, also of an address behind the end of the window.
  std::optional<std::size_t> offsetOf(uintptr_t address) const {
    if ((address & ~uintptr_t(UINT32_MAX)) == beyond)
      return address & ~beyond;
    uintptr_t offset = address - reinterpret_cast<uintptr_t>(bytes.get());
    return offset <= length ? std::optional(offset) : std::nullopt;
  }
  /// Forgets contents and history for the next program.
  void reset();

  /// In ascending order of severity.
  enum class Outcome : uint8_t { Fine, Uninitialized, NotFenced, Race, BeingRead, BeingCopied };
  /// Records an access of the warp whose clock is given.
  Outcome recordAccess(std::size_t offset, std::size_t size, AccessKind kind, const WarpClock &clock);
  /// The same for what several lanes access together. Returns false if one of them must be reported. Then it records no
  /// writes, so that each access can be recorded by itself.
  bool recordIfFine(std::size_t offset, std::size_t size, AccessKind kind, const WarpClock &clock);
  /// Records that a warp issues an asynchronous copy to these bytes. Nobody may access them before it is complete.
  Outcome beginCopy(std::size_t offset, std::size_t size, const WarpClock &clock);
  void endCopy(std::size_t offset, std::size_t size);
  /// Records that the last write came from an asynchronous copy.
  void markCopied(std::size_t offset, std::size_t size);
  /// Records that an agent reads for a warp. The warp must have seen the last write, and a fence of the proxies must
  /// lie in between. Nobody may write there without having seen the read.
  Outcome readAsynchronously(std::size_t offset, std::size_t size, Agent agent, const WarpClock &clock);
  /// Records that an agent writes for a warp. The warp must have seen all earlier accesses and, if the agent
  /// `needsFence`, a fence of the proxies must follow earlier writes. Only those who have seen the agent do this see
  /// the bytes.
  Outcome writeAsynchronously(std::size_t offset, std::size_t size, Agent agent, const WarpClock &clock,
                              bool needsFence = true);

private:
  /// The last write, and the reads since then: a set of the program's warps, which all read at the same time of theirs.
  /// If that does not describe the reads (`manyTimes`), the last read of each warp is kept elsewhere and `readTime` is
  /// the greatest time.
  struct Shadow {
    uint32_t writeTime = 0, readTime = 0; ///< 0: never
    uint32_t readers = 0;                 ///< a bit for each of the program's warps
    uint16_t writer = 0;                  ///< warp of the cluster
    uint16_t writeAtomic : 1 = 0;
    uint16_t manyTimes : 1 = 0;
    uint16_t beingCopied : 1 = 0;
    uint16_t isCopied : 1 = 0; ///< by an asynchronous copy, which the other proxy sees without a fence
    uint16_t isSplit : 1 = 0;  ///< of a granule: its bytes differ and have shadows of their own
    uint16_t unused : 11 = 0;
  };
  static constexpr unsigned mostReaders = 32;
  using Reads = llvm::SmallVector<std::pair<unsigned, uint32_t>, 4>; ///< warps of the cluster and their times

  template <typename Body> void forEachShadow(std::size_t offset, std::size_t size, Body body);
  static bool isSame(const Shadow &a, const Shadow &b);
  void split(std::size_t granule);
  void merge(std::size_t granule);
  bool readByOther(const Shadow &shadow, std::size_t byte, const WarpClock &clock) const;
  void addReader(Shadow &shadow, std::size_t byte, const WarpClock &clock);
  Outcome compare(const Shadow &shadow, std::size_t byte, AccessKind kind, const WarpClock &clock) const;
  void record(Shadow &shadow, std::size_t byte, AccessKind kind, const WarpClock &clock);
  static Outcome compareWithProxy(const Shadow &shadow, const WarpClock &clock, bool needsFence);
  bool isBeingRead(std::size_t offset, std::size_t size, const WarpClock &clock) const;
  static constexpr std::size_t granule = 16; ///< the alignment of what asynchronous operations read
  static constexpr uintptr_t beyond = uintptr_t(1) << 62;
  std::size_t length;
  AlignedBytes bytes;                       ///< 1024-byte aligned, as hardware swizzles assume
  std::vector<Shadow> shadows;              ///< one for each granule, of whose bytes most are accessed together
  std::unique_ptr<Shadow[]> shadowsOfBytes; ///< null: no granule is split
  llvm::DenseMap<std::size_t, Reads> reads; ///< by byte, or by the first byte of a granule
  /// The agents that have read a granule, each with its last time. Empty if no agent has read anything.
  std::vector<llvm::SmallVector<Agent, 4>> asynchronousReads;
  unsigned firstWarp;
};

} // namespace triton::simulator
