// LLVM's code generation as every target here runs it.
#pragma once

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/TargetMachine.h"

namespace triton::backends {

/// The passes of a target's code generation but those left out.
class CodeGenerationPasses final : public llvm::legacy::PassManager {
public:
  /// Without loop strength reduction: on the CPU it takes a quarter of the time and gains nothing on loops that address
  /// memory by base plus counter, on GPUs its counters take registers (attention: a sixth more of ptxas's time, the
  /// matrix product 2 % slower). And without what prepares loops for it.
  CodeGenerationPasses() {
    leaveOut("loop-reduce");
    leaveOut("canon-freeze");
  }

  /// By the name that LLVM's command line has for the pass. Only for passes that make code better.
  void leaveOut(llvm::StringRef name) { leftOut.insert(name); }

  /// Adds the passes that write `type` to `stream`; false when the target cannot.
  bool addAll(llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
    return !machine.addPassesToEmitFile(*this, stream, nullptr, type, /*DisableVerify=*/true);
  }

  /// Takes the pass, as LLVM asks it to.
  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (info && leftOut.contains(info->getPassArgument()))
      delete pass;
    else
      llvm::legacy::PassManager::add(pass);
  }

private:
  llvm::StringSet<> leftOut;
};

} // namespace triton::backends
