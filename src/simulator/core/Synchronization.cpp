#include "simulator/core/Synchronization.h"

namespace triton::simulator {

void SynchronizationPlaces::clear() {
  device.clear();
  programs.clear();
  before = added = joined = {};
}

KnownAtPlace SynchronizationPlaces::read(uintptr_t address, uint64_t cluster) const {
  KnownAtPlace known{device.lookup(address), {}};
  if (auto own = programs.find(cluster); own != programs.end())
    known.program = own->second.lookup(address);
  return known;
}

void SynchronizationPlaces::writeTo(Places &places, uintptr_t address, const ClusterClocks &known, bool follows) {
  if (known.isEmpty()) {
    if (!follows)
      places.erase(address);
    return;
  }
  ClusterClocks &place = places[address];
  if (!follows || place.isEmpty()) {
    place = known;
    return;
  }
  if (!place.isSame(before) || !known.isSame(added)) {
    before = place;
    added = known;
    joined = place.join(known);
  }
  place = joined;
}

void SynchronizationPlaces::write(uintptr_t address, uint64_t cluster, const KnownAtPlace &known, bool follows) {
  writeTo(device, address, known.device, follows);
  // What all programs may acquire, the warps of the same program may acquire, too.
  bool isMore = !known.program.isSame(known.device) && !known.program.isEmpty();
  if (isMore)
    writeTo(programs[cluster], address, known.program, follows);
  else if (auto own = programs.find(cluster); own != programs.end())
    writeTo(own->second, address, {}, follows);
}

/// The part of `all` about the cluster itself. What it learned through another scope about other clusters does not
/// count.
static ClusterClocks onlyOwn(const WarpClock &clock, const ClusterClocks &all) {
  llvm::ArrayRef<uint32_t> times = all.times(clock.cluster());
  return times.empty() ? ClusterClocks() : ClusterClocks(clock.cluster(), times);
}

void WarpSynchronization::fence(WarpClock &clock, const MemoryOrder &order) {
  if (order.acquires) {
    clock.acquire(found.program);
    found.program.clear(); // the clock has it from now on
    if (order.scope == Scope::Device) {
      clock.acquire(found.device);
      found.device.clear();
    } else {
      found.device.forEach([&](const ClusterClocks &all) { clock.acquire(onlyOwn(clock, all)); });
    }
  }
  if (order.releases) {
    released.program = clock.release();
    if (order.scope == Scope::Device)
      released.device = released.program;
  }
}

void WarpSynchronization::access(WarpClock &clock, SynchronizationPlaces &places, uintptr_t address,
                                 const MemoryOrder &order, bool reads, bool writes) {
  if (reads && !places.isEmpty()) {
    KnownAtPlace known = places.read(address, clock.cluster());
    if (order.scope == Scope::Program)
      known = {{}, known.program.join(onlyOwn(clock, known.device))};
    if (order.acquires) {
      clock.acquire(known.device);
      clock.acquire(known.program);
    } else {
      found.device.join(known.device);
      found.program.join(known.program);
    }
  }
  if (writes) {
    KnownAtPlace known = released;
    if (order.releases)
      known.device = known.program = clock.release();
    if (order.scope == Scope::Program)
      known.device = {};
    places.write(address, clock.cluster(), known, reads);
  }
}

} // namespace triton::simulator
