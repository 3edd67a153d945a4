// Which bytes of its arrays and of shared memory a launch accesses, from where, and which of these accesses are errors:
// for pictures that people look at.
#pragma once

#include "simulator/core/AccessCounter.h"
#include "simulator/core/Memory.h"
#include "simulator/core/Report.h"

#include "llvm/ADT/SmallVector.h"

#include <map>

namespace triton::simulator {

/// Filled by the programs of a launch, which run one after another.
class AccessMap {
public:
  /// A few neighbouring bytes.
  struct Cell {
    uint64_t reads = 0, writes = 0; ///< accesses of threads, and of copies
    uint64_t firstProgram = 0, lastProgram = 0;
    llvm::SmallVector<uint32_t, 2> places;    ///< of the accesses: indices of Program::locations
    llvm::SmallVector<FindingKind, 1> errors; ///< what was wrong with some of them
    bool operator==(const Cell &) const = default;
  };
  /// An array, or the shared memory of all programs on top of each other.
  struct Area {
    std::string name;
    uintptr_t begin = 0;
    std::size_t bytes = 0, cellBytes = 1;
    bool isShared = false;
    std::vector<Cell> cells;
    std::map<int64_t, Cell> outside; ///< before and behind the array, by number
  };
  struct Access {
    int64_t offset = 0; ///< in the area
    std::size_t bytes = 0;
    uint64_t program = 0;
    uint32_t location = 0;
    bool writes = false;
  };

  AccessMap(const std::vector<Allocation> &allocations, std::size_t sharedBytes);

  /// The area of an array that begins there.
  Area &areaAt(uintptr_t begin);
  Area &sharedArea() { return areas.back(); }
  void note(Area &area, const Access &access);
  void noteError(Area &area, const Access &access, FindingKind kind);
  void noteInstruction(uint32_t location, const LaunchCounts &counts) { byPlace[location] += counts; }

  std::vector<Area> areas; ///< in the order of addresses; the last one is shared memory
  std::map<uint32_t, LaunchCounts> byPlace;

private:
  template <typename Function> static void forEachCell(Area &area, const Access &access, Function change);
};

} // namespace triton::simulator
