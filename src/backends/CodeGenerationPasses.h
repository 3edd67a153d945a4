// LLVM's code generation as every target here runs it.
#pragma once

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace triton::backends {

/// Adds the passes that write `type` to `stream`; false when the target cannot. Without loop strength reduction: on the
/// CPU it takes a quarter of the time and gains nothing on loops that address memory by base plus counter, on GPUs its
/// counters take registers (attention: a sixth more of ptxas's time, the matrix product 2 % slower). LLVM has only a
/// process-wide switch for it.
inline bool addCodeGenerationPasses(llvm::TargetMachine &machine, llvm::legacy::PassManager &passes,
                                    llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto *disable = static_cast<llvm::cl::opt<bool> *>(llvm::cl::getRegisteredOptions().lookup("disable-lsr"));
  bool before = *disable;
  *disable = true;
  bool failed = machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true);
  *disable = before;
  return !failed;
}

} // namespace triton::backends
