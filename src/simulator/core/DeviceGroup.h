// Several simulated devices that reach each other's memory, as GPUs of one host do. Launches on them run beside each
// other.
#pragma once

#include "simulator/core/Launch.h"

#include <mutex>

namespace triton::simulator {

/// A launch on one device of a group, with the arguments of `launch`.
struct DeviceLaunch {
  unsigned device = 0;
  const Program *program = nullptr;
  LaunchConfiguration configuration = {};
  llvm::ArrayRef<uint64_t> arguments = {};
  std::vector<Allocation> allocations = {};
};

/// What a device does is ordered as on a stream: a launch begins when the last one on the same device has ended.
/// Nothing but operations of the system's scope orders what different devices do, also in different launches.
class DeviceGroup {
public:
  explicit DeviceGroup(unsigned devices) : known(devices), memory({}, devices) {
    memory.begin(ProgramOrder::Synchronized, /*isPartial=*/true);
  }
  /// Runs launches on different devices. Their programs take turns on this thread, and each reaches the arrays of all
  /// launches. Returns the results in the order of the launches.
  std::vector<LaunchResult> run(llvm::MutableArrayRef<DeviceLaunch> launches);
  /// What all devices have done happens before what they do from now on.
  void synchronize();
  /// Lets the launches that run, and later ones, end soon. May be called from another thread.
  void giveUp();

private:
  struct Running;
  static std::vector<Allocation> commonArrays(llvm::ArrayRef<DeviceLaunch> launches);
  void runPrograms(llvm::MutableArrayRef<std::unique_ptr<Running>> running);

  std::vector<ClusterClocks> known; ///< by device: what its launches have done, and knew
  GlobalMemory memory;
  uint64_t nextCluster = 0;
  std::mutex mutex; ///< of what follows
  std::vector<LaunchState *> active;
  bool isGivenUp = false;
};

} // namespace triton::simulator
