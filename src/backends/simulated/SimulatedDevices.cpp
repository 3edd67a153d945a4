#include "backends/simulated/SimulatedDevices.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace triton::backends {

simulator::LaunchResult SimulatedDevices::launch(simulator::DeviceLaunch launch) {
  std::unique_lock lock(mutex);
  Device &own = devices[launch.device];
  own.launch = std::move(launch);
  come(own.launch.device, Place::Launching, lock);
  if (own.failure)
    std::rethrow_exception(std::exchange(own.failure, nullptr));
  return std::move(own.result);
}

void SimulatedDevices::meet(unsigned device) {
  std::unique_lock lock(mutex);
  come(device, Place::Meeting, lock);
}

void SimulatedDevices::end(unsigned device) {
  std::lock_guard lock(mutex);
  devices[device].place = Place::Ended;
  advance();
}

/// Waits until the device may go on. The thread that comes last does what all wait for.
void SimulatedDevices::come(unsigned device, Place place, std::unique_lock<std::mutex> &lock) {
  devices[device].place = place;
  advance();
  changed.wait(lock, [&] { return devices[device].place == Place::Host; });
}

void SimulatedDevices::advance() {
  auto isAt = [&](Place place) { return [place](const Device &device) { return device.place == place; }; };
  if (llvm::any_of(devices, isAt(Place::Host)))
    return;
  Place served = llvm::any_of(devices, isAt(Place::Launching)) ? Place::Launching : Place::Meeting;
  if (served == Place::Launching)
    runLaunches();
  else
    group.synchronize();
  for (Device &device : devices)
    if (device.place == served)
      device.place = Place::Host;
  changed.notify_all();
}

/// Holds the lock meanwhile: all other threads wait.
void SimulatedDevices::runLaunches() {
  std::vector<Device *> launching;
  std::vector<simulator::DeviceLaunch> launches;
  for (Device &device : devices)
    if (device.place == Place::Launching) {
      launching.push_back(&device);
      launches.push_back(std::move(device.launch));
    }
  try {
    for (auto [device, result] : llvm::zip_equal(launching, group.run(launches)))
      device->result = std::move(result);
  } catch (...) {
    for (Device *device : launching)
      device->failure = std::current_exception();
  }
}

} // namespace triton::backends
