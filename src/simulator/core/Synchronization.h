// Order by atomic operations on global memory: what a warp has done before a release happens before what another does
// after an acquire, where the other has read what the first wrote at a place.
#pragma once

#include "simulator/core/VectorClock.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <utility>

namespace triton::simulator {

/// The threads among which an operation orders accesses. The programs of a cluster count as one; the scope of a cluster
/// counts as that of the device.
enum class Scope : uint8_t { Program, Device };

/// What an instruction says of its order. Strong accesses are those that several threads may perform at once: atomic
/// operations, volatile loads and stores.
struct MemoryOrder {
  bool isStrong = false, acquires = false, releases = false;
  Scope scope = Scope::Device;
};

/// What those acquire who read a place: by all who read it, or only by warps of the same program.
struct KnownAtPlace {
  ClusterClocks device, program;
};

/// The places in memory by which warps of a launch synchronize. What is known there comes from the last strong store
/// and the read-modify-writes that followed it.
class SynchronizationPlaces {
public:
  void clear();
  bool isEmpty() const { return device.empty() && programs.empty(); }
  KnownAtPlace read(uintptr_t address, uint64_t cluster) const;
  /// `follows`: the write is a part of a read-modify-write.
  void write(uintptr_t address, uint64_t cluster, const KnownAtPlace &known, bool follows);

private:
  template <typename Places, typename Key>
  void writeTo(Places &places, const Key &key, const ClusterClocks &known, bool follows);

  llvm::DenseMap<uintptr_t, ClusterClocks> device;
  llvm::DenseMap<std::pair<uintptr_t, uint64_t>, ClusterClocks> programs; ///< with the scope of a program
  /// The last join: the lanes of a warp repeat it at each of their places.
  ClusterClocks before, added, joined;
};

/// The part of synchronization that a warp carries from fence to access and from access to fence.
class WarpSynchronization {
public:
  void fence(WarpClock &clock, const MemoryOrder &order);
  /// A strong access, once it has been performed; `writes` also of a read-modify-write.
  void access(WarpClock &clock, SynchronizationPlaces &places, uintptr_t address, const MemoryOrder &order, bool reads,
              bool writes);
  /// What the warp had done at its last release fence.
  const ClusterClocks &lastReleased() const { return released.device; }

private:
  /// At the last fences that release: of the scope of the device, and of any.
  KnownAtPlace released;
  /// What an acquire fence adds to the warp's clock.
  KnownAtPlace found;
};

} // namespace triton::simulator
