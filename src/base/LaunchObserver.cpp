#include "base/LaunchObserver.h"

#include <chrono>

namespace triton::base {

std::atomic<LaunchObserver *> detail::observer = nullptr;

void setLaunchObserver(LaunchObserver *observer) { detail::observer.store(observer, std::memory_order_release); }

template <typename Clock> static int64_t nanosecondsOf() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

int64_t launchClock() {
  static const int64_t offset = nanosecondsOf<std::chrono::system_clock>() - nanosecondsOf<std::chrono::steady_clock>();
  return nanosecondsOf<std::chrono::steady_clock>() + offset;
}

} // namespace triton::base
