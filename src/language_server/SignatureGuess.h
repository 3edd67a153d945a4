// A signature for a kernel that is compiled before anyone said for what.
#pragma once

#include "frontend/Object.h"

#include <string>

namespace triton::language_server {

/// An item for each parameter, as `--signature` of tritonc takes it, for which the kernel has as few errors as
/// possible. Pointers are aligned to 16 bytes, as those that allocate give them.
std::string guessSignature(const frontend::Function &function);

} // namespace triton::language_server
