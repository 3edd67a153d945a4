// Reminds running kernels to look for an interrupt: the thread that runs a kernel cannot look at a clock meanwhile.
#pragma once

namespace triton::cpu {

/// While one of these lives, about every 50 ms loops of running kernels are asked to call the runtime (see
/// triton_cpu_tick). Costs a launch two stores. Only one thread of the process may have some at a time.
class InterruptTimer {
public:
  InterruptTimer();
  ~InterruptTimer();
  InterruptTimer(const InterruptTimer &) = delete;

  /// The launching thread looks now.
  static void acknowledge();
};

} // namespace triton::cpu
