// LLVM IR to x86-64 machine code.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::cpu {

/// Gives the module the target's triple and data layout, and its functions the attributes that decide instruction
/// selection. `fuse`: a*b+c may become one fused operation.
llvm::Error prepareModule(llvm::Module &module, const TargetDescription &target, bool fuse);

/// Takes a module that a user wrote: see Backend::adopt.
llvm::Error adoptModule(llvm::Module &module, const TargetDescription &target);

/// The optimization that vector-typed IR profits from, which is very little: LLVM's own pipelines gain nothing here and
/// cost 2 to 9 times the compile time.
llvm::Error optimizeModule(llvm::Module &module, const TargetDescription &target);

enum class CodeForm { Object, Assembly };

/// Leaves the module changed: code generation lowers it in place.
llvm::Expected<std::string> generateCode(llvm::Module &module, const TargetDescription &target, CodeForm form);

} // namespace triton::cpu
