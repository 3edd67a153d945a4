// Runs bulk copies. A copy is done when it is issued, as the work of an agent: of the barrier at which it ends, or of
// the thread's groups. Only those who have waited for the agent may rely on the copy. The source are measurements on an
// H200, which the tests reproduce.
#include "simulator/core/MemoryBarrier.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/BulkCopy.h"
#include "simulator/nvptx/BulkReduction.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace triton::simulator::nvptx {

namespace {

constexpr unsigned piece = 16; ///< bytes; the unit of alignment and of swizzles

/// A row of a box of which at least a part lies in the tensor.
struct Row {
  unsigned number;              ///< in shared memory
  uint64_t address = 0;         ///< in global memory, of the first element inside the tensor
  unsigned first = 0, last = 0; ///< the elements inside the tensor
};

/// One thread's copy.
class CopyOfThread {
public:
  CopyOfThread(Warp &warp, const DecodedInstruction &instruction, unsigned lane)
      : warp(warp), instruction(instruction), copy(*static_cast<const BulkCopy *>(instruction.detail)), lane(lane) {}

  void run();

private:
  uint64_t address(RegisterOffset offset) const { return warp.read<uint64_t>(offset)[lane]; }
  void report(FindingKind kind, std::string detail) {
    warp.report(kind, instruction.location, lane, std::move(detail));
  }
  const TensorMap *findMap(RegisterOffset offset);
  bool checkCoordinates(const TensorMap &map);
  bool checkAlignment(llvm::StringRef what, uint64_t value, unsigned alignment);
  template <typename Body> void forEachRow(const TensorMap &map, Body body);

  void load();
  void loadInto(ProgramState &owner, std::size_t offset, std::size_t barrierOffset);
  void loadRow(const TensorMap &map, const Row &row, Agent agent, std::vector<std::byte> &bytes);
  void writeShared(ProgramState &owner, std::size_t offset, llvm::ArrayRef<std::byte> bytes, Agent agent);
  void store();
  void storeRun(uintptr_t target, llvm::ArrayRef<std::byte> bytes, TensorMap::ElementType type, const WarpClock &clock);
  std::vector<std::byte> readShared(std::size_t offset, std::size_t size, const TensorMap *map, Agent agent);
  void exchange();
  void storeWords();

  Warp &warp;
  const DecodedInstruction &instruction;
  const BulkCopy &copy;
  unsigned lane;
};

} // namespace

/// The place in shared memory of the 16 bytes that are at `offset` before the swizzle.
static std::size_t permute(std::size_t offset, const TensorMap &map) {
  std::size_t mask = map.swizzle == TensorMap::Swizzle::None ? 0 : map.swizzleSpan() / piece - 1;
  return offset ^ ((offset >> 7 & mask) << 4);
}

const TensorMap *CopyOfThread::findMap(RegisterOffset offset) {
  uint64_t place = address(offset);
  std::byte *bytes = warp.access(place, sizeof(TensorMap), alignof(TensorMap), readAccess, lane, instruction.location);
  const auto *map = reinterpret_cast<const TensorMap *>(bytes);
  if (map && map->mark != TensorMap::signature) {
    report(FindingKind::InvalidCopy, "there is no tensor map at the address that is given");
    return nullptr;
  }
  if (map && copy.fourRows && (map->rank != 2 || map->box[1] != 1)) {
    report(FindingKind::InvalidCopy,
           "a copy of four rows needs a tensor map of two dimensions whose boxes have one row");
    return nullptr;
  }
  if (map && !copy.fourRows && map->rank != copy.coordinates.size()) {
    report(FindingKind::InvalidCopy,
           llvm::formatv("{0} coordinates for a tensor map of {1} dimensions", copy.coordinates.size(), map->rank));
    return nullptr;
  }
  return map;
}

bool CopyOfThread::checkAlignment(llvm::StringRef what, uint64_t value, unsigned alignment) {
  if (value % alignment == 0)
    return true;
  report(FindingKind::Misaligned,
         llvm::formatv("{0} of {1} is {2} bytes past a multiple of {3}", what,
                       copy.kind == BulkCopy::Kind::Words ? "an asynchronous store" : "a bulk copy", value % alignment,
                       alignment));
  return false;
}

/// Reports coordinates for which the hardware raises an illegal instruction.
bool CopyOfThread::checkCoordinates(const TensorMap &map) {
  int64_t bytes = int64_t(warp.read<int32_t>(copy.coordinates[0])[lane]) * map.elementBytes();
  if (bytes % piece != 0) {
    report(FindingKind::InvalidCopy,
           llvm::formatv("the first coordinate is {0} bytes from the tensor's beginning, which is not a multiple of 16",
                         bytes));
    return false;
  }
  if (copy.kind != BulkCopy::Kind::Load)
    for (RegisterOffset offset : copy.coordinates)
      if (int32_t coordinate = warp.read<int32_t>(offset)[lane]; coordinate < 0) {
        report(FindingKind::InvalidCopy, llvm::formatv("a box that is stored begins at coordinate {0}", coordinate));
        return false;
      }
  return true;
}

/// Visits the rows of the box. Rows beyond the tensor are empty.
template <typename Body> void CopyOfThread::forEachRow(const TensorMap &map, Body body) {
  std::array<int64_t, TensorMap::mostDimensions> start{};
  for (auto [place, offset] : llvm::zip(start, copy.coordinates))
    place = warp.read<int32_t>(offset)[lane];
  unsigned rows = copy.fourRows ? 4 : 1;
  for (unsigned dimension = 1; dimension < map.rank; ++dimension)
    rows *= map.steps(dimension);
  for (unsigned number = 0; number < rows; ++number) {
    Row row{number};
    int64_t offset = 0;
    bool isInside = true;
    unsigned rest = number;
    for (unsigned dimension = 1; dimension < map.rank; ++dimension) {
      int64_t coordinate = start[dimension] + int64_t(rest % map.steps(dimension)) * map.elementStrides[dimension];
      if (copy.fourRows)
        coordinate = start[1 + number];
      rest /= map.steps(dimension);
      isInside &= coordinate >= 0 && uint64_t(coordinate) < map.sizes[dimension];
      offset += coordinate * int64_t(map.strides[dimension - 1]);
    }
    int64_t first = std::max<int64_t>(0, -start[0]),
            last = std::min<int64_t>(map.box[0], int64_t(map.sizes[0]) - start[0]);
    // Measured on an H200: stores write whole pieces, also behind the end of a row.
    if (copy.kind == BulkCopy::Kind::Store && first < last)
      last =
          std::min<int64_t>(map.box[0], int64_t(llvm::alignTo(last * map.elementBytes(), piece)) / map.elementBytes());
    if (isInside && first < last) {
      row.first = unsigned(first);
      row.last = unsigned(last);
      row.address = map.address + uint64_t(offset + (start[0] + first) * int64_t(map.elementBytes()));
    }
    body(row);
  }
}

//===--- Global to shared -----------------------------------------------------------------------------------------===//

/// Rounds f32 to the nearest tf32, ties to even.
static void roundToTF32(std::byte *bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, bytes + 4 * i, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
      bits = 0x7fffe000;
    else
      bits = (bits + 0xfff + (bits >> 13 & 1)) & ~uint32_t(0x1fff);
    std::memcpy(bytes + 4 * i, &bits, 4);
  }
}

/// Reads the bytes of a row in the form in which they go to shared memory.
void CopyOfThread::loadRow(const TensorMap &map, const Row &row, Agent agent, std::vector<std::byte> &bytes) {
  constexpr uint16_t nan = 0x7ff7;
  unsigned size = map.elementBytes();
  bytes.assign(map.rowBytes(), std::byte(0));
  if (map.fill == TensorMap::Fill::NaN)
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(nan))
      std::memcpy(&bytes[i], &nan, sizeof(nan));
  if (row.first == row.last)
    return;
  std::size_t length = std::size_t(row.last - row.first) * size;
  std::byte *target = bytes.data() + std::size_t(row.first) * size;
  if (const std::byte *source = warp.accessGlobal(row.address, length, readAccess, lane, instruction.location,
                                                  warp.clock.ofAgent(agent.number, agent.time)))
    std::memcpy(target, source, length);
  if (map.type == TensorMap::ElementType::TF32 || map.type == TensorMap::ElementType::TF32Flushed)
    roundToTF32(target, row.last - row.first);
}

void CopyOfThread::writeShared(ProgramState &owner, std::size_t offset, llvm::ArrayRef<std::byte> bytes, Agent agent) {
  // st.async is of the proxy of ordinary stores.
  bool needsFence = copy.kind != BulkCopy::Kind::Words;
  if (std::byte *target =
          warp.writeSharedAsynchronously(owner, offset, bytes.size(), agent, instruction.location, needsFence))
    std::memcpy(target, bytes.data(), bytes.size());
}

/// Copies to one of the programs that receive the copy.
void CopyOfThread::loadInto(ProgramState &owner, std::size_t offset, std::size_t barrierOffset) {
  uint64_t barrierAddress = reinterpret_cast<uint64_t>(owner.shared.data()) + barrierOffset;
  MemoryBarrier *barrier = warp.findBarrier(barrierAddress, atomicAccess, lane, instruction.location);
  if (!barrier)
    return;
  if (!barrier->isVisibleToProxy(warp))
    report(FindingKind::MissingProxyFence, barrier->name() + ", at which the copy ends, was initialized without "
                                                             "`fence.mbarrier_init` or `fence.proxy.async` since");
  Agent agent = barrier->agent();
  std::vector<std::byte> bytes;
  uint64_t total = 0;
  if (!copy.isTensor) {
    total = warp.read<uint32_t>(copy.size)[lane];
    uint64_t source = address(copy.source);
    if (checkAlignment("the size", total, piece) && checkAlignment("the source", source, piece) &&
        checkAlignment("the destination", offset, piece))
      if (const std::byte *from = warp.accessGlobal(source, total, readAccess, lane, instruction.location,
                                                    warp.clock.ofAgent(agent.number, agent.time)))
        writeShared(owner, offset, {from, std::size_t(total)}, agent);
  } else if (const TensorMap *map = findMap(copy.source)) {
    bool isValid = checkCoordinates(*map) && checkAlignment("the destination", offset, 128);
    forEachRow(*map, [&](const Row &row) {
      total += map->rowBytes();
      if (!isValid)
        return;
      loadRow(*map, row, agent, bytes);
      for (std::size_t i = 0; i < bytes.size(); i += piece)
        writeShared(owner, permute(offset + row.number * map->rowPitch() + i, *map),
                    llvm::ArrayRef(bytes).slice(i, piece), agent);
    });
  }
  barrier->completeBytes(warp, int64_t(total), instruction.location);
}

void CopyOfThread::load() {
  Warp::SharedPlace destination = warp.findSharedPlace(address(copy.destination)),
                    barrier = warp.findSharedPlace(address(copy.barrier));
  if (!destination.owner || !barrier.owner)
    return report(FindingKind::OutOfBounds, "a bulk copy to shared memory that no program of the cluster has");
  if (!copy.programs)
    return loadInto(*destination.owner, destination.offset, barrier.offset);
  for (unsigned rest = warp.read<uint16_t>(*copy.programs)[lane]; rest; rest &= rest - 1) {
    auto rank = unsigned(__builtin_ctz(rest));
    if (rank >= warp.state.cluster.programs.size()) {
      report(FindingKind::InvalidCopy, llvm::formatv("the copy is for program {0} of a cluster of {1}", rank,
                                                     warp.state.cluster.programs.size()));
      return;
    }
    loadInto(*warp.state.cluster.programs[rank], destination.offset, barrier.offset);
  }
}

//===--- Shared to global -----------------------------------------------------------------------------------------===//

/// Bytes of the program's shared memory; those of a tensor are read from where the swizzle puts them.
std::vector<std::byte> CopyOfThread::readShared(std::size_t offset, std::size_t size, const TensorMap *map,
                                                Agent agent) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; i += piece)
    if (const std::byte *from = warp.readSharedAsynchronously(map ? permute(offset + i, *map) : offset + i, piece,
                                                              agent, instruction.location))
      std::memcpy(&bytes[i], from, piece);
  return bytes;
}

void CopyOfThread::storeRun(uintptr_t target, llvm::ArrayRef<std::byte> bytes, TensorMap::ElementType type,
                            const WarpClock &clock) {
  bool isReduction = copy.kind == BulkCopy::Kind::Reduce;
  auto keeps = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(bytes.data() + begin, reinterpret_cast<std::byte *>(target) + begin, end - begin) == 0;
  };
  std::byte *to = warp.accessGlobal(target, bytes.size(), isReduction ? atomicAccess : writeAccess, lane,
                                    instruction.location, clock, keeps);
  if (!to)
    return;
  warp.state.cluster.progress += 1;
  if (!isReduction) {
    std::memcpy(to, bytes.data(), bytes.size());
    return;
  }
  TensorMap element{};
  element.type = type;
  if (!reduceElements(copy.reduction, type, to, bytes.data(), bytes.size() / element.elementBytes()))
    report(FindingKind::InvalidCopy, "the reduction does not exist for the elements of the tensor");
}

void CopyOfThread::store() {
  Warp::SharedPlace source = warp.findSharedPlace(address(copy.source));
  BulkGroups &groups = warp.bulkGroups(lane);
  Agent reader{groups.reader, groups.openGroup()};
  WarpClock writer = warp.clock.ofAgent(groups.writer, groups.openGroup());
  if (source.owner != &warp.state)
    return report(FindingKind::OutOfBounds, "a bulk copy from shared memory that the program does not have");
  if (!copy.isTensor) {
    uint32_t size = warp.read<uint32_t>(copy.size)[lane];
    uint64_t target = address(copy.destination);
    if (checkAlignment("the size", size, piece) && checkAlignment("the destination", target, piece) &&
        checkAlignment("the source", source.offset, piece))
      storeRun(target, readShared(source.offset, size, nullptr, reader), copy.type, writer);
    groups.openEnd = warp.time.copy(size, instruction.location);
    return;
  }
  const TensorMap *map = findMap(copy.destination);
  if (!map || !checkCoordinates(*map) || !checkAlignment("the source", source.offset, 128))
    return;
  uint64_t stored = 0;
  forEachRow(*map, [&](const Row &row) {
    stored += map->rowBytes();
    std::vector<std::byte> bytes =
        readShared(source.offset + row.number * map->rowPitch(), map->rowBytes(), map, reader);
    unsigned size = map->elementBytes();
    if (row.first < row.last)
      storeRun(row.address,
               llvm::ArrayRef(bytes).slice(std::size_t(row.first) * size, std::size_t(row.last - row.first) * size),
               map->type, writer);
  });
  groups.openEnd = warp.time.copy(stored, instruction.location);
}

/// Copies to the shared memory of another program.
void CopyOfThread::exchange() {
  Warp::SharedPlace destination = warp.findSharedPlace(address(copy.destination)),
                    source = warp.findSharedPlace(address(copy.source));
  MemoryBarrier *barrier = warp.findBarrier(address(copy.barrier), atomicAccess, lane, instruction.location);
  uint32_t size = warp.read<uint32_t>(copy.size)[lane];
  if (!barrier || !destination.owner || source.owner != &warp.state || !checkAlignment("the size", size, piece) ||
      !checkAlignment("the source", source.offset, piece) ||
      !checkAlignment("the destination", destination.offset, piece))
    return;
  writeShared(*destination.owner, destination.offset, readShared(source.offset, size, nullptr, barrier->agent()),
              barrier->agent());
  barrier->completeBytes(warp, size, instruction.location);
}

/// Stores registers to the shared memory of a program of the cluster.
void CopyOfThread::storeWords() {
  Warp::SharedPlace destination = warp.findSharedPlace(address(copy.destination));
  MemoryBarrier *barrier = warp.findBarrier(address(copy.barrier), atomicAccess, lane, instruction.location);
  if (!destination.owner)
    return report(FindingKind::OutOfBounds, "a store to shared memory that no program of the cluster has");
  std::size_t size = copy.words.size() * sizeof(uint32_t);
  if (!barrier || !checkAlignment("the destination", destination.offset, unsigned(size)))
    return;
  std::vector<std::byte> bytes(size);
  for (auto [index, word] : llvm::enumerate(copy.words))
    std::memcpy(&bytes[index * sizeof(uint32_t)], &warp.read<uint32_t>(word)[lane], sizeof(uint32_t));
  writeShared(*destination.owner, destination.offset, bytes, barrier->agent());
  barrier->completeBytes(warp, int64_t(size), instruction.location);
}

void CopyOfThread::run() {
  switch (copy.kind) {
  case BulkCopy::Kind::Load:
    return load();
  case BulkCopy::Kind::Store:
  case BulkCopy::Kind::Reduce:
    return store();
  case BulkCopy::Kind::Exchange:
    return exchange();
  case BulkCopy::Kind::Words:
    return storeWords();
  }
}

//===--- Instructions ---------------------------------------------------------------------------------------------===//

template <typename Body> static void forEachOf(LaneMask lanes, Body body) {
  for (; lanes; lanes &= lanes - 1)
    body(unsigned(__builtin_ctzll(lanes)));
}

static void copyInBulk(Warp &warp, const DecodedInstruction &instruction) {
  const auto &copy = *static_cast<const BulkCopy *>(instruction.detail);
  forEachOf(warp.active & warp.readMask(copy.lanes),
            [&](unsigned lane) { CopyOfThread(warp, instruction, lane).run(); });
}

static void commitGroup(Warp &warp, const DecodedInstruction &instruction) {
  forEachOf(warp.active & warp.readMask(instruction.operands[0]), [&](unsigned lane) {
    if (BulkGroups *groups = warp.findBulkGroups(lane)) // otherwise the group is empty
      groups->ends[++groups->committed % BulkGroups::mostDrawn] = groups->openEnd;
  });
}

template <bool onlyForReads> static void waitForGroups(Warp &warp, const DecodedInstruction &instruction) {
  auto leftPending = uint32_t(instruction.immediate);
  forEachOf(warp.active & warp.readMask(instruction.operands[0]), [&](unsigned lane) {
    const BulkGroups *groups = warp.findBulkGroups(lane);
    if (!groups || groups->committed <= leftPending)
      return;
    warp.clock.waitFor(groups->reader, groups->committed - leftPending);
    if (leftPending < BulkGroups::mostDrawn)
      warp.time.reach(groups->ends[(groups->committed - leftPending) % BulkGroups::mostDrawn], instruction.location);
    if (!onlyForReads)
      warp.clock.waitFor(groups->writer, groups->committed - leftPending);
  });
}

Handler bulkCopyHandler() { return &copyInBulk; }
Handler bulkCommitHandler() { return &commitGroup; }
Handler bulkWaitHandler(bool onlyForReads) { return onlyForReads ? &waitForGroups<true> : &waitForGroups<false>; }

} // namespace triton::simulator::nvptx
