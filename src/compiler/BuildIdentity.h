// Distinguishes one build of the compiler from another: part of every cache key.
#pragma once

#include <string>

namespace triton::compiler {

/// The build id that the linker put into the library or program that holds this code, in hexadecimal; the file's size
/// and time of change when it has none. Computed once.
const std::string &buildIdentity();

} // namespace triton::compiler
