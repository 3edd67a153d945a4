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

unsigned programsInReach(const ProgramResources &program, const gpu::Machine &machine) {
  if (program.warps == 0 || machine.warpsOfMultiprocessor == 0) // not known
    return 0;
  auto programsWith = [&](unsigned registers) {
    return computeOccupancy({program.warps, registers, program.sharedBytes}, machine).programs();
  };
  unsigned more = programsWith(program.registers) + 1;
  if ((more - 1) * program.warps > tuned::fewWarps || programsWith(0) < more)
    return 0;
  return programsWith(unsigned(program.registers * tuned::registersInReach)) >= more ? more : 0;
}

} // namespace triton::analysis
