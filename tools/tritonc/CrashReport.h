// What `tritonc run` says when a kernel on the CPU crashes, or damages memory so that the process crashes later.
// Kernels run unchecked there, so that such a crash is the kernel's; a crash before the first launch is the compiler's.
#pragma once

#include <string>

namespace tritonc {

/// From now on a crash of this process is reported as the kernel's, and ends it with exit code 1.
void reportCrashesOf(const std::string &kernel);

/// While alive, the kernel runs.
class KernelRunning {
public:
  KernelRunning();
  ~KernelRunning();
  KernelRunning(const KernelRunning &) = delete;
  KernelRunning &operator=(const KernelRunning &) = delete;
};

} // namespace tritonc
