// What a kernel is lowered for: the types and the compile-time values of its parameters.
#pragma once

#include "frontend/Object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace triton::frontend {

/// What the compiler knows of one parameter. Exactly one of: a runtime value of `type`, a `constant`, or a tuple of
/// these in `elements`.
struct KernelArgument {
  std::string name;
  ElementType type;
  ObjectRef constant; ///< compile-time value; not passed at launch
  bool isTuple = false;
  std::vector<KernelArgument> elements; ///< when isTuple
  std::vector<std::string> fieldNames;  ///< of a namedtuple
  int64_t divisibility = 1;             ///< `tt.divisibility`: the value or address is a multiple of this
};

} // namespace triton::frontend
