#include "gpu/analysis/Occupancy.h"

#include "gpu/analysis/TunedNumbers.h"

#include "llvm/Support/MathExtras.h"

namespace triton::analysis {

unsigned Occupancy::programs() const {
  unsigned least = std::min(byWarps, byPrograms);
  return std::min({least, byRegisters.value_or(least), bySharedMemory.value_or(least)});
}

llvm::StringRef Occupancy::limit() const {
  unsigned least = programs();
  if (bySharedMemory == least)
    return "shared memory";
  if (byRegisters == least)
    return "registers";
  return byWarps == least ? "warps" : "programs";
}

Occupancy computeOccupancy(const ProgramResources &program, const gpu::Machine &machine) {
  Occupancy occupancy;
  occupancy.byWarps = machine.warpsOfMultiprocessor / program.warps;
  occupancy.byPrograms = machine.programsOfMultiprocessor;
  if (program.registers != 0) {
    // Warps stay with a scheduler, which has its part of the registers.
    uint64_t ofWarp = llvm::alignTo(program.registers, machine.registerGranule) * machine.lanes;
    uint64_t warps = machine.registers / machine.schedulers / ofWarp * machine.schedulers;
    occupancy.byRegisters = unsigned(warps / program.warps);
  }
  if (std::size_t taken = program.sharedBytes + machine.reservedShared)
    occupancy.bySharedMemory = unsigned(machine.sharedOfMultiprocessor / llvm::alignTo(taken, machine.sharedGranule));
  return occupancy;
}

ProgramsInReach findProgramsInReach(const ProgramResources &program, const gpu::Machine &machine) {
  if (program.warps == 0 || machine.warpsOfMultiprocessor == 0) // not known
    return {};
  auto programsWith = [&](unsigned registers) {
    return computeOccupancy({program.warps, registers, program.sharedBytes}, machine).programs();
  };
  unsigned now = programsWith(program.registers), more = now + 1, warps = now * program.warps;
  bool runsFewWarps = warps <= tuned::fewWarps;
  bool runsFewPrograms = now <= tuned::fewPrograms && 2 * warps <= machine.warpsOfMultiprocessor;
  if ((!runsFewWarps && !runsFewPrograms) || programsWith(0) < more ||
      programsWith(unsigned(program.registers * tuned::registersInReach)) < more)
    return {};
  return {more, runsFewWarps ? int(tuned::spillsOfMorePrograms / more) : 0};
}

} // namespace triton::analysis
