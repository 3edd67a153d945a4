// The names of element types, for messages that list them.
#pragma once

#include <string>

namespace triton::base {

/// "i1, i8, ..., fp64": the short names, which signatures have.
inline std::string shortTypeNames() {
  std::string names;
#define TRITON_SCALAR_TYPE(enumerator, longName, shortName, bits, kind, mantissa, bias)                                \
  if (bits != 0)                                                                                                       \
    names += std::string(names.empty() ? "" : ", ") + (shortName);
#include "base/ScalarTypes.def"
  return names;
}

} // namespace triton::base
