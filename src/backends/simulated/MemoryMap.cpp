#include "backends/simulated/MemoryMap.h"

#include "simulator/core/Launch.h"

#include <algorithm>
#include <set>

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

static llvm::StringRef nameOf(simulator::Timeline::Kind kind) {
  switch (kind) {
  case simulator::Timeline::Kind::Wait:
    return "wait";
  case simulator::Timeline::Kind::Copy:
    return "copy";
  case simulator::Timeline::Kind::Product:
    return "product";
  }
  llvm_unreachable("every kind returns");
}

namespace {
/// The events of a few warps.
struct Lane {
  unsigned first, last;                                            ///< warps
  std::set<std::pair<simulator::Timeline::Kind, uint32_t>> places; ///< of longer waits and of products
};
} // namespace

/// A lane for warps that share matrix units by turns, which are four, and wait and multiply at the same places.
static std::vector<Lane> lanesOf(const simulator::Timeline &timeline) {
  constexpr unsigned mostWarps = 4;
  constexpr uint64_t longWait = 64; // Others are for warps of the same lane.
  std::vector<Lane> lanes;
  for (unsigned warp = 0; warp < timeline.ends.size(); ++warp) {
    Lane lane{warp, warp, {}};
    for (const simulator::Timeline::Event &event : timeline.events)
      if (event.warp == warp &&
          (event.kind == simulator::Timeline::Kind::Product ||
           (event.kind == simulator::Timeline::Kind::Wait && event.end - event.begin >= longWait)))
        lane.places.insert({event.kind, event.location});
    if (!lanes.empty() && warp % mostWarps != 0 && lanes.back().places == lane.places)
      lanes.back().last = warp;
    else
      lanes.push_back(std::move(lane));
  }
  return lanes;
}

Object backends::describeTime(const simulator::Timeline &timeline) {
  Array lanes;
  for (const Lane &lane : lanesOf(timeline)) {
    Array events;
    for (const simulator::Timeline::Event &event : timeline.events) {
      bool isShown = event.warp == lane.first || (event.kind == simulator::Timeline::Kind::Copy &&
                                                  event.warp >= lane.first && event.warp <= lane.last);
      if (isShown)
        events.push_back(Object{{"kind", nameOf(event.kind)},
                                {"begin", event.begin},
                                {"end", event.end},
                                {"place", event.location},
                                {"amount", event.amount},
                                {"count", event.count}});
    }
    uint64_t end = *std::max_element(timeline.ends.begin() + lane.first, timeline.ends.begin() + lane.last + 1);
    lanes.push_back(
        Object{{"first_warp", lane.first}, {"last_warp", lane.last}, {"end", end}, {"events", std::move(events)}});
  }
  return Object{{"lanes", std::move(lanes)}, {"is_cut", timeline.isCut}};
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
