// The arguments that a compiled kernel takes at a launch.
#pragma once

#include "base/ElementType.h"

#include <cstdint>
#include <string>

namespace triton::base {

/// One runtime argument. A launch passes it in an 8-byte slot: pointers and integers in their own width at the start of
/// the slot, fp16, bf16, fp32 and fp64 by their bits.
struct RuntimeArgument {
  std::string name;
  ElementType type;
  int64_t divisibility = 1; ///< `tt.divisibility`: the value or address is a multiple of this
  bool isStored = true;     ///< the kernel may store through this pointer
};

} // namespace triton::base
