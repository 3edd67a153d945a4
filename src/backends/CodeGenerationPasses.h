// LLVM's code generation as all targets run it here.
#pragma once

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Target/TargetMachine.h"

#include <functional>

namespace triton::backends {

/// The passes of a target's code generation, without those that are left out.
class CodeGenerationPasses final : public llvm::legacy::PassManager {
public:
  /// Leaves out loop strength reduction and the passes that prepare loops for it. On the CPU it takes a quarter of the
  /// time and gains nothing on loops that address memory by base plus counter. On GPUs its counters take registers:
  /// ptxas takes a sixth more time for attention, and the matrix product is 2 % slower.
  CodeGenerationPasses() {
    leaveOut("loop-reduce");
    leaveOut("canon-freeze");
  }

  /// Leaves out the pass with this name on LLVM's command line, which must be a pass that only improves code.
  void leaveOut(llvm::StringRef name) { leftOut.insert(name); }
  /// Runs a pass that would be left out.
  void keep(llvm::StringRef name) { leftOut.erase(name); }

  /// Runs another pass in place of one that is added several times: the first occurrence is 1.
  void replace(llvm::StringRef name, unsigned occurrence, std::function<llvm::Pass *()> create) {
    replaced = {name, occurrence, std::move(create)};
  }

  /// Adds the passes that write `type` to `stream`; false when the target cannot.
  bool addAll(llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type) {
    return !machine.addPassesToEmitFile(*this, stream, nullptr, type, /*DisableVerify=*/true);
  }

  /// Called by LLVM for each pass.
  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (info && leftOut.contains(info->getPassArgument()))
      delete pass;
    else
      llvm::legacy::PassManager::add(info && isReplaced(info->getPassArgument()) ? makeReplacement(pass) : pass);
  }

private:
  struct Replacement {
    llvm::StringRef name;
    unsigned occurrence = 0;
    std::function<llvm::Pass *()> create;
  };

  bool isReplaced(llvm::StringRef name) {
    return replaced.create && name == replaced.name && --replaced.occurrence == 0;
  }
  llvm::Pass *makeReplacement(llvm::Pass *pass) const {
    delete pass;
    return replaced.create();
  }

  llvm::StringSet<> leftOut;
  Replacement replaced;
};

} // namespace triton::backends
