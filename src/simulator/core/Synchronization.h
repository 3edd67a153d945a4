// The order that atomic operations on global memory make. What a warp has done before a release happens before what
// another warp does after an acquire, if the second has read what the first wrote at a place.
#pragma once

#include "simulator/core/VectorClock.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace triton::simulator {

/// The threads among which an operation orders accesses. The programs of a cluster count as one program; the scope of a
/// cluster counts as that of the device. The system is all devices that run beside each other.
enum class Scope : uint8_t { Program, Device, System };

/// The order that an instruction requires. Strong accesses are those that several threads may perform at once: atomic
/// operations, volatile loads and stores.
struct MemoryOrder {
  bool isStrong = false, acquires = false, releases = false;
  Scope scope = Scope::Device;
};

/// What a reader of a place acquires: every reader, only warps of the same device, or only those of the same program.
/// A launch that runs alone on its device leaves `system` empty.
struct KnownAtPlace {
  ClusterClocks system, device, program;
};

/// Whose access it is: a program (or cluster), and the device that runs it.
struct Agency {
  uint64_t cluster = 0;
  unsigned device = 0;
};

/// The places in memory by which warps of a launch synchronize. What is known at a place comes from the last strong
/// store and the read-modify-writes that followed it.
class SynchronizationPlaces {
public:
  explicit SynchronizationPlaces(unsigned deviceCount = 1) : devices(deviceCount) {}
  void clear();
  bool isEmpty() const { return programs.empty() && system.empty() && llvm::all_of(devices, isEmptyMap); }
  bool hasPeers() const { return devices.size() > 1; }
  KnownAtPlace read(uintptr_t address, Agency reader) const;
  /// `follows`: the write is part of a read-modify-write.
  void write(uintptr_t address, Agency writer, const KnownAtPlace &known, bool follows);
  /// Nobody acquires any more what only warps of this cluster may acquire.
  void clusterEnded(uint64_t cluster) { programs.erase(cluster); }

private:
  using Places = llvm::DenseMap<uintptr_t, ClusterClocks>;
  static bool isEmptyMap(const Places &places) { return places.empty(); }
  void writeTo(Places &places, uintptr_t address, const ClusterClocks &known, bool follows);

  Places system;                             ///< only of several devices
  std::vector<Places> devices;               ///< what warps of one device acquire
  llvm::DenseMap<uint64_t, Places> programs; ///< with the scope of a program, by cluster
  /// The last join, which the lanes of a warp repeat at each of their places.
  ClusterClocks before, added, joined;
};

/// The part of synchronization that a warp carries from a fence to an access, and from an access to a fence.
class WarpSynchronization {
public:
  void fence(WarpClock &clock, const MemoryOrder &order);
  /// Called after a strong access; `writes` is also true for a read-modify-write.
  void access(WarpClock &clock, SynchronizationPlaces &places, uintptr_t address, const MemoryOrder &order,
              unsigned device, bool reads, bool writes);
  /// What the warp had done at its last release fence of this scope or a wider one.
  const ClusterClocks &lastReleased(Scope scope) const {
    return scope == Scope::Program ? released.program : scope == Scope::Device ? released.device : released.system;
  }
  /// Adds what the warp's next acquire fence will order for it.
  void find(const ClusterClocks &known) { found.program.join(known); }

private:
  /// What the warp had done at its last releasing fences: of the system's scope, of the device's or a wider one, and of
  /// any scope.
  KnownAtPlace released;
  /// What an acquire fence will add to the warp's clock.
  struct {
    DeferredClocks system, device, program;
  } found;
};

} // namespace triton::simulator
