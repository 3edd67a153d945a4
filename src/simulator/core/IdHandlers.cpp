// The numbers by which a thread finds its place in the launch, 32 bits each, and the time.
#include "simulator/core/Handlers.h"
#include "simulator/core/Launch.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

/// Sets all lanes to the same number.
template <uint32_t (*value)(const Warp &)> static void uniform(Warp &warp, const DecodedInstruction &instruction) {
  uint32_t number = value(warp);
  warp.forEachLane<uint32_t>(instruction.result, [=](unsigned) { return number; });
}

template <unsigned axis> static uint32_t programId(const Warp &warp) { return warp.state.id[axis]; }
template <unsigned axis> static uint32_t programCount(const Warp &warp) {
  return warp.state.launch.configuration.grid[axis];
}
template <unsigned axis> static uint32_t clusterId(const Warp &warp) { return warp.state.cluster.id[axis]; }
template <unsigned axis> static uint32_t clusterSize(const Warp &warp) {
  return warp.state.launch.configuration.cluster[axis];
}
template <unsigned axis> static uint32_t clusterCount(const Warp &warp) {
  return programCount<axis>(warp) / clusterSize<axis>(warp);
}
template <unsigned axis> static uint32_t idInCluster(const Warp &warp) {
  return programId<axis>(warp) - clusterId<axis>(warp) * clusterSize<axis>(warp);
}
static uint32_t rankInCluster(const Warp &warp) { return warp.state.rank; }
static uint32_t programsOfCluster(const Warp &warp) { return uint32_t(warp.state.cluster.programs.size()); }
static uint32_t threadCount(const Warp &warp) { return warp.state.launch.configuration.threads; }
static uint32_t multiprocessorId(const Warp &warp) { return uint32_t(warp.state.linearId % multiprocessors); }
static uint32_t warpId(const Warp &warp) { return warp.index; }

static void threadId(Warp &warp, const DecodedInstruction &instruction) {
  uint32_t first = warp.index * warp.program.laneCount;
  warp.forEachLane<uint32_t>(instruction.result, [=](unsigned lane) { return first + lane; });
}

static void laneId(Warp &warp, const DecodedInstruction &instruction) {
  warp.forEachLane<uint32_t>(instruction.result, [](unsigned lane) { return lane; });
}

static void readTime(Warp &warp, const DecodedInstruction &instruction) {
  constexpr uint64_t start = 1'000'000'000;
  ClusterState &cluster = warp.state.cluster;
  cluster.readsTime = true;
  uint64_t time = start + cluster.timePassed + warp.executed;
  warp.forEachLane<uint64_t>(instruction.result, [=](unsigned) { return time; });
}

#define TRITON_BY_AXIS(axis, value)                                                                                    \
  ((axis) == 0 ? &uniform<value<0>> : (axis) == 1 ? &uniform<value<1>> : &uniform<value<2>>)
Handler programIdHandler(unsigned axis) { return TRITON_BY_AXIS(axis, programId); }
Handler programCountHandler(unsigned axis) { return TRITON_BY_AXIS(axis, programCount); }
Handler clusterIdHandler(unsigned axis) { return TRITON_BY_AXIS(axis, clusterId); }
Handler clusterCountHandler(unsigned axis) { return TRITON_BY_AXIS(axis, clusterCount); }
Handler idInClusterHandler(unsigned axis) { return TRITON_BY_AXIS(axis, idInCluster); }
Handler clusterSizeHandler(unsigned axis) { return TRITON_BY_AXIS(axis, clusterSize); }
#undef TRITON_BY_AXIS
Handler rankInClusterHandler() { return &uniform<rankInCluster>; }
Handler programsOfClusterHandler() { return &uniform<programsOfCluster>; }
Handler threadIdHandler() { return &threadId; }
Handler threadCountHandler() { return &uniform<threadCount>; }
Handler laneIdHandler() { return &laneId; }
Handler warpIdHandler() { return &uniform<warpId>; }
Handler multiprocessorIdHandler() { return &uniform<multiprocessorId>; }
Handler timeHandler() { return &readTime; }

} // namespace triton::simulator
