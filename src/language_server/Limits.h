// What the threads of the server that work in the background share.
#pragma once

#include <chrono>

namespace triton::language_server {

/// How long a request waits for what a thread in the background finds. Nobody notices so short a time.
inline constexpr std::chrono::milliseconds maximumWait(120);
/// Lowering is recursive: as deep as lowering/Lowering.h allows, with what recovering from errors adds to a frame.
inline constexpr unsigned stackSize = 64 << 20;

} // namespace triton::language_server
