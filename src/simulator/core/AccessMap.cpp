#include "simulator/core/AccessMap.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace triton::simulator {

static constexpr std::size_t mostCells = 4096;   // of an area
static constexpr std::size_t mostOutside = 1024; // cells of an area
static constexpr std::size_t mostPlaces = 16;    // of a cell
static constexpr std::size_t leastCellBytes = 4;

static AccessMap::Area makeArea(std::string name, uintptr_t begin, std::size_t bytes, bool isShared) {
  std::size_t cellBytes = leastCellBytes;
  while (bytes > cellBytes * mostCells)
    cellBytes *= 2;
  AccessMap::Area area{std::move(name), begin, bytes, cellBytes, isShared, {}, {}};
  area.cells.resize((bytes + cellBytes - 1) / cellBytes);
  return area;
}

AccessMap::AccessMap(const std::vector<Allocation> &allocations, std::size_t sharedBytes) {
  for (const Allocation &allocation : allocations)
    areas.push_back(makeArea(allocation.name, allocation.begin, allocation.size, /*isShared=*/false));
  llvm::sort(areas, [](const Area &a, const Area &b) { return a.begin < b.begin; });
  areas.push_back(makeArea("shared memory", 0, sharedBytes, /*isShared=*/true));
}

AccessMap::Area &AccessMap::areaAt(uintptr_t begin) {
  auto arrays = llvm::MutableArrayRef(areas).drop_back();
  return *llvm::lower_bound(arrays, begin, [](const Area &area, uintptr_t address) { return area.begin < address; });
}

template <typename Function> void AccessMap::forEachCell(Area &area, const Access &access, Function change) {
  auto size = int64_t(area.cellBytes);
  auto cellOf = [&](int64_t offset) { return offset >= 0 ? offset / size : -((-offset + size - 1) / size); };
  int64_t end = access.offset + int64_t(std::max<std::size_t>(access.bytes, 1));
  for (int64_t index = cellOf(access.offset), last = cellOf(end - 1); index <= last; ++index) {
    if (index >= 0 && index < int64_t(area.cells.size()) && access.offset < int64_t(area.bytes)) {
      change(area.cells[std::size_t(index)]);
      continue;
    }
    // What lies behind the end of an array whose last cell is not full begins a cell of its own.
    int64_t shown = index >= 0 ? std::max(index, int64_t(area.cells.size())) : index;
    auto found = area.outside.find(shown);
    if (found == area.outside.end() && area.outside.size() < mostOutside)
      found = area.outside.emplace(shown, Cell()).first;
    if (found != area.outside.end())
      change(found->second);
  }
}

void AccessMap::note(Area &area, const Access &access) {
  forEachCell(area, access, [&](Cell &cell) {
    bool isFirst = cell.reads + cell.writes == 0;
    cell.firstProgram = isFirst ? access.program : std::min(cell.firstProgram, access.program);
    cell.lastProgram = isFirst ? access.program : std::max(cell.lastProgram, access.program);
    ++(access.writes ? cell.writes : cell.reads);
    if (!llvm::is_contained(cell.places, access.location) && cell.places.size() < mostPlaces)
      cell.places.push_back(access.location);
  });
}

void AccessMap::noteError(Area &area, const Access &access, FindingKind kind) {
  forEachCell(area, access, [&](Cell &cell) {
    if (!llvm::is_contained(cell.errors, kind))
      cell.errors.push_back(kind);
  });
}

} // namespace triton::simulator
