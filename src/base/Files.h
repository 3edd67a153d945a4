// Reading and writing files that a user named.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <string>

namespace triton::base {

/// The contents. An error for a folder, and for a file without an end, such as a device.
llvm::ErrorOr<std::string> readWholeFile(const std::string &path);

/// Writes the file, or leaves what was there before.
std::error_code writeWholeFile(const std::string &path, llvm::StringRef contents);

} // namespace triton::base
