#include "simulator/core/Synchronization.h"

namespace triton::simulator {

void SynchronizationPlaces::clear() {
  system.clear();
  for (Places &places : devices)
    places.clear();
  programs.clear();
  before = added = joined = {};
}

KnownAtPlace SynchronizationPlaces::read(uintptr_t address, Agency reader) const {
  KnownAtPlace known{system.lookup(address), devices[reader.device].lookup(address), {}};
  if (auto own = programs.find(reader.cluster); own != programs.end())
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

void SynchronizationPlaces::write(uintptr_t address, Agency writer, const KnownAtPlace &known, bool follows) {
  for (auto [device, places] : llvm::enumerate(devices))
    if (device == writer.device)
      writeTo(places, address, known.device, follows);
    else if (!follows)
      places.erase(address);
  if (hasPeers())
    writeTo(system, address, known.system, follows);
  // What all programs may acquire, the warps of the same program may acquire, too.
  bool isMore = !known.program.isSame(known.device) && !known.program.isEmpty();
  if (isMore)
    writeTo(programs[writer.cluster], address, known.program, follows);
  else if (auto own = programs.find(writer.cluster); own != programs.end())
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
    if (order.scope == Scope::Program) {
      found.device.forEach([&](const ClusterClocks &all) { clock.acquire(onlyOwn(clock, all)); });
    } else {
      clock.acquire(found.device);
      found.device.clear();
    }
    if (order.scope == Scope::System) {
      clock.acquire(found.system);
      found.system.clear();
    }
  }
  if (order.releases) {
    released.program = clock.release();
    if (order.scope != Scope::Program)
      released.device = released.program;
    if (order.scope == Scope::System)
      released.system = released.program;
  }
}

void WarpSynchronization::access(WarpClock &clock, SynchronizationPlaces &places, uintptr_t address,
                                 const MemoryOrder &order, unsigned device, bool reads, bool writes) {
  const Agency agency{clock.cluster(), device};
  if (reads && !places.isEmpty()) {
    KnownAtPlace known = places.read(address, agency);
    if (order.scope == Scope::Program)
      known = {{}, {}, known.program.join(onlyOwn(clock, known.device))};
    else if (order.scope == Scope::Device)
      known.system = {};
    if (order.acquires) {
      clock.acquire(known.system);
      clock.acquire(known.device);
      clock.acquire(known.program);
    } else {
      found.system.join(known.system);
      found.device.join(known.device);
      found.program.join(known.program);
    }
  }
  if (writes) {
    KnownAtPlace known = released;
    if (order.releases)
      known.system = known.device = known.program = clock.release();
    if (order.scope != Scope::System)
      known.system = {};
    if (order.scope == Scope::Program)
      known.device = {};
    places.write(address, agency, known, reads);
  }
}

} // namespace triton::simulator
