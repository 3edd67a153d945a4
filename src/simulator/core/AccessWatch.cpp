#include "simulator/core/AccessWatch.h"

#include "simulator/core/Program.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {

void WriteWatch::note(uintptr_t address, std::size_t size, AccessKind kind, const std::array<uint32_t, 3> &ofProgram,
                      uint32_t thread, uint32_t location) {
  if (kind.writes && address <= watched && watched < address + size)
    last = {last.kind, program.locations[location], ofProgram, thread, {}};
}

RaceWatch::RaceWatch(const Program &program, std::vector<Finding> &findings) : program(program) {
  for (Finding &finding : findings)
    if (finding.kind == FindingKind::GlobalRace)
      races.push_back({&finding, std::nullopt});
}

void RaceWatch::note(uintptr_t address, std::size_t size, AccessKind kind, const std::array<uint32_t, 3> &ofProgram,
                     uint32_t thread, uint32_t location) {
  for (Race &race : races) {
    const Finding &finding = *race.finding;
    const RacingAccess &access = finding.access;
    if (race.isOver || address + size <= access.address || access.address + access.bytes <= address)
      continue;
    bool isSameProgram = ofProgram == finding.program;
    if (isSameProgram && thread == finding.thread && program.locations[location] == finding.location)
      race.isOver = true;
    else if (!isSameProgram || thread / program.laneCount != finding.thread / program.laneCount)
      if (kind.writes || access.writes)
        race.other = {ofProgram, thread, location, kind.writes};
  }
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
