// LLVM IR that a user wrote or changed.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

namespace triton::base {

/// Parses LLVM IR. Where it has no debug information and `lineInfo` is wanted, its instructions get their places in
/// this text. Null, with `diagnostic` filled, when it does not parse or is not valid.
std::unique_ptr<llvm::Module> parseLlvmText(llvm::StringRef text, llvm::StringRef path, bool lineInfo,
                                            llvm::LLVMContext &context, llvm::SMDiagnostic &diagnostic);

} // namespace triton::base
