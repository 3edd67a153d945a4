// Reading and writing files that a user named.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"

#include <string>
#include <vector>

namespace triton::base {

/// The contents. An error for a folder, and for a file without an end, such as a device.
llvm::ErrorOr<std::string> readWholeFile(const std::string &path);

/// Writes the file, or leaves what was there before.
std::error_code writeWholeFile(const std::string &path, llvm::StringRef contents);

/// Where this process writes a file until it is whole: beside it.
std::string partialName(const std::string &path);

/// Removes what processes have left that ended while they wrote these files. What another machine or container may
/// still be writing stays, as processes there have other numbers: only parts that nobody has changed for ten minutes
/// go.
void removeAbandonedParts(const std::vector<std::string> &paths);

} // namespace triton::base
