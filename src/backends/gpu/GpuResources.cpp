// What a program takes of a multiprocessor.
#include "backends/gpu/GpuStages.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/target/TargetInfo.h"

using llvm::json::Object;
using llvm::json::Value;

namespace triton::backends {

template <typename T> static Value valueOf(const std::optional<T> &number) {
  return number ? Value(int64_t(*number)) : Value(nullptr);
}

static Object describe(const analysis::Occupancy &occupancy, unsigned warps, const gpu::Machine &machine,
                       unsigned joined) {
  return Object{{"multiprocessors", joined},
                {"programs", occupancy.programs()},
                {"limit", occupancy.limit()},
                {"by_warps", occupancy.byWarps},
                {"by_programs", occupancy.byPrograms},
                {"by_registers", valueOf(occupancy.byRegisters)},
                {"by_shared_memory", valueOf(occupancy.bySharedMemory)},
                {"warps", occupancy.programs() * warps},
                {"most_warps", machine.warpsOfMultiprocessor}};
}

static analysis::ProgramResources findResources(const base::StageResults &results) {
  analysis::ProgramResources program;
  program.warps = unsigned(results.startedWarps());
  program.registers = unsigned(results.registers.value_or(0));
  program.sharedBytes = std::size_t(results.sharedBytes);
  return program;
}

/// Multiprocessors that share memory as one.
static gpu::Machine join(gpu::Machine machine, unsigned joined) {
  for (unsigned *number :
       {&machine.schedulers, &machine.registers, &machine.warpsOfMultiprocessor, &machine.programsOfMultiprocessor})
    *number *= joined;
  machine.sharedOfMultiprocessor *= joined;
  return machine;
}

unsigned countResidentWarps(const Compilation &compilation, llvm::StringRef name, unsigned joined) {
  const gpu::TargetInfo *target = gpu::findTarget(mlir::UnknownLoc::get(&compilation.context), name);
  if (!target)
    return 0;
  gpu::Machine machine = join(target->machine(), joined);
  analysis::ProgramResources program = findResources(compilation.results);
  return analysis::computeOccupancy(program, machine).programs() * program.warps / machine.schedulers;
}

analysis::ProgramsInReach findProgramsInReach(const Compilation &compilation, llvm::StringRef name,
                                              unsigned registers) {
  const gpu::TargetInfo *target = gpu::findTarget(mlir::UnknownLoc::get(&compilation.context), name);
  if (!target)
    return {};
  analysis::ProgramResources program = findResources(compilation.results);
  program.registers = registers;
  return analysis::findProgramsInReach(program, target->machine());
}

Object describeGpuResources(const Compilation &compilation, llvm::StringRef name, unsigned joined) {
  const gpu::TargetInfo *target = gpu::findTarget(mlir::UnknownLoc::get(&compilation.context), name);
  if (!target)
    return {};
  gpu::Machine machine = join(target->machine(), joined);
  const base::StageResults &results = compilation.results;
  analysis::ProgramResources program = findResources(results);
  Object resources{{"warps", program.warps},
                   {"threads", program.warps * machine.lanes},
                   {"registers", valueOf(results.registers)},
                   {"most_registers", machine.registersOfThread},
                   {"spill_bytes", valueOf(results.spillBytes)},
                   {"shared_bytes", results.sharedBytes},
                   {"most_shared_bytes", int64_t(machine.sharedBytes)}};
  if (machine.warpsOfMultiprocessor != 0)
    resources["occupancy"] = describe(analysis::computeOccupancy(program, machine), program.warps, machine, joined);
  if (const gpu::ReferenceDevice &device = machine.device; device.multiprocessors != 0)
    resources["device"] = Object{{"name", device.name},
                                 {"multiprocessors", device.multiprocessors},
                                 {"clock", device.clock},
                                 {"memory_bytes_per_second", device.memoryBandwidth}};
  return resources;
}

} // namespace triton::backends
