// Facts about the arguments of a launch, besides divisibility, that select a variant of a kernel.
#pragma once

namespace triton::base {

/// The facts for which a target has variants.
struct ArgumentRanges {
  bool arrays = false;   ///< the memory around a pointer has less than 2 GiB
  bool integers = false; ///< an integer is not negative
};

} // namespace triton::base
