// Devices of the simulator, on each of which one thread of the host launches.
#pragma once

#include "base/DeviceGroup.h"
#include "simulator/core/DeviceGroup.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace triton::backends {

/// The n-th launches of all devices run together, once every device that has not ended has come with a launch or meets
/// the others.
class SimulatedDevices final : public base::DeviceGroup {
public:
  explicit SimulatedDevices(unsigned count) : devices(count), group(count) {}

  /// Returns when the launch has ended.
  simulator::LaunchResult launch(simulator::DeviceLaunch launch);
  void meet(unsigned device) override;
  void end(unsigned device) override;
  void giveUp() override { group.giveUp(); }

private:
  enum class Place : uint8_t { Host, Launching, Meeting, Ended };
  struct Device {
    Place place = Place::Host;
    simulator::DeviceLaunch launch;
    simulator::LaunchResult result;
    std::exception_ptr failure;
  };
  void come(unsigned device, Place place, std::unique_lock<std::mutex> &lock);
  void advance();
  void runLaunches();

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Device> devices;
  simulator::DeviceGroup group;
};

} // namespace triton::backends
