// What the kernel language depends on that differs between targets.
#pragma once

#include "base/ElementType.h"
#include "base/Target.h"

#include <string>
#include <vector>

namespace triton::base {

struct LanguageOptions {
  Target target; ///< as kernels see it: the device that is simulated rather than the simulator
  /// Element types of 8-bit floats that the target knows; others are refused.
  std::vector<ScalarType> float8Types = {ScalarType::Float8E5, ScalarType::Float8E5B16, ScalarType::Float8E4NV,
                                         ScalarType::Float8E4B8, ScalarType::Float8E4B15};
  std::vector<std::string> inputPrecisions = {"ieee", "tf32", "tf32x3"}; ///< of `tl.dot`
  std::string defaultInputPrecision = "ieee";                            ///< of `tl.dot` on fp32
  /// The target copies blocks beside the program, and has barriers in shared memory at which copies arrive.
  bool hasBulkCopies = false;
  bool hasTensorMemory = false;  ///< of matrix units
  bool overlapsLaunches = false; ///< a launch may begin before the one before it ends
};

} // namespace triton::base
