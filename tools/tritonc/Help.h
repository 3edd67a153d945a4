// What `--help` says beyond the list of options.
#pragma once

#include <string>

namespace tritonc {

/// Example command lines of a command, or of the program for an empty name, as the last section of its help. They take
/// the kernels of the README's `add.py`. Empty where there is none.
std::string exampleSection(const std::string &command);

} // namespace tritonc
