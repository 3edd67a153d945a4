// Names of files that belong to a kernel.
#pragma once

#include <string>

namespace triton::base {

/// A kernel's name as it may stand in a file name: without separators, at most 150 bytes.
std::string fileStem(const std::string &kernelName);

} // namespace triton::base
