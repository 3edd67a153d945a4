// Runs what warps do with tensor memory: columns, loads and stores.
#include "simulator/core/MemoryBarrier.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/TensorUnit.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace triton::simulator::nvptx {

static void misuse(Warp &warp, const DecodedInstruction &instruction, std::string detail) {
  warp.report(FindingKind::TensorMemoryMisuse, instruction.location, warp.firstLane(), std::move(detail));
}

/// The instructions that all lanes of a warp execute together.
static void needWholeWarp(Warp &warp, const DecodedInstruction &instruction) {
  if (warp.active != warp.program.allLanes())
    warp.report(FindingKind::PartialWarp, instruction.location, warp.firstLane(),
                "only some lanes of the warp execute an instruction on tensor memory");
}

static void reserveColumns(Warp &warp, const DecodedInstruction &instruction) {
  needWholeWarp(warp, instruction);
  TensorMemory &memory = warp.state.tensorMemory();
  auto count = unsigned(instruction.immediate);
  if (count < TensorMemory::leastColumns || count > TensorMemory::columns || !llvm::isPowerOf2_32(count))
    return misuse(warp, instruction, llvm::formatv("{0} columns; a power of two from 32 to 512 is reserved", count));
  if (!memory.mayReserve)
    return misuse(warp, instruction, "the program has given up the right to reserve columns");
  std::optional<unsigned> first = memory.reserve(count, instruction.location);
  if (!first)
    return misuse(warp, instruction,
                  llvm::formatv("{0} columns are to be reserved, of which {1} of {2} are reserved already: it waits "
                                "without end",
                                count, memory.reservedColumns(), TensorMemory::columns));
  Warp::SharedPlace place = warp.findSharedPlace(warp.read<uint64_t>(instruction.operands[0])[warp.firstLane()]);
  if (std::byte *target = warp.access(place.address, 4, 4, writeAccess, warp.firstLane(), instruction.location))
    *reinterpret_cast<uint32_t *>(target) = *first;
}

static void releaseColumns(Warp &warp, const DecodedInstruction &instruction) {
  needWholeWarp(warp, instruction);
  uint32_t address = warp.read<uint32_t>(instruction.operands[0])[warp.firstLane()];
  if (!warp.state.tensorMemory().release(address, unsigned(instruction.immediate)))
    misuse(warp, instruction,
           llvm::formatv("no {0} columns were reserved together from address {1} on", instruction.immediate, address));
}

static void giveUpColumns(Warp &warp, const DecodedInstruction &) { warp.state.tensorMemory().mayReserve = false; }

Handler reserveColumnsHandler() { return &reserveColumns; }
Handler releaseColumnsHandler() { return &releaseColumns; }
Handler giveUpColumnsHandler() { return &giveUpColumns; }

//===--- Accesses -----------------------------------------------------------------------------------------------===//

TensorMemory::Unit &unitOf(Warp &warp) {
  auto [found, isNew] = warp.state.tensorMemory().units.try_emplace(warp.index);
  if (isNew)
    found->second.agent = warp.state.cluster.addAgent();
  return found->second;
}

TensorAccess::TensorAccess(Warp &warp, uint32_t location, bool isOfUnit)
    : warp(warp), memory(warp.state.tensorMemory()), location(location),
      self(isOfUnit ? unitOf(warp).now() : Agent{warp.clock.warp(), warp.clock.now()}), isOfUnit(isOfUnit),
      recorded(2 * TensorMemory::parts * TensorMemory::columns) {}

void TensorAccess::report(TensorMemory::Outcome outcome, unsigned lane, unsigned column, bool writes) {
  if (isReported) // One report says enough of an instruction.
    return;
  isReported = true;
  const char *verb = writes ? "written" : "read";
  FindingKind kind = FindingKind::TensorMemoryMisuse;
  std::string place = llvm::formatv("lane {0}, column {1} of tensor memory", lane, column), detail;
  switch (outcome) {
  case TensorMemory::Outcome::Fine:
    return;
  case TensorMemory::Outcome::Unwritten:
    detail = place + " is read, and nothing has been written there";
    break;
  case TensorMemory::Outcome::Race:
    kind = FindingKind::TensorMemoryRace;
    detail = llvm::formatv("{0} is {1}{2}, and another warp has accessed it without a barrier in between", place, verb,
                           isOfUnit ? " by the matrix unit" : "");
    break;
  case TensorMemory::Outcome::InFlight:
    kind = FindingKind::ResultInFlight;
    detail = llvm::formatv("{0} is {1}, and the matrix unit may still work there: no wait at a barrier of "
                           "`tcgen05.commit` lies in between",
                           place, verb);
    break;
  }
  warp.report(kind, location, warp.firstLane(), std::move(detail));
}

uint32_t &TensorAccess::word(unsigned lane, unsigned column, bool writes) {
  bool isInside = lane < TensorMemory::lanes && column < TensorMemory::columns;
  unsigned part = lane / TensorMemory::lanesOfPart;
  std::size_t number = 0;
  if (isInside) {
    number = (std::size_t(writes) * TensorMemory::parts + part) * TensorMemory::columns + column;
    if (recorded[number])
      return memory.word(lane, column);
  }
  if (!isInside || !memory.isReserved(column, 1)) {
    if (!isReported)
      warp.report(
          FindingKind::TensorMemoryMisuse, location, warp.firstLane(),
          llvm::formatv("lane {0}, column {1} of tensor memory is accessed, and the program has not reserved it", lane,
                        column));
    isReported = true;
    return nothing;
  }
  recorded[number] = true;
  report(writes ? memory.write(part, column, self, warp.clock) : memory.read(part, column, self, warp.clock), lane,
         column, writes);
  return memory.word(lane, column);
}

//===--- Loads and stores ---------------------------------------------------------------------------------------===//

/// The lane and the column, behind the address, of a word. The source is the PTX ISA, section on the shapes of
/// tcgen05.ld.
static std::pair<unsigned, unsigned> placeOf(const TensorTransfer &transfer, unsigned lane, unsigned word) {
  using Shape = TensorTransfer::Shape;
  switch (transfer.shape) {
  case Shape::Rows32:
    return {lane, word};
  case Shape::Rows16Twice:
    return {lane % 16, word + lane / 16 * transfer.half};
  case Shape::Columns64:
    return {lane / 4 + lane % 2 * 8, lane / 2 % 2 + 2 * word};
  case Shape::Columns128:
    return {lane / 4 + word % 2 * 8, lane % 4 + word / 2 * 4};
  case Shape::Columns256:
    return {lane / 4 + word / 2 % 2 * 8, lane % 4 * 2 + word % 2 + word / 4 * 8};
  }
  llvm_unreachable("all shapes are listed");
}

static void transferWords(Warp &warp, const DecodedInstruction &instruction) {
  needWholeWarp(warp, instruction);
  const auto &transfer = *static_cast<const TensorTransfer *>(instruction.detail);
  auto address = uint32_t(warp.read<uint64_t>(transfer.address)[warp.firstLane()]);
  unsigned firstLane = address >> 16, firstColumn = address & 0xffff;
  unsigned own = warp.index % 4 * TensorMemory::lanesOfWarp;
  unsigned last = firstLane + (transfer.shape == TensorTransfer::Shape::Rows32 ? 32 : 16);
  if (firstLane < own || last > own + TensorMemory::lanesOfWarp)
    return misuse(warp, instruction,
                  llvm::formatv("warp {0} accesses lanes {1} to {2} of tensor memory, and reaches {3} to {4}",
                                warp.index, firstLane, last - 1, own, own + TensorMemory::lanesOfWarp - 1));
  TensorAccess access(warp, instruction.location, /*isOfUnit=*/false);
  for (auto [number, offset] : llvm::enumerate(transfer.registers))
    for (unsigned lane = 0; lane < warp.program.laneCount; ++lane) {
      auto [row, column] = placeOf(transfer, lane, unsigned(number));
      uint32_t &word = access.word(firstLane + row, firstColumn + column, transfer.isStore);
      if (transfer.isStore)
        word = warp.read<uint32_t>(offset)[lane];
      else
        warp.write<uint32_t>(offset)[lane] = word;
    }
}

Handler tensorTransferHandler() { return &transferWords; }

//===--- Arrivals -----------------------------------------------------------------------------------------------===//

static void commitProducts(Warp &warp, const DecodedInstruction &instruction) {
  for (LaneMask rest = warp.active & warp.readMask(instruction.operands[1]); rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctzll(rest));
    MemoryBarrier *barrier =
        warp.findBarrier(warp.read<uint64_t>(instruction.operands[0])[lane], atomicAccess, lane, instruction.location);
    if (!barrier)
      continue;
    TensorMemory::Unit &unit = unitOf(warp);
    barrier->arriveFor(warp, unit.now(), instruction.location);
    ++unit.commits;
  }
}

Handler tensorCommitHandler() { return &commitProducts; }

} // namespace triton::simulator::nvptx
