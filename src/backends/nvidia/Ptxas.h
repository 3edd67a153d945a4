// Assembles PTX with NVIDIA's ptxas.
#pragma once

#include "backends/gpu/GpuStages.h"
#include "backends/nvidia/AssemblerProcess.h"
#include "backends/nvidia/target/Architecture.h"
#include "base/StageError.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::nvidia {

/// The newest PTX that the ptxas for this architecture reads and this LLVM writes. Without a ptxas, the newest that
/// LLVM writes.
PtxVersion supportedPtxVersion(const Architecture &architecture);

/// Distinguishes versions of ptxas without running it; empty when there is none.
std::string ptxasFingerprint(const Architecture &architecture);

struct AssemblyOptions {
  Architecture architecture;
  bool optimize = true;
  bool lineInfo = true;
  bool fuseMultiplyAdd = true;
  bool printLog = false;               ///< to standard error
  std::vector<std::string> extraFlags; ///< in the user's spelling
};

struct Assembly {
  std::string cubin;
  int registers = 0;  ///< of a thread
  int spillBytes = 0; ///< that a thread stores to local memory because it lacks registers
  int localBytes = 0; ///< of local memory that a thread has; what is spilled in several places may share it
};

/// Starts ptxas, which waits for `assemble`; null when there is no ptxas. `limit`, if any, says how many may run.
std::unique_ptr<AssemblerProcess> startAssembler(const std::string &kernel, const AssemblyOptions &options,
                                                 base::ProcessLimit *limit = nullptr);

/// What a multiprocessor could run at a time if threads had somewhat fewer than so many registers.
using FindProgramsInReach = llvm::function_ref<analysis::ProgramsInReach(unsigned registers)>;

/// Assembles with the process that `startAssembler` returned for these options, if any. Assembles again for
/// `findProgramsInReach`, and takes that if no more is spilled than this allows. When there is no ptxas or it refuses,
/// returns a base::ToolchainError, which names the `kernel` and the file that keeps the PTX.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, const std::string &kernel, const AssemblyOptions &options,
                                  AssemblerProcess *started = nullptr, FindProgramsInReach findProgramsInReach = {});

/// The first error in what ptxas said of PTX, with its line; nothing if there is none.
std::optional<base::StageMessage> findPtxasError(const std::string &refusal);

} // namespace triton::nvidia
