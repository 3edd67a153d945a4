// Arguments and a grid for a kernel that is simulated before anyone said with what.
#pragma once

#include "triton/triton.h"

#include <string>
#include <vector>

namespace tritonc {

struct LaunchGuess {
  std::string grid;                   ///< "4" or "2,2,1"
  std::vector<std::string> arguments; ///< "name=value", see ArgumentValues.h
};

/// A small launch that fits the kernel's signature. All integers are equal, as if they were the extents and strides of
/// square arrays. Throws UsageError where the signature has what no launch of the command line takes.
LaunchGuess guessLaunch(const triton::Kernel &kernel, const std::string &signature);

} // namespace tritonc
