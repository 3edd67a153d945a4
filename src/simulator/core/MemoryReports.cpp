#include "simulator/core/MemoryReports.h"

#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"
#include "simulator/core/WrappedOffsets.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

namespace triton::simulator {

const char *verb(AccessKind kind) { return !kind.writes ? "read" : !kind.isStrong ? "write" : "atomic update"; }

std::string describeMiss(const ProgramState &state, uintptr_t address, std::size_t size, AccessKind kind,
                         const ParameterMemory *meant) {
  std::string text = llvm::formatv("{0} of {1} bytes at ", verb(kind), size).str();
  if (std::optional<std::size_t> offset = state.shared.offsetOf(address))
    return text +
           llvm::formatv("byte {0} of shared memory, of which the program has {1} bytes", *offset, state.shared.size())
               .str();
  const GlobalMemory &memory = state.launch.memory;
  const Allocation *array = meant ? &meant->array : memory.nearest(address), *found = memory.find(address, size);
  int64_t offset = array ? int64_t(address) - int64_t(array->begin) : 0;
  if (meant && meant->view && isInside(address, size, array->begin, array->size))
    return text + llvm::formatv("{0} of `{1}`, a view of {2} elements; the address lies in other parts of its memory",
                                address < meant->view->begin ? "a place before the begin"
                                                             : "element " + meant->view->indexAt(address),
                                array->name, meant->view->shape())
                      .str();
  if (meant || (array && offset > -farAway && offset < int64_t(array->size) + farAway)) {
    text += llvm::formatv("byte {0} of `{1}`, which has {2} bytes", offset, array->name, array->size).str();
    return meant && found ? text + llvm::formatv("; the address lies in `{0}`", found->name).str() : text;
  }
  return text + (address < 4096 ? llvm::formatv("address {0}", address).str() : std::string("an address")) +
         ", which is in none of the kernel's arrays";
}

void reportMiss(Warp &warp, uintptr_t address, std::size_t size, AccessKind kind, unsigned lane, uint32_t location) {
  const ParameterMemory *meant = warp.state.launch.reachable[location].meant();
  if (!warp.state.shared.offsetOf(address))
    warp.markOnMap(FindingKind::OutOfBounds, meant ? warp.state.launch.memory.find(meant->array.begin, 1) : nullptr,
                   address, size, kind.writes, location);
  std::string text = describeMiss(warp.state, address, size, kind, meant);
  std::optional<std::string> wrap =
      describeWrap(warp, uint32_t(warp.next - 1 - warp.program.instructions.data()), lane);
  warp.report(wrap ? FindingKind::WrappedOffset : FindingKind::OutOfBounds, location, lane,
              wrap ? text + "; " + *wrap + ", which 32 bits do not hold" : text);
}

void reportMisaligned(Warp &warp, uintptr_t address, std::size_t size, std::size_t alignment, AccessKind kind,
                      unsigned lane, uint32_t location) {
  const ParameterMemory *meant = warp.state.launch.reachable[location].meant();
  const Allocation *array = meant ? &meant->array : warp.state.launch.memory.find(address, 1);
  std::string place =
      array ? llvm::formatv("byte {0} of `{1}`, ", int64_t(address - array->begin), array->name).str() : "";
  warp.report(FindingKind::Misaligned, location, lane,
              llvm::formatv("{0} of {1} bytes at {2}an address that is {3} bytes past a multiple of {4}", verb(kind),
                            size, place, address % alignment, alignment)
                  .str());
}

void reportConflict(Warp &warp, uintptr_t address, llvm::ArrayRef<std::byte> value, unsigned lane, uint32_t location) {
  const Allocation *array = warp.state.launch.memory.find(address, value.size());
  if (!array)
    return;
  auto digits = [](const std::byte *bytes, std::size_t size) {
    uint64_t number = 0;
    std::memcpy(&number, bytes, size);
    return llvm::format_hex(number, unsigned(2 + 2 * size));
  };
  warp.report(FindingKind::StoreConflict, location, lane,
              llvm::formatv("write of {0} to byte {1} of `{2}`, to which another thread of the warp writes {3}",
                            digits(value.data(), value.size()), address - array->begin, array->name,
                            digits(reinterpret_cast<const std::byte *>(address), value.size()))
                  .str());
  warp.markOnMap(FindingKind::StoreConflict, array, address, value.size(), /*writes=*/true, location);
}

bool noteDivisionByZero(Warp &warp, unsigned lane, uint32_t location) {
  warp.state.launch.divisionsByZero.add(findingAt(warp, FindingKind::DivisionByZero, location, lane,
                                                  "the divisor is 0, and what it gives decides results"));
  return warp.state.launch.variesDivisions;
}

} // namespace triton::simulator
