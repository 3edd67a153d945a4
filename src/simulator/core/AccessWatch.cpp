#include "simulator/core/AccessWatch.h"

#include "simulator/core/Program.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {

std::byte *WriteWatch::note(const WatchedAccess &access) {
  if (access.kind.writes && access.address <= watched && watched < access.address + access.size)
    last = {last.kind, program.locations[access.location], access.program, access.thread, {}};
  return access.memory();
}

RaceWatch::RaceWatch(const Program &program, std::vector<Finding> &findings) : program(program) {
  for (Finding &finding : findings)
    if (finding.kind == FindingKind::GlobalRace)
      races.push_back({&finding, std::nullopt});
}

std::byte *RaceWatch::note(const WatchedAccess &seen) {
  for (Race &race : races) {
    const Finding &finding = *race.finding;
    const RacingAccess &access = finding.access;
    if (race.isOver || seen.address + seen.size <= access.address || access.address + access.bytes <= seen.address)
      continue;
    bool isSameProgram = seen.program == finding.program;
    if (isSameProgram && seen.thread == finding.thread && program.locations[seen.location] == finding.location)
      race.isOver = true;
    else if (!isSameProgram || seen.thread / program.laneCount != finding.thread / program.laneCount)
      if (seen.kind.writes || access.writes) {
        bool areBothStrong = seen.kind.isStrong && access.isStrong;
        if (!areBothStrong || !race.other || race.other->areBothStrong)
          race.other = {seen.program, seen.thread, seen.location, seen.kind.writes, areBothStrong};
      }
  }
  return seen.memory();
}

void RaceWatch::complete() {
  for (const Race &race : races) {
    if (!race.isOver || !race.other)
      continue;
    const SourceLocation &place = program.locations[race.other->location];
    auto [x, y, z] = race.other->program;
    race.finding->detail += llvm::formatv("; thread {0} of program ({1}, {2}, {3}) {4} it", race.other->thread, x, y, z,
                                          race.other->writes ? "writes" : "reads")
                                .str();
    if (place.line != 0)
      race.finding->detail += llvm::formatv(" in line {0}", place.line).str();
  }
}

} // namespace triton::simulator
