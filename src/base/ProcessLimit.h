// How many programs of a vendor's toolkit may run at once.
#pragma once

#include <condition_variable>
#include <mutex>

namespace triton::base {

/// Counts the programs that run. Thread-safe.
class ProcessLimit {
public:
  struct Numbers {
    unsigned running = 0, waiting = 0;
    unsigned long started = 0;
  };

  /// `limit` is at least 1.
  explicit ProcessLimit(unsigned limit) : limit(limit) {}
  ProcessLimit(const ProcessLimit &) = delete;

  /// Waits until another program may start.
  void acquire() {
    std::unique_lock lock(mutex);
    ++numbers.waiting;
    changed.wait(lock, [&] { return numbers.running < limit; });
    --numbers.waiting;
    start();
  }
  /// False, at once, where no other program may start, or where others wait for that.
  bool tryAcquire() {
    std::lock_guard lock(mutex);
    if (numbers.running + numbers.waiting >= limit)
      return false;
    start();
    return true;
  }
  void release() {
    std::lock_guard lock(mutex);
    --numbers.running;
    changed.notify_one();
  }
  Numbers count() const {
    std::lock_guard lock(mutex);
    return numbers;
  }

private:
  void start() {
    ++numbers.running;
    ++numbers.started;
  }

  const unsigned limit;
  mutable std::mutex mutex;
  std::condition_variable changed;
  Numbers numbers;
};

} // namespace triton::base
