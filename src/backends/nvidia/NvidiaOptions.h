// The meaning of target and options of a compilation for NVIDIA GPUs.
#pragma once

#include "backends/Backend.h"
#include "backends/nvidia/Ptx.h"
#include "backends/nvidia/Ptxas.h"

namespace triton::nvidia {

struct NvidiaOptions final : backends::BackendOptions {
  PtxOptions ptx;
  AssemblyOptions assembly;
  unsigned maxRegisters = 0;          ///< of a thread; 0: ptxas decides
  std::vector<std::string> libraries; ///< files of LLVM bitcode with functions that the kernel calls
  /// Operands behind pointers may come by bulk copies, for which the launch must pass tensor maps.
  bool pointerCopies = true;
};

/// The option for launches that may begin before the previous launch on the stream has ended.
inline constexpr char dependentOption[] = "launch_pdl";

/// Reads the options. The error says, in the user's terms, which option is wrong and what it may be.
llvm::Expected<std::unique_ptr<NvidiaOptions>> readOptions(const base::Target &target, const base::Options &options,
                                                           const base::Environment &environment);

} // namespace triton::nvidia
