// Compiles LLVM IR to PTX.
#pragma once

#include "backends/nvidia/target/Architecture.h"
#include "base/PassRunner.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::nvidia {

struct PtxOptions {
  Architecture architecture;
  PtxVersion version = 0;      ///< 0: the oldest version for the architecture
  bool fuseMultiplyAdd = true; ///< a*b+c may be rounded only once
  bool flushDenormals = false; ///< f32 operations replace subnormal inputs and results by zero
  bool reflectFlush = true;    ///< functions of libdevice do the same
};

/// An error unless LLVM writes the version of PTX that is asked for, and that version has the architecture. `source`
/// says who asks for it.
llvm::Error checkPtxVersion(const PtxOptions &options, llvm::StringRef source);

/// Gives the module the target's triple and data layout and its functions the attributes that the options ask for.
llvm::Error prepareModule(llvm::Module &module, const PtxOptions &options);

/// Prepares a module that a user wrote: see Backend::adopt.
llvm::Error adoptModule(llvm::Module &module, const PtxOptions &options);

/// Runs those passes of LLVM's pipeline that improve code for GPUs, as steps of the stage llir.
llvm::Error optimizeModule(llvm::Module &module, const PtxOptions &options, base::PassRunner &runner);

/// Runs the passes over LLVM IR that the assembler or LLVM's code generation for it need, as steps of the stage ptx.
llvm::Error runPassesBeforePtx(llvm::Module &module, base::PassRunner &runner);

/// The text still negates as LLVM writes it: see DefineNegation.h.
llvm::Expected<std::string> generatePtx(llvm::Module &module, const PtxOptions &options);

} // namespace triton::nvidia
