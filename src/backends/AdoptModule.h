// Prepares LLVM IR that a user wrote for a target's code generator.
#pragma once

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace triton::backends {

/// Does what Backend::adopt does, for the machine of the target; `intrinsics` is the prefix of its intrinsics: "x86",
/// "nvvm".
inline llvm::Error adoptModule(llvm::Module &module, const llvm::TargetMachine &machine, llvm::StringRef intrinsics) {
  const llvm::Triple &wanted = machine.getTargetTriple(), &given = module.getTargetTriple();
  if (!given.empty() && given.getArch() != wanted.getArch())
    return llvm::createStringError("this LLVM IR is for `" + given.str() + "`, but the target is `" + wanted.str() +
                                   "`; leave its `target triple` out, or choose the target with --target");
  // Other compilers write other layouts for the same target, such as short pointers to shared memory. A layout that
  // does not change the meaning of the IR is replaced.
  llvm::DataLayout layout = machine.createDataLayout();
  const llvm::DataLayout &written = module.getDataLayout();
  if (!module.getDataLayoutStr().empty() &&
      (written.isBigEndian() != layout.isBigEndian() || written.getAllocaAddrSpace() != layout.getAllocaAddrSpace() ||
       written.getPointerSizeInBits(0) != layout.getPointerSizeInBits(0)))
    return llvm::createStringError("the `target datalayout` of this LLVM IR is \"" + module.getDataLayoutStr() +
                                   "\", but the target's is \"" + layout.getStringRepresentation() +
                                   "\"; leave it out");
  module.setTargetTriple(wanted);
  module.setDataLayout(layout);
  for (const llvm::Function &function : module)
    if (llvm::Intrinsic::isTargetIntrinsic(function.getIntrinsicID()) &&
        !function.getName().starts_with(("llvm." + intrinsics + ".").str()))
      return llvm::createStringError("the target `" + wanted.str() + "` has no intrinsic `" + function.getName() +
                                     "`; its own are named `llvm." + intrinsics + ".*`");
  return llvm::Error::success();
}

} // namespace triton::backends
