// Linking in this process.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::backends {

/// The shared object of ELF that LLVM's linker makes of the object files, whose bytes are given. `flags` are more flags
/// of ld.lld. What it refuses is a base::ToolchainError with its messages. Thread-safe: one link after another.
llvm::Expected<std::string> linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects,
                                             llvm::ArrayRef<const char *> flags);

} // namespace triton::backends
