// A mutex that a child of a fork finds free.
#pragma once

#include <mutex>

namespace triton::base {

/// A mutex of the whole process, for the time of a few instructions. A fork takes it first, so that no thread holds it
/// that the child does not have. It must be a variable of a namespace, since nobody may use it before the fork knows
/// it, and whoever holds it must not wait for another such mutex.
class ForkSafeMutex {
public:
  ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex &) = delete;

  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  static void lockAll();
  static void unlockAll();

  std::mutex mutex;
  ForkSafeMutex *next;
};

} // namespace triton::base
