#include "simulator/core/Warp.h"

#include "simulator/core/LaneRuns.h"
#include "simulator/core/Launch.h"
#include "simulator/core/MemoryReports.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator {

Warp::Warp(const Program &program, ProgramState &state, unsigned index, LaneMask live, std::byte *registers,
           std::byte *local)
    : program(program), state(state), index(index), active(live), local(local),
      clock(state.cluster.number, state.rank * state.warpCount + index,
            unsigned(state.cluster.programs.size()) * state.warpCount),
      registers(registers) {
  if (state.launch.configuration.counts)
    counter = std::make_unique<AccessCounter>(program.banks);
  if (state.cluster.linearId == 0)
    time.start(state.launch.configuration.timeline, clock.warp());
  paths.push_back({0, noBlock, live});
  enterBlock(0);
}

void Warp::run(uint64_t quantum) { counter ? execute<true>(quantum) : execute<false>(quantum); }

template <bool counted> void Warp::execute(uint64_t quantum) {
  constexpr uint64_t slice = 1 << 10; // a few milliseconds even for matrix instructions
  uint64_t count = 0;
  while (status == Status::Running && count < quantum && !state.launch.givenUp.load(std::memory_order_relaxed)) {
    for (uint64_t end = std::min(count + slice, quantum); status == Status::Running && count < end;) {
      const DecodedInstruction &instruction = *next++;
      ++count;
      ++executed; // which is the time, so that each instruction sees it
      [[maybe_unused]] LaneMask lanes = active;
      if constexpr (counted) {
        if (state.launch.configuration.map) {
          executeForMap(instruction);
          continue;
        }
      }
      instruction.execute(*this, instruction);
      if constexpr (counted)
        counter->endInstruction(unsigned(llvm::popcount(lanes)));
    }
  }
}

/// Executes an instruction and says what it cost at its place.
void Warp::executeForMap(const DecodedInstruction &instruction) {
  unsigned lanes = unsigned(llvm::popcount(active));
  LaunchCounts before = counter->counts;
  instruction.execute(*this, instruction);
  counter->endInstruction(lanes);
  LaunchCounts cost = counter->counts;
  cost -= before;
  state.launch.configuration.map->noteInstruction(instruction.location, cost);
  if (time.isDrawn())
    time.pass(cost.sharedWavefronts, cost.globalSectors);
}

bool Warp::repeats(uint64_t limit) {
  std::vector<std::byte> before, after;
  appendState(before);
  const DecodedInstruction *start = next;
  const ClusterState &cluster = state.cluster;
  uint64_t progress = cluster.progress, sharedWrites = cluster.sharedWrites;
  for (uint64_t count = 0; status == Status::Running && count < limit; ++count) {
    run(1);
    if (cluster.progress != progress || cluster.sharedWrites != sharedWrites)
      return false;
    if (next != start)
      continue;
    after.clear();
    appendState(after);
    if (before == after)
      return true;
  }
  return false;
}

void Warp::appendState(std::vector<std::byte> &bytes) const {
  auto append = [&](const void *data, std::size_t size) {
    auto *first = static_cast<const std::byte *>(data);
    bytes.insert(bytes.end(), first, first + size);
  };
  append(&status, sizeof(status));
  append(&next, sizeof(next)); // NOLINT(bugprone-sizeof-expression): the address identifies the instruction
  for (const Path &path : paths)
    append(&path, sizeof(path));
  append(registers, program.registerBytes);
}

void Warp::enterBlock(uint32_t block) {
  currentBlock = block;
  next = &program.instructions[program.blocks[block].firstInstruction];
}

void Warp::copyLanes(const Copy &copy, LaneMask lanes) {
  std::byte *to = registers + copy.to;
  const auto *from = read<std::byte>(copy.from);
  if (copy.elementBytes == 0) {
    auto *mask = write<LaneMask>(copy.to);
    *mask = (*mask & ~lanes) | (readMask(copy.from) & lanes);
    return;
  }
  if (lanes == program.allLanes()) {
    std::memcpy(to, from, copy.elementBytes * program.laneCount);
    return;
  }
  for (LaneMask rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctzll(rest);
    std::memcpy(to + lane * copy.elementBytes, from + lane * copy.elementBytes, copy.elementBytes);
  }
}

void Warp::follow(const Edge &edge, LaneMask lanes) {
  for (const Copy &copy : edge.copies)
    copyLanes(copy, lanes);
  for (const Copy &copy : edge.completion)
    copyLanes(copy, lanes);
  if (!edge.tracked.empty())
    asynchronousProducts().registers.copy(edge.tracked);
}

/// Continues with the path on top. Removes paths that have reached their reconvergence point.
void Warp::selectPath() {
  while (!paths.empty() && (paths.back().lanes == 0 || paths.back().block == paths.back().reconvergence))
    paths.pop_back();
  if (paths.empty()) {
    status = Status::Done;
    active = 0;
    return;
  }
  active = paths.back().lanes;
  enterBlock(paths.back().block);
}

void Warp::jump(const Edge &edge) {
  follow(edge, active);
  Path &top = paths.back();
  top.block = edge.block;
  if (edge.block == top.reconvergence)
    selectPath();
  else
    enterBlock(edge.block);
}

void Warp::branch(const Edge &taken, const Edge &notTaken, LaneMask condition) {
  LaneMask takenLanes = active & condition, otherLanes = active & ~condition;
  if (otherLanes == 0)
    return jump(taken);
  if (takenLanes == 0)
    return jump(notTaken);
  std::pair<const Edge *, LaneMask> targets[] = {{&notTaken, otherLanes}, {&taken, takenLanes}};
  branchMany(targets);
}

void Warp::branchMany(llvm::ArrayRef<std::pair<const Edge *, LaneMask>> targets) {
  uint32_t reconvergence = program.blocks[currentBlock].reconvergence;
  // The lanes meet again at the post-dominator and continue there as the path that they are now. If there is none,
  // every target runs to its own end.
  Path rest = paths.pop_back_val();
  if (reconvergence != noBlock) {
    rest.block = reconvergence;
    paths.push_back(rest);
  }
  for (auto [edge, lanes] : targets) {
    if (lanes == 0)
      continue;
    follow(*edge, lanes);
    paths.push_back({edge->block, reconvergence, lanes});
  }
  selectPath();
}

void Warp::retire(LaneMask lanes) {
  for (Path &path : paths)
    path.lanes &= ~lanes;
  selectPath();
}

Barrier::Phase Warp::arrive(WarpBarrier &barrier, std::optional<unsigned> count, uint32_t location, bool releases) {
  if (counter) [[unlikely]]
    counter->noteBarrier();
  LaneMask live = 0;
  for (const Path &path : paths)
    live |= path.lanes;
  if (live != active) {
    auto digits = [&](LaneMask lanes) { return llvm::format_hex(lanes, 2 + program.laneCount / 4); };
    report(FindingKind::DivergentBarrier, location, firstLane(),
           llvm::formatv("lanes {0} of the warp are here and {1} are elsewhere; every thread of a warp must reach "
                         "the same barrier",
                         digits(active), digits(live & ~active))
               .str());
  }
  return barrier.arrive(*this, count, location, releases);
}

void Warp::waitFor(const Barrier &barrier, Barrier::Phase phase, uint32_t location, bool acquires) {
  awaited = {&barrier, phase, location, acquires};
  status = Status::Waiting;
}

void Warp::wake() {
  if (status != Status::Waiting || !awaited.barrier->isOver(awaited.phase))
    return;
  awaited.barrier->leave(*this, awaited.phase, awaited.acquires);
  status = Status::Running;
}

void Warp::report(FindingKind kind, uint32_t location, unsigned lane, std::string detail) {
  state.launch.report.add(findingAt(*this, kind, location, lane, std::move(detail)));
}

Finding findingAt(const Warp &warp, FindingKind kind, uint32_t location, unsigned lane, std::string detail) {
  return {.kind = kind,
          .location = warp.program.locations[location],
          .program = warp.state.id,
          .thread = warp.index * warp.program.laneCount + lane,
          .detail = std::move(detail),
          .device = warp.state.launch.peer};
}

void Warp::markOnMap(FindingKind kind, const Allocation *array, uintptr_t address, std::size_t size, bool writes,
                     uint32_t location) {
  AccessMap *map = state.launch.configuration.map;
  const Allocation *meant = array ? array : state.launch.memory.nearest(address);
  if (!map || !meant)
    return;
  int64_t offset = int64_t(address) - int64_t(meant->begin);
  if (offset < -farAway || offset > int64_t(meant->size) + farAway)
    return;
  AccessMap::Area &area = map->areaAt(meant->begin);
  AccessMap::Access access{offset, size, state.linearId, location, writes};
  if (kind == FindingKind::OutOfBounds) // which is not performed, and so not noted elsewhere
    map->note(area, access);
  map->noteError(area, access, kind);
}

void Warp::mapShared(std::size_t offset, std::size_t size, bool writes, uint32_t location) {
  if (AccessMap *map = state.launch.configuration.map)
    map->note(map->sharedArea(), {int64_t(offset), size, state.linearId, location, writes});
}

void Warp::reportShared(SharedMemory::Outcome outcome, llvm::StringRef action, std::size_t offset, std::size_t size,
                        unsigned lane, uint32_t location) {
  auto say = [&](FindingKind kind, llvm::StringRef what) {
    if (AccessMap *map = state.launch.configuration.map)
      map->noteError(map->sharedArea(), {int64_t(offset), size, state.linearId, location}, kind);
    report(kind, location, lane,
           llvm::formatv("{0} of shared bytes {1} to {2}, {3}", action, offset, offset + size, what).str());
  };
  switch (outcome) {
  case SharedMemory::Outcome::Fine:
    return;
  case SharedMemory::Outcome::NotFenced:
    return say(FindingKind::MissingProxyFence,
               "which were written by an ordinary store without a fence of the proxies since");
  case SharedMemory::Outcome::BeingRead:
    return say(FindingKind::SharedRace, "which an asynchronous operation reads that has not ended");
  case SharedMemory::Outcome::Race:
    return say(FindingKind::SharedRace, "which another warp accessed since the last barrier");
  case SharedMemory::Outcome::BeingCopied:
    return say(FindingKind::SharedRace, "to which an asynchronous copy has not ended");
  case SharedMemory::Outcome::Uninitialized:
    return say(FindingKind::UninitializedShared, "which nothing has written");
  }
}

/// Of global memory.
static llvm::StringRef describeRace(GlobalMemory::Outcome outcome) {
  switch (outcome) {
  case GlobalMemory::Outcome::ScopeTooNarrow:
    return "which another program updates too, while the scope of one of the two is its own program";
  case GlobalMemory::Outcome::ScopeOfDevice:
    return "which another device updates too, while the scope of one of the two is its own device";
  case GlobalMemory::Outcome::RaceOfDevices:
    return "which another device accesses, without a release and an acquire of scope `sys` between the two";
  default:
    return "which another warp accesses without synchronization";
  }
}

void Warp::reportGlobal(GlobalMemory::Outcome outcome, const Allocation &allocation, uintptr_t address,
                        std::size_t size, AccessKind kind, unsigned lane, uint32_t location) {
  if (outcome == GlobalMemory::Outcome::NotFenced)
    return report(
        FindingKind::MissingProxyFence, location, lane,
        llvm::formatv("asynchronous read of {0} bytes at byte {1} of `{2}`, which were written by an ordinary "
                      "store without a fence of the proxies since",
                      size, address - allocation.begin, allocation.name)
            .str());
  markOnMap(FindingKind::GlobalRace, &allocation, address, size, kind.writes, location);
  std::string detail = llvm::formatv("{0} of {1} bytes at byte {2} of `{3}`, {4}", verb(kind), size,
                                     address - allocation.begin, allocation.name, describeRace(outcome))
                           .str();
  Finding finding = findingAt(*this, FindingKind::GlobalRace, location, lane, std::move(detail));
  finding.access = {address, size, kind.writes, outcome == GlobalMemory::Outcome::RaceOfProgram, kind.isStrong};
  state.launch.report.add(std::move(finding));
}

std::byte *Warp::accessShared(ProgramState &owner, uintptr_t address, std::size_t size, AccessKind kind, unsigned lane,
                              uint32_t location) {
  std::size_t offset = address - reinterpret_cast<uintptr_t>(owner.shared.data());
  state.cluster.sharedWrites += kind.writes;
  if (counter) [[unlikely]] {
    counter->noteShared(offset, size, kind.writes, kind.writes && kind.isStrong);
    mapShared(offset, size, kind.writes, location);
  }
  reportShared(owner.shared.recordAccess(offset, size, kind, clock), verb(kind), offset, size, lane, location);
  return reinterpret_cast<std::byte *>(address);
}

std::byte *Warp::access(uintptr_t address, std::size_t size, std::size_t alignment, AccessKind kind, unsigned lane,
                        uint32_t location, GlobalMemory::Keeps keeps) {
  if (address % alignment != 0) {
    reportMisaligned(*this, address, size, alignment, kind, lane, location);
    return nullptr;
  }
  if (state.shared.contains(address, size))
    return accessShared(state, address, size, kind, lane, location);
  if (isInside(address, size, reinterpret_cast<uintptr_t>(local), program.localBytes * program.laneCount)) {
    if (counter) [[unlikely]]
      counter->noteLocal(size);
    return reinterpret_cast<std::byte *>(address);
  }

  if (ProgramState *owner = state.cluster.findShared(address, size))
    return accessShared(*owner, address, size, kind, lane, location);

  // Most accesses take this path.
  [[clang::always_inline]] return accessGlobal(address, size, kind, lane, location, clock, keeps);
}

std::byte *Warp::accessGlobal(uintptr_t address, std::size_t size, AccessKind kind, unsigned lane, uint32_t location,
                              const WarpClock &agentClock, GlobalMemory::Keeps keeps) {
  if (!state.launch.reachable[location].allows(address, size, kind.writes)) [[unlikely]] {
    reportMiss(*this, address, size, kind, lane, location);
    return nullptr;
  }
  const Allocation *allocation = findArray(*this, address, size);
  if (!allocation) {
    if (!kind.writes)
      for (auto [begin, length] : program.globalRanges)
        if (isInside(address, size, begin, length))
          return reinterpret_cast<std::byte *>(address);
    if (!kind.writes && state.launch.isParameter(address, size))
      return reinterpret_cast<std::byte *>(address);
    reportMiss(*this, address, size, kind, lane, location);
    return nullptr;
  }
  if (!allocation->live) {
    report(FindingKind::UseAfterFree, location, lane,
           llvm::formatv("{0} of {1} bytes of `{2}`, which was freed", verb(kind), size, allocation->name).str());
    return nullptr;
  }
  // Operations that also read report themselves whether they change memory.
  state.cluster.progress += kind.writes && !kind.isStrong && !state.cluster.watchesWrites;
  if (counter) [[unlikely]] {
    counter->noteGlobal(address, size, kind.writes);
    if (AccessMap *map = state.launch.configuration.map)
      map->note(map->areaAt(allocation->begin),
                {int64_t(address - allocation->begin), size, state.linearId, location, kind.writes});
  }
  if (state.launch.configuration.unwritten != 0 && (!kind.writes || kind.isStrong)) [[unlikely]]
    noteUnwritten(*allocation, address, size, kind, lane, location);
  lastAccess = location;
  lastAddress = address;
  GlobalMemory::Outcome outcome = state.launch.memory.recordAccess(*allocation, address, size, kind, agentClock, keeps);
  if (outcome != GlobalMemory::Outcome::Fine)
    reportGlobal(outcome, *allocation, address, size, kind, lane, location);
  if (AccessWatch *watch = state.launch.watch) [[unlikely]]
    return watch->note({address, size, kind, state.id, index * program.laneCount + lane, location, agentClock});
  return reinterpret_cast<std::byte *>(address);
}

/// Notes an access that reads a byte of the word for unwritten memory, of which copies lie at multiples of its size.
void Warp::noteUnwritten(const Allocation &allocation, uintptr_t address, std::size_t size, AccessKind kind,
                         unsigned lane, uint32_t location) {
  uint32_t word = state.launch.configuration.unwritten;
  const auto *pattern = reinterpret_cast<const std::byte *>(&word), *memory = reinterpret_cast<std::byte *>(address);
  std::size_t run = 0;
  for (std::size_t i = 0; i < size; ++i) {
    run = memory[i] == pattern[(address + i) % sizeof(word)] ? run + 1 : 0;
    if (run < std::min(size, sizeof(word)))
      continue;
    std::string what = llvm::formatv("{0} of {1} bytes at byte {2} of `{3}`, which nobody has written, decides results",
                                     verb(kind), size, address - allocation.begin, allocation.name);
    state.launch.unwrittenReads.add(findingAt(*this, FindingKind::UnwrittenGlobal, location, lane, std::move(what)));
    return;
  }
}

void Warp::synchronize(uintptr_t address, const MemoryOrder &order, bool reads, bool writes) {
  // A later program uses the shared memory of an earlier one.
  if (!state.shared.contains(address, 1))
    synchronization.access(clock, state.launch.memory.places, address, order, state.launch.device, reads, writes);
}

const std::byte *Warp::readSharedAsynchronously(uint64_t offset, std::size_t size, Agent agent, uint32_t location) {
  uintptr_t address = state.shared.hostAddress(offset);
  if (!state.shared.contains(address, size)) {
    report(FindingKind::OutOfBounds, location, firstLane(), describeMiss(state, address, size, readAccess));
    return nullptr;
  }
  if (counter) [[unlikely]] {
    counter->noteAsynchronousShared(size, /*writes=*/false);
    mapShared(offset, size, /*writes=*/false, location);
  }
  reportShared(state.shared.readAsynchronously(offset, size, agent, clock), "asynchronous read", offset, size,
               firstLane(), location);
  return state.shared.data() + offset;
}

std::byte *Warp::writeSharedAsynchronously(ProgramState &owner, uint64_t offset, std::size_t size, Agent agent,
                                           uint32_t location, bool needsFence) {
  uintptr_t address = owner.shared.hostAddress(offset);
  if (!owner.shared.contains(address, size)) {
    report(FindingKind::OutOfBounds, location, firstLane(), describeMiss(owner, address, size, writeAccess));
    return nullptr;
  }
  ++state.cluster.sharedWrites;
  if (counter) [[unlikely]] {
    counter->noteAsynchronousShared(size, /*writes=*/true);
    mapShared(offset, size, /*writes=*/true, location);
  }
  reportShared(owner.shared.writeAsynchronously(offset, size, agent, clock, needsFence), "asynchronous write", offset,
               size, firstLane(), location);
  return owner.shared.data() + offset;
}

BulkGroups &Warp::bulkGroups(unsigned lane) {
  auto [found, isNew] = copyGroups.try_emplace(lane);
  if (isNew)
    found->second = {.reader = state.cluster.addAgent(), .writer = state.cluster.addAgent()};
  return found->second;
}

AsynchronousProducts &Warp::asynchronousProducts() {
  if (!products)
    products = std::make_unique<AsynchronousProducts>();
  return *products;
}

std::string Warp::describeLocation(uint32_t location) const {
  unsigned line = program.locations[location].line;
  return line == 0 ? "an unknown line" : llvm::formatv("line {0}", line).str();
}

Warp::SharedPlace Warp::findSharedPlace(uint64_t address) const {
  if (address < remoteWindow)
    return {&state, address, state.shared.hostAddress(address)};
  if (address < 2 * remoteWindow) {
    uint64_t rank = (address - remoteWindow) >> rankShift, offset = address & ((uint64_t(1) << rankShift) - 1);
    if (rank >= state.cluster.programs.size())
      return {nullptr, 0, 0};
    ProgramState *owner = state.cluster.programs[rank].get();
    return {owner, offset, owner->shared.hostAddress(offset)};
  }
  ProgramState *owner = state.shared.contains(address, 1) ? &state : state.cluster.findShared(address, 1);
  std::size_t offset = owner ? address - reinterpret_cast<uintptr_t>(owner->shared.data()) : 0;
  return {owner, offset, address};
}

MemoryBarrier *Warp::findBarrier(uint64_t address, AccessKind kind, unsigned lane, uint32_t location) {
  SharedPlace place = findSharedPlace(address);
  if (!access(place.address, 8, 8, kind, lane, location))
    return nullptr;
  MemoryBarrier *barrier = place.owner ? place.owner->findBarrier(place.offset) : nullptr;
  if (!barrier)
    report(FindingKind::BarrierMisuse, location, lane,
           llvm::formatv("no mbarrier has been initialized at shared byte {0}", place.offset).str());
  else if (!barrier->isKnownTo(*this))
    report(FindingKind::SharedRace, location, lane,
           barrier->name() + ", which another warp initialized since the last barrier");
  return barrier;
}

void Warp::enqueueCopy(PendingCopy copy) {
  if (state.shared.contains(copy.destination, copy.bytes)) {
    std::size_t offset = copy.destination - reinterpret_cast<uintptr_t>(state.shared.data());
    reportShared(state.shared.beginCopy(offset, copy.bytes, clock), "copy", offset, copy.bytes, copy.lane,
                 copy.location);
  }
  openCopies.push_back(copy);
}

void Warp::commitCopies() {
  if (time.isDrawn() && !openCopies.empty()) {
    uint64_t bytes = 0;
    for (const PendingCopy &copy : openCopies)
      bytes += copy.bytes;
    time.copy(bytes, openCopies.front().location);
  }
  time.closeCopies();
  committedCopies.push_back(std::move(openCopies));
  openCopies.clear();
}

void Warp::performCopy(const PendingCopy &copy) {
  if (state.shared.contains(copy.destination, copy.bytes))
    state.shared.endCopy(copy.destination - reinterpret_cast<uintptr_t>(state.shared.data()), copy.bytes);
  std::byte *destination = access(copy.destination, copy.bytes, copy.alignment, writeAccess, copy.lane, copy.location);
  const std::byte *source = nullptr;
  if (copy.sourceBytes)
    source = access(copy.source, copy.sourceBytes, copy.alignment, readAccess, copy.lane, copy.location);
  if (!destination)
    return;
  std::memset(destination, 0, copy.bytes);
  if (source)
    std::memcpy(destination, source, copy.sourceBytes);
  if (state.shared.contains(copy.destination, copy.bytes))
    state.shared.markCopied(copy.destination - reinterpret_cast<uintptr_t>(state.shared.data()), copy.bytes);
}

void Warp::waitForCopies(unsigned newestLeftPending, uint32_t location) {
  time.waitForCopies(newestLeftPending, location);
  while (committedCopies.size() > newestLeftPending) {
    for (const PendingCopy &copy : committedCopies.front())
      performCopy(copy);
    committedCopies.pop_front();
  }
}

void Warp::completeCopies(LaneMask lanes) {
  auto isOfLanes = [&](const PendingCopy &copy) { return (lanes >> copy.lane & 1) != 0; };
  auto complete = [&](std::vector<PendingCopy> &copies) {
    for (const PendingCopy &copy : copies)
      if (isOfLanes(copy))
        performCopy(copy);
    llvm::erase_if(copies, isOfLanes);
  };
  llvm::for_each(committedCopies, complete);
  complete(openCopies);
}

} // namespace triton::simulator
