#include "profiler/GpuLaunches.h"

#include "base/LoadedKernel.h"
#include "compiler/Devices.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <thread>

namespace triton::profiling {

static void endPending(const LaunchPlaces &places) {
  for (const Place &place : places.places)
    --place.data->pending;
}

void PendingLaunches::begin(uint64_t number, LaunchPlaces places, bool isGraph) {
  for (const Place &place : places.places)
    ++place.data->pending;
  std::lock_guard lock(mutex);
  if (launches.try_emplace(number, Launch{std::move(places), isGraph}).second && !isGraph)
    ++awaited;
}

void PendingLaunches::forget(uint64_t number) {
  std::lock_guard lock(mutex);
  auto found = launches.find(number);
  if (found == launches.end())
    return;
  endPending(found->second.places);
  awaited -= !found->second.isGraph;
  launches.erase(found);
}

std::optional<PendingLaunches::Launch> PendingLaunches::take(uint64_t number) {
  std::lock_guard lock(mutex);
  auto found = launches.find(number);
  if (found == launches.end())
    return std::nullopt;
  Launch launch = found->second;
  if (!launch.isGraph)
    launches.erase(found);
  return launch;
}

void PendingLaunches::recorded(const Launch &launch) {
  if (launch.isGraph) // other kernels of it may follow
    return;
  endPending(launch.places);
  --awaited;
}

void PendingLaunches::wait(llvm::function_ref<void()> flush) {
  constexpr std::chrono::milliseconds patience(2000), pause(1);
  flush();
  auto start = std::chrono::steady_clock::now();
  while (awaited > 0 && std::chrono::steady_clock::now() - start < patience) {
    std::this_thread::sleep_for(pause);
    flush();
  }
}

void PendingLaunches::clear() {
  std::lock_guard lock(mutex);
  for (auto &[number, launch] : launches)
    endPending(launch.places);
  launches.clear();
  awaited = 0;
}

void waitForDevice(const char *target) {
  const base::DeviceDriver *driver = compiler::deviceDriver(target);
  if (!driver || !driver->isAvailable())
    return;
  try {
    driver->synchronize();
  } catch (const base::LaunchError &error) {
    llvm::errs() << "warning: the profile may lack kernels: " << error.what() << "\n";
  }
}

llvm::json::Object describeDevices(const char *target, const char *type, const std::set<uint32_t> &devices) {
  llvm::json::Object known;
  const base::DeviceDriver *driver = compiler::deviceDriver(target);
  if (!driver || !driver->isAvailable())
    return known;
  for (uint32_t device : devices) {
    if (int(device) >= driver->deviceCount())
      continue;
    base::DeviceProperties properties = driver->properties(int(device));
    known[std::to_string(device)] = llvm::json::Object{{"arch", properties.arch},
                                                       {"bus_width", properties.memoryBusBits},
                                                       {"clock_rate", properties.clockKilohertz},
                                                       {"memory_clock_rate", properties.memoryClockKilohertz},
                                                       {"num_sms", properties.multiprocessors}};
  }
  return llvm::json::Object{{type, std::move(known)}};
}

} // namespace triton::profiling
