// Launching a decoded kernel in the simulator.
#pragma once

#include "simulator/core/AccessMap.h"
#include "simulator/core/AccessWatch.h"
#include "simulator/core/Memory.h"
#include "simulator/core/Program.h"
#include "simulator/core/ReachableMemory.h"
#include "simulator/core/Report.h"
#include "simulator/core/Timeline.h"

#include <array>
#include <atomic>
#include <functional>

namespace triton::simulator {

struct LaunchConfiguration {
  std::array<uint32_t, 3> grid{1, 1, 1};
  /// The number of programs that run together, unless the kernel says it. Each extent divides the grid's.
  std::array<uint32_t, 3> cluster{1, 1, 1};
  unsigned threads = 32; ///< of one program; a multiple of the warp's lanes
  std::size_t dynamicSharedBytes = 0;
  unsigned hostThreads = 0; ///< 0: the host's cores
  bool counts = false;      ///< whether to fill LaunchResult::counts, which costs time
  /// Reads of this word in global memory fill LaunchResult::unwrittenReads; 0: of none.
  uint32_t unwritten = 0;
  /// What the kernel may access through its parameters; through those that are not here, all arrays of the launch.
  std::vector<ParameterMemory> parameters;
  /// In how many orders of its programs a launch without findings runs. Results that differ are a finding.
  unsigned orders = 1;
  AccessMap *map = nullptr;     ///< to be filled, which costs more time; null: nobody wants it
  Timeline *timeline = nullptr; ///< the same; there must be a map
  /// Receives what device_print writes, after the launch and in the order of programs. Empty: standard output.
  std::function<void(llvm::StringRef)> print;
  /// Called on the launching thread every few milliseconds; true gives the launch up. Empty: the launch cannot be given
  /// up.
  std::function<bool()> interrupted;
};

/// The clusters of the grid; without clusters, each program is one.
uint64_t clusterCount(const LaunchConfiguration &configuration);

/// The number of a large GPU. Programs that rely on more of them to run at once would hang on some GPUs.
constexpr unsigned multiprocessors = 132;

/// The state of a launch that handlers need.
struct LaunchState {
  const Program &program;
  const LaunchConfiguration &configuration;
  GlobalMemory &memory;
  Report &report, &unwrittenReads, &divisionsByZero;
  llvm::ArrayRef<uint64_t> arguments;
  std::vector<ReachableMemory> reachable = {}; ///< by location
  bool variesDivisions = false;                ///< what divisions by zero give is not what the hardware gives
  AccessWatch *watch = nullptr;                ///< null: nobody wants to know the accesses
  uint64_t mostInstructions = 0;               ///< of a cluster, times lanes; 0: any number
  bool isTooLong = false;                      ///< given up because a cluster has executed more
  unsigned order = 0;                          ///< the number of the order in which programs and warps run
  std::vector<std::byte> hiddenArguments = {}; ///< those of the program
  bool isInterrupted = false;                  ///< given up because the launching thread was asked to
  // Of several devices that run beside each other (DeviceGroup.h):
  std::optional<unsigned> peer = {}; ///< which of them this is
  unsigned device = 0;               ///< the same; 0 for a launch that runs alone
  uint64_t firstCluster = 0;         ///< its number in clocks
  ClusterClocks known = {};          ///< what came before the launch
  ClusterClocks done = {};           ///< what its clusters had done and known when they ended
  std::atomic<bool> givenUp = false; ///< warps then execute nothing more

  /// Whether the bytes belong to a parameter that is passed by value, or to the hidden arguments.
  bool isParameter(uintptr_t address, std::size_t size) const;
};

struct LaunchResult {
  std::vector<Finding> findings;
  std::vector<Finding> unwrittenReads; ///< if asked for; they need not be errors
  uint64_t laneInstructions = 0;       ///< executed instructions times lanes
  LaunchCounts counts;                 ///< if asked for
  bool interrupted = false;            ///< the launch was given up: findings and the arrays' contents are incomplete
};

/// Runs every program of the grid. `arguments` contains one 8-byte slot for each kernel parameter. Pointers are host
/// addresses inside `allocations`; for a struct that is passed by value, the slot contains its host address. Programs
/// run in parallel on the host's cores unless the kernel synchronizes them by strong accesses. Results and findings do
/// not depend on this: if programs may race or wait for each other, the arrays get their first contents back and the
/// programs run again in order.
LaunchResult launch(const Program &program, LaunchConfiguration configuration, llvm::ArrayRef<uint64_t> arguments,
                    std::vector<Allocation> allocations);

} // namespace triton::simulator
