#include "simulator/core/DeviceGroup.h"

#include "simulator/core/Worker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace triton::simulator {

/// A launch with what its programs need while they run.
struct DeviceGroup::Running {
  Running(DeviceLaunch &launch, GlobalMemory &memory, uint64_t firstCluster, const ClusterClocks &known)
      : configuration(std::move(launch.configuration)), clusters(clusterCount(configuration)),
        state{*launch.program, configuration, memory, report, unwrittenReads, divisionsByZero, launch.arguments} {
    state.reachable = ReachableMemory::ofPlaces(*launch.program, configuration.parameters);
    if (launch.program->hiddenArguments)
      state.hiddenArguments = launch.program->hiddenArguments(configuration);
    state.peer = state.device = launch.device;
    state.firstCluster = firstCluster;
    state.known = known;
    memory.beginClusters(firstCluster, launch.device);
  }

  LaunchConfiguration configuration;
  uint64_t clusters, started = 0;
  Report report, unwrittenReads, divisionsByZero;
  LaunchState state;
};

/// The arrays of all launches. Those that share memory count as one.
std::vector<Allocation> DeviceGroup::commonArrays(llvm::ArrayRef<DeviceLaunch> launches) {
  std::vector<Allocation> all, merged;
  for (const DeviceLaunch &launch : launches)
    llvm::append_range(all, launch.allocations);
  llvm::sort(all, [](const Allocation &a, const Allocation &b) { return a.begin < b.begin; });
  for (Allocation &array : all) {
    if (merged.empty() || array.begin >= merged.back().begin + std::max<std::size_t>(merged.back().size, 1)) {
      merged.push_back(std::move(array));
      continue;
    }
    Allocation &known = merged.back();
    known.size = std::max(known.size, array.begin + array.size - known.begin);
    known.live |= array.live;
    // Memory that only a table of addresses names has the name of the argument of another launch.
    if (known.isCommon && !array.isCommon)
      known.name = array.name;
    known.isCommon |= array.isCommon;
  }
  return merged;
}

/// Gives each launch the start of a cluster in turn.
void DeviceGroup::runPrograms(llvm::MutableArrayRef<std::unique_ptr<Running>> running) {
  std::size_t turn = 0;
  Worker worker;
  worker.run([&]() -> std::optional<NextCluster> {
    for (std::size_t tried = 0; tried < running.size(); ++tried) {
      Running &launch = *running[turn++ % running.size()];
      if (launch.started < launch.clusters)
        return NextCluster{&launch.state, launch.started++};
    }
    return std::nullopt;
  });
  for (Running &launch : llvm::make_pointee_range(running)) {
    std::map<uint64_t, std::string> texts;
    for (PrintedText &printed : worker.printed)
      if (printed.launch == &launch.state)
        texts.emplace(printed.program, std::move(printed.text));
    for (const auto &[program, text] : texts)
      launch.configuration.print ? launch.configuration.print(text) : void(llvm::outs() << text);
  }
  llvm::outs().flush();
}

std::vector<LaunchResult> DeviceGroup::run(llvm::MutableArrayRef<DeviceLaunch> launches) {
  memory.replaceArrays(commonArrays(launches));
  std::vector<std::unique_ptr<Running>> running;
  for (DeviceLaunch &launch : launches) {
    launch.configuration.cluster = launch.program->requiredCluster.value_or(launch.configuration.cluster);
    running.push_back(std::make_unique<Running>(launch, memory, nextCluster, known[launch.device]));
    nextCluster += running.back()->clusters;
  }
  {
    std::lock_guard lock(mutex);
    for (Running &launch : llvm::make_pointee_range(running)) {
      active.push_back(&launch.state);
      launch.state.givenUp = isGivenUp;
    }
  }
  runPrograms(running);
  std::lock_guard lock(mutex);
  active.clear();
  std::vector<LaunchResult> results;
  for (Running &launch : llvm::make_pointee_range(running)) {
    ClusterClocks &ofDevice = known[launch.state.device];
    ofDevice = ofDevice.join(launch.state.done);
    results.push_back({.findings = launch.report.findings(),
                       .unwrittenReads = launch.unwrittenReads.findings(),
                       .counts = {},
                       .interrupted = isGivenUp});
  }
  return results;
}

void DeviceGroup::giveUp() {
  std::lock_guard lock(mutex);
  isGivenUp = true;
  for (LaunchState *launch : active)
    launch->givenUp = true;
}

void DeviceGroup::synchronize() {
  ClusterClocks all;
  for (const ClusterClocks &ofDevice : known)
    all = all.join(ofDevice);
  llvm::fill(known, all);
}

} // namespace triton::simulator
