// Writes several files, or none.
#pragma once

#include "aot/Generate.h"

namespace triton::aot {

/// Writes the texts to the files of these names, all of which appear at once at the end. Throws Error when one cannot
/// be written, and then leaves no file.
void writeFiles(const std::vector<GeneratedFile> &files);

/// `path` without its extension, followed by `suffix`: what Python's `with_suffix` makes.
std::string withSuffix(const std::string &path, const std::string &suffix);

} // namespace triton::aot
