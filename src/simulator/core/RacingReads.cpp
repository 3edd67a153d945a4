#include "simulator/core/RacingReads.h"

#include "simulator/core/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace triton::simulator {

void RacingReads::enterCluster(uint64_t cluster) {
  if (cluster == running)
    return;
  running = cluster;
  bytes.clear();
  complete &= clusters.insert(cluster).second;
}

void RacingReads::noteRead(Byte &byte, const Past &read, const WarpClock &clock) {
  if (!clock.hasSeen(byte.write.warp, byte.write.time)) {
    reads.insert(nameOf(clock.cluster(), read));
    places.insert({program.locations[read.location], program.locations[read.location]});
  }
  auto known = llvm::find_if(byte.readers, [&](const Past &past) {
    return past.warp == read.warp && past.location == read.location && past.address == read.address;
  });
  if (known == byte.readers.end())
    byte.readers.push_back(read);
  else
    known->time = read.time;
}

void RacingReads::noteWrite(Byte &byte, const Past &write, const WarpClock &clock) {
  const SourceLocation &place = program.locations[write.location];
  if (!clock.hasSeen(byte.write.warp, byte.write.time))
    racingWrites.insert(place);
  for (const Past &read : byte.readers)
    if (!clock.hasSeen(read.warp, read.time)) {
      reads.insert(nameOf(clock.cluster(), read));
      places.insert({place, program.locations[read.location]});
    }
  byte.readers.clear();
  byte.write = write;
}

std::byte *RacingReads::note(const WatchedAccess &access) {
  enterCluster(access.clock.cluster());
  complete &= bytes.size() <= mostBytes;
  if (!complete || access.kind.isStrong)
    return access.memory();
  Past past{access.clock.warp(), access.clock.now(), access.location, access.address};
  for (uintptr_t address = access.address; address < access.address + access.size; ++address)
    if (access.kind.writes)
      noteWrite(bytes[address], past, access.clock);
    else
      noteRead(bytes[address], past, access.clock);
  return access.memory();
}

std::set<SourceLocation> RacingReads::readsThatRaceAt(const SourceLocation &place) const {
  std::set<SourceLocation> found;
  if (!racingWrites.contains(place))
    for (const auto &[racing, read] : places)
      if (racing == place)
        found.insert(read);
  return found;
}

/// Another value whatever the type is, also as a truth value. As a small number it is a negative one, so that loops
/// that count to it end at once.
static std::byte vary(std::byte value) { return value == std::byte(1) ? std::byte(0) : ~value; }

std::byte *VariedReads::note(const WatchedAccess &access) {
  if (access.kind.writes || !places.contains(program.locations[access.location]) || !reads.contains(access))
    return access.memory();
  values.resize(access.size);
  std::transform(access.memory(), access.memory() + access.size, values.begin(), vary);
  return values.data();
}

} // namespace triton::simulator
