// The report of `tritonc run` when a kernel on the CPU crashes, or damages memory so that the process crashes later.
// Kernels run unchecked there, so such a crash is the kernel's; a crash before the first launch is the compiler's.
#pragma once

#include <string>

namespace tritonc {

/// From now on a crash of this process is reported as the kernel's, and ends it with exit code 1.
void reportCrashesOf(const std::string &kernel);

/// The kernel runs while this lives.
class KernelRunning {
public:
  KernelRunning();
  ~KernelRunning();
  KernelRunning(const KernelRunning &) = delete;
  KernelRunning &operator=(const KernelRunning &) = delete;
};

} // namespace tritonc
