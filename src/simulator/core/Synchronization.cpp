#include "simulator/core/Synchronization.h"

namespace triton::simulator {

void SynchronizationPlaces::clear() {
  device.clear();
  programs.clear();
  before = added = joined = {};
}

KnownAtPlace SynchronizationPlaces::read(uintptr_t address, uint64_t cluster) const {
  KnownAtPlace known{device.lookup(address), {}};
  if (!programs.empty())
    known.program = programs.lookup({address, cluster});
  return known;
}

template <typename Places, typename Key>
void SynchronizationPlaces::writeTo(Places &places, const Key &key, const ClusterClocks &known, bool follows) {
  if (known.isEmpty()) {
    if (!follows && !places.empty())
      places.erase(key);
    return;
  }
  ClusterClocks &place = places[key];
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
  bool isMore = !known.program.isSame(known.device);
  writeTo(programs, std::make_pair(address, cluster), isMore ? known.program : ClusterClocks(), follows);
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
    clock.acquire(order.scope == Scope::Device ? found.device : onlyOwn(clock, found.device));
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
    }
    found.device = found.device.join(known.device);
    found.program = found.program.join(known.program);
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
