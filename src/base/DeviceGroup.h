// Several simulated devices on which a program of the host launches at once, with one thread for each.
#pragma once

#include <memory>

namespace triton::base {

class DeviceGroup {
public:
  virtual ~DeviceGroup() = default;

  /// Waits until every device has come here or has ended. What all have done happens before what they do then.
  virtual void meet(unsigned device) = 0;
  /// The device launches nothing more.
  virtual void end(unsigned device) = 0;
  /// Ends launches soon, by LaunchInterrupted. Called from any thread.
  virtual void giveUp() = 0;

  /// What this thread launches goes to a device of the group.
  struct Member {
    std::shared_ptr<DeviceGroup> group;
    unsigned device = 0;
  };
  static Member &ofThread() {
    static thread_local Member member;
    return member;
  }
};

} // namespace triton::base
