// LLVM IR to machine code of x86-64 or AArch64.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::cpu {

/// Sets the module's triple and data layout to the target's, and gives its functions the attributes that decide
/// instruction selection. `fuse`: a*b+c may become one fused operation.
llvm::Error prepareModule(llvm::Module &module, const TargetDescription &target, bool fuse);

/// Prepares a module that a user wrote: see Backend::adopt.
llvm::Error adoptModule(llvm::Module &module, const TargetDescription &target);

/// Runs the optimizations that improve IR over vector types, which are few: LLVM's own pipelines gain nothing here and
/// cost 2 to 9 times the compile time.
llvm::Error optimizeModule(llvm::Module &module, const TargetDescription &target);

enum class CodeForm { Object, Assembly };

/// Changes the module, because code generation lowers it in place. `isQuick`: code that computes the same, in less time
/// to generate.
llvm::Expected<std::string> generateCode(llvm::Module &module, const TargetDescription &target, CodeForm form,
                                         bool isQuick = false);

} // namespace triton::cpu
