// Libraries of mathematical functions that are files of LLVM bitcode.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace triton::backends {

/// Path, size and time of a file, which distinguish one version from another.
std::string fileFingerprint(const std::string &path);
/// The fingerprint of a library that was searched for, for the cache's keys; "none" where it was not found, which the
/// link reports if a kernel needs the library.
std::string libraryFingerprint(llvm::Expected<std::string> path);

/// The file's bytes, kept for the next kernel.
llvm::Expected<llvm::MemoryBufferRef> readLibrary(const std::string &path);

/// Links the functions that `module` declares and the library defines, and what these need. They become internal, since
/// only this kernel uses them, so that they disappear after they are inlined. Variables stay visible if the library's
/// host code sets them when the kernel is loaded.
llvm::Error linkNeeded(llvm::Module &module, llvm::MemoryBufferRef library, bool keepsVariables = false);

} // namespace triton::backends
