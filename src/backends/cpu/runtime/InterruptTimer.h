// Reminds running kernels to check for an interrupt, because the thread that runs a kernel cannot read a clock
// meanwhile.
#pragma once

#include <chrono>

namespace triton::cpu {

/// How often a launch checks for an interrupt.
inline constexpr std::chrono::milliseconds tickTime(50);

/// While one of these lives, loops of running kernels are asked about every 50 ms to call the runtime (see
/// triton_cpu_tick). It costs a launch two stores. Only one thread of the process may have such objects at a time.
class InterruptTimer {
public:
  InterruptTimer();
  ~InterruptTimer();
  InterruptTimer(const InterruptTimer &) = delete;

  /// Says that the launching thread is checking now.
  static void acknowledge();
};

} // namespace triton::cpu
