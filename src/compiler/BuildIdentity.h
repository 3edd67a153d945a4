// Distinguishes the builds of the compiler from each other. It is a part of every cache key.
#pragma once

#include <string>

namespace triton::compiler {

/// The build id that the linker put into the library or program that contains this code, in hexadecimal. If there is
/// none, the file's size and time of change. Computed once.
const std::string &buildIdentity();

} // namespace triton::compiler
