#include "backends/simulated/MemoryMap.h"

#include "simulator/core/Launch.h"

using namespace triton;
using namespace triton::backends;
using llvm::json::Array;
using llvm::json::Object;
using simulator::AccessMap;
using simulator::SourcePosition;

static Object describe(const SourcePosition &place) {
  return Object{{"file", llvm::json::fixUTF8(place.file)}, {"line", place.line}, {"column", place.column}};
}

static Object describe(const simulator::SourceLocation &location) {
  Object described = describe(static_cast<const SourcePosition &>(location));
  Array callers;
  for (const SourcePosition &caller : location.callers)
    callers.push_back(describe(caller));
  if (!callers.empty())
    described["callers"] = std::move(callers);
  return described;
}

namespace {

/// The cells of an area in their order. Equal neighbours are one entry.
class CellWriter {
public:
  void add(int64_t index, const AccessMap::Cell &cell) {
    if (cell.reads + cell.writes == 0 && cell.errors.empty())
      return;
    if (last && *last == cell && index == first + count) {
      ++count;
      return;
    }
    flush();
    last = &cell;
    first = index;
    count = 1;
  }
  Array take() {
    flush();
    return std::move(cells);
  }

private:
  void flush() {
    if (!last)
      return;
    Array errors;
    for (simulator::FindingKind kind : last->errors)
      errors.push_back(simulator::title(kind));
    cells.push_back(Object{{"first", first},
                           {"count", count},
                           {"reads", last->reads},
                           {"writes", last->writes},
                           {"programs", Array{last->firstProgram, last->lastProgram}},
                           {"places", Array(last->places)},
                           {"errors", std::move(errors)}});
    last = nullptr;
  }

  Array cells;
  const AccessMap::Cell *last = nullptr;
  int64_t first = 0, count = 0;
};

} // namespace

static Object describe(const AccessMap::Area &area) {
  CellWriter writer;
  for (auto entry = area.outside.begin(); entry != area.outside.end() && entry->first < 0; ++entry)
    writer.add(entry->first, entry->second);
  for (auto [index, cell] : llvm::enumerate(area.cells))
    writer.add(int64_t(index), cell);
  for (auto entry = area.outside.lower_bound(0); entry != area.outside.end(); ++entry)
    writer.add(entry->first, entry->second);
  return Object{{"name", llvm::json::fixUTF8(area.name)},
                {"bytes", area.bytes},
                {"cell_bytes", area.cellBytes},
                {"is_shared", area.isShared},
                {"cells", writer.take()}};
}

static Object describe(uint32_t place, const simulator::LaunchCounts &counts) {
  return Object{{"place", place},
                {"instructions", counts.instructions},
                {"global_load_bytes", counts.globalLoadBytes},
                {"global_store_bytes", counts.globalStoreBytes},
                {"global_sectors", counts.globalSectors},
                {"shared_load_bytes", counts.sharedLoadBytes},
                {"shared_store_bytes", counts.sharedStoreBytes},
                {"shared_wavefronts", counts.sharedWavefronts},
                {"bank_conflicts", counts.bankConflicts}};
}

Object backends::describeMemory(const AccessMap &map, const simulator::Program &program,
                                const simulator::LaunchResult &result, llvm::StringRef printed) {
  Array areas, places, byPlace, findings;
  for (const AccessMap::Area &area : map.areas)
    if (area.bytes != 0 || !area.outside.empty())
      areas.push_back(describe(area));
  for (const simulator::SourceLocation &location : program.locations)
    places.push_back(describe(location));
  for (const auto &[place, counts] : map.byPlace)
    byPlace.push_back(describe(place, counts));
  for (const simulator::Finding &finding : result.findings) {
    Object described = describe(finding.location);
    described["kind"] = simulator::title(finding.kind);
    described["text"] = llvm::json::fixUTF8(finding.message());
    described["remedy"] = finding.remedy();
    findings.push_back(std::move(described));
  }
  return Object{{"areas", std::move(areas)},
                {"places", std::move(places)},
                {"by_place", std::move(byPlace)},
                {"findings", std::move(findings)},
                {"printed", llvm::json::fixUTF8(printed)}};
}
