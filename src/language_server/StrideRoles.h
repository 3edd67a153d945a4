// Which parameters are strides, by their names, and how they belong together.
#pragma once

#include "frontend/Object.h"

#include <map>
#include <string>

namespace triton::language_server {

/// The place of a stride among those of its array.
struct StrideRole {
  unsigned place = 0; ///< 0: the innermost, which stands last unless it is 1 and no parameter
  unsigned count = 1; ///< the strides of the array, with one that is not a parameter
};

/// The parameters whose names say that they are strides, such as `stride_am` and `stride_ak` of an array a.
std::map<std::string, StrideRole> strideRoles(const frontend::Function &function);

} // namespace triton::language_server
