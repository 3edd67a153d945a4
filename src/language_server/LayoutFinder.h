// Finds the layouts of kernels in the background.
#pragma once

#include "language_server/KernelLayouts.h"

#include "llvm/Support/thread.h"

#include <condition_variable>
#include <deque>

namespace triton::language_server {

/// All functions may be called from any thread.
class LayoutFinder {
public:
  LayoutFinder();
  ~LayoutFinder();

  /// The answer, if it is known or found in a short time; null while the kernel is still being compiled. A new question
  /// abandons the one before.
  KernelLayoutsRef find(const LayoutQuestion &question);
  /// Nobody waits for the last question any more.
  void abandon();

private:
  KernelLayoutsRef lookUp(uint64_t stamp) const;
  void run();
  void answer(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<LayoutQuestion> question;                    ///< to be answered next
  std::optional<uint64_t> current;                           ///< the stamp of the one that is being answered
  std::deque<std::pair<uint64_t, KernelLayoutsRef>> answers; ///< the latest first
  std::atomic<bool> isAbandoned = false;                     ///< the current one
  bool isClosing = false;
  llvm::thread thread;
};

} // namespace triton::language_server
