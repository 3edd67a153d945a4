// The stages from TTIR to the LLVM IR of one thread, which the backends of all GPUs share.
#pragma once

#include "backends/Backend.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/target/EmitterOptions.h"

namespace triton::backends {

/// Registers the dialects that these stages create, what their passes need of a context, and the translation to LLVM
/// IR.
void registerGpuDialects(mlir::DialectRegistry &registry);

/// What the stage ttir must know of a machine.
struct TtirMachine {
  std::string name; ///< as in TargetInfo.h
  /// The shared memory of a program, to and from which the machine copies blocks of tensors by itself; 0 where it does
  /// not.
  uint64_t copiedBytes = 0;
  bool copiesOfPointers = true;              ///< also blocks that kernels load through pointers
  bool hasBases = false;                     ///< instructions add a base and the offsets of threads
  bool takesPtx = false;                     ///< as inline assembly
  llvm::SmallVector<unsigned> scalingDepths; ///< see TtirOptions
};

/// The stage ttir.
llvm::Error runGpuTtir(Compilation &compilation, base::PassRunner &runner, const TtirMachine &machine);

/// The stage ttgir for the machine of that name (TargetInfo.h). `keepsWarps`: all warps run, even if fewer would be
/// enough.
llvm::Error runGpuTtgir(Compilation &compilation, base::PassRunner &runner, llvm::StringRef machine, bool keepsWarps);

/// Whether kernels run in the simulator instead of on the target.
bool isSimulated(const base::Target &target);

/// The passes of the stage llir, which leave the LLVM dialect. `machine` is as for runGpuTtgir.
llvm::Error lowerGpuModule(Compilation &compilation, base::PassRunner &runner, llvm::StringRef machine,
                           bool flushDenormals, const gpu::EmitterOptions &options);

/// Translates the LLVM dialect to LLVM IR that names no target yet.
llvm::Error translateGpuModule(Compilation &compilation);

/// The warps that a scheduler of the machine of that name holds at a time, if there are enough programs. The warps of a
/// program may be spread over so many multiprocessors that share memory (`joined`).
unsigned countResidentWarps(const Compilation &compilation, llvm::StringRef machine, unsigned joined);

/// What a multiprocessor of the machine of that name could run at a time if threads had somewhat fewer than so many
/// registers.
analysis::ProgramsInReach findProgramsInReach(const Compilation &compilation, llvm::StringRef machine,
                                              unsigned registers);

/// What Backend::describeResources gives, on the machine of that name. `joined` is that of countResidentWarps.
llvm::json::Object describeGpuResources(const Compilation &compilation, llvm::StringRef machine, unsigned joined = 1);

} // namespace triton::backends
