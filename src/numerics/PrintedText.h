// The text that C's printf makes of numbers which a kernel has left in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace triton::numerics {

/// `format` with the arguments, which lie in memory one after another, each aligned to its size: doubles, addresses,
/// and integers of 32 or, with the length `ll`, 64 bits.
std::string formatPrinted(std::string_view format, const std::byte *arguments);

/// `text` as a part of a format that prints it.
std::string escapeFormat(std::string_view text);

} // namespace triton::numerics
