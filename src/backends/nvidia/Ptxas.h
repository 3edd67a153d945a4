// Assembling PTX with NVIDIA's ptxas.
#pragma once

#include "backends/nvidia/AssemblerProcess.h"
#include "backends/nvidia/target/Architecture.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace triton::nvidia {

/// The newest PTX that the ptxas for this architecture reads and this LLVM writes; without a ptxas, what LLVM writes.
PtxVersion supportedPtxVersion(const Architecture &architecture);

/// Distinguishes one ptxas from another without running it; empty when there is none.
std::string ptxasFingerprint(const Architecture &architecture);

struct AssemblyOptions {
  Architecture architecture;
  bool optimize = true;
  bool lineInfo = true;
  bool fuseMultiplyAdd = true;
  bool printLog = false;               ///< to standard error
  std::vector<std::string> extraFlags; ///< as the user gives them
};

struct Assembly {
  std::string cubin;
  int registers = 0;  ///< of a thread
  int spillBytes = 0; ///< stored to local memory for want of registers, of a thread
};

/// Starts ptxas, which waits for `assemble`; null when there is none.
std::unique_ptr<AssemblerProcess> startAssembler(const std::string &kernel, const AssemblyOptions &options);

/// With what `startAssembler` gave for these options, if anything. A base::ToolchainError, which names the `kernel`
/// and the file that keeps the PTX, when there is no ptxas or it refuses.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, const std::string &kernel, const AssemblyOptions &options,
                                  AssemblerProcess *started = nullptr);

} // namespace triton::nvidia
