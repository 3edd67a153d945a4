// What target and options of a compilation mean for NVIDIA GPUs.
#pragma once

#include "backends/Backend.h"
#include "backends/nvidia/Ptx.h"
#include "backends/nvidia/Ptxas.h"

namespace triton::nvidia {

struct NvidiaOptions {
  PtxOptions ptx;
  AssemblyOptions assembly;
  unsigned maxRegisters = 0; ///< of a thread; 0: ptxas decides
};

/// The error says, in the user's terms, which option is wrong and what it may be.
llvm::Expected<NvidiaOptions> readOptions(const compiler::Target &target, const compiler::Options &options);

/// The same with what the environment adds, once the PTX version matters.
llvm::Expected<NvidiaOptions> readOptions(const backends::Compilation &compilation);

} // namespace triton::nvidia
