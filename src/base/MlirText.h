// MLIR text that a user wrote.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace triton::base {

inline constexpr llvm::StringLiteral unparsableArrayMessage =
    "an array attribute holds integers of a width or floats, as in `array<i64: 1, 2>`, not `index`";

/// The position of the first attribute `array<index...` outside of strings and comments. MLIR 22's parser asks for the
/// width of its elements, which `index` does not have, and crashes.
std::optional<std::size_t> findUnparsableArray(llvm::StringRef text);

} // namespace triton::base
