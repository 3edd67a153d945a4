// What a module says of messages from its kernel to the host.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace triton::ttg {

/// On a module whose kernel takes a message buffer behind all that a launch passes: what it may write there, as
/// dictionaries of the format and of `failure` (base::DeviceMessage).
constexpr llvm::StringLiteral messagesAttribute = "ttg.messages";

} // namespace triton::ttg
