// Signatures by a key that signer and reader share.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace triton::base {

/// HMAC-SHA256 (RFC 2104).
std::array<uint8_t, 32> hmacSha256(llvm::StringRef bytes, llvm::StringRef key);

} // namespace triton::base
