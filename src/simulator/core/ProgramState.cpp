#include "simulator/core/ProgramState.h"

#include "simulator/core/Warp.h"

namespace triton::simulator {

WarpBarrier &ProgramState::barrier(unsigned number) {
  auto found = barriers.find(number);
  if (found != barriers.end())
    return found->second;
  std::string name = number == 0 ? "the barrier of the program" : "barrier " + std::to_string(number);
  unsigned warps = unsigned(cluster.programs.size()) * warpCount;
  WarpBarrier &barrier =
      barriers.try_emplace(number, std::move(name), WarpBarrier::Group::Program, warpCount, warps).first->second;
  for (const Warp *warp : ended)
    barrier.memberEnded(*warp);
  return barrier;
}

void ProgramState::warpEnded(Warp &warp) {
  ended.push_back(&warp);
  if (ended.size() == warpCount)
    for (const WarpGroup &group : groups)
      group.end(warp);
  for (auto &[number, barrier] : barriers)
    barrier.memberEnded(warp);
  cluster.barrier->memberEnded(warp);
}

void ProgramState::start(std::array<uint32_t, 3> newId, uint64_t newLinearId) {
  id = newId;
  linearId = newLinearId;
  shared.reset();
  printed.clear();
  barriers.clear();
  ended.clear();
  groups.clear();
}

} // namespace triton::simulator
