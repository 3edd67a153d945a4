#include "simulator/core/ProgramState.h"

#include "simulator/core/Warp.h"

#include <algorithm>

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

WarpGroup &ProgramState::group(const Warp &warp) {
  unsigned number = warp.index / WarpGroup::size;
  if (auto found = groups.find(number); found != groups.end())
    return found->second;
  unsigned members = std::min(WarpGroup::size, warpCount - number * WarpGroup::size),
           warps = unsigned(cluster.programs.size()) * warpCount;
  WarpGroup &group = groups.try_emplace(number, number, members, warps, cluster.addAgent()).first->second;
  for (const Warp *other : ended)
    if (other->index / WarpGroup::size == number)
      group.memberEnded(*other);
  return group;
}

void ProgramState::warpEnded(Warp &warp) {
  ended.push_back(&warp);
  if (auto found = groups.find(warp.index / WarpGroup::size); found != groups.end())
    found->second.memberEnded(warp);
  if (ended.size() == warpCount)
    reportMissing(warp);
  for (auto &[number, barrier] : barriers)
    barrier.memberEnded(warp);
  cluster.barrier->memberEnded(warp);
}

void ProgramState::reportMissing(Warp &last) const {
  for (const auto &[number, group] : groups)
    group.reportMissing(last);
  std::optional<uint32_t> reservation = memoryOfUnit ? memoryOfUnit->firstReservation() : std::nullopt;
  if (reservation)
    last.report(FindingKind::TensorMemoryLeak, *reservation, 0,
                "the program ends and has not given back " + std::to_string(memoryOfUnit->reservedColumns()) +
                    " columns of tensor memory: programs that follow wait for them without end");
}

bool ProgramState::addBarrier(std::size_t offset, uint32_t arrivals, const Warp &warp) {
  bool isNew = !findBarrier(offset);
  removeBarrier(offset);
  memoryBarriers[offset] = std::make_unique<MemoryBarrier>(
      offset, arrivals, warp, unsigned(cluster.programs.size()) * warpCount, cluster.addAgent());
  return isNew;
}

void ProgramState::removeBarrier(std::size_t offset) {
  auto found = memoryBarriers.find(offset);
  if (found == memoryBarriers.end())
    return;
  removedBarriers.push_back(std::move(found->second));
  memoryBarriers.erase(found);
}

void ProgramState::fenceBarriers(const Warp &warp) {
  for (auto &[offset, barrier] : memoryBarriers)
    barrier->fenceInitialization(warp);
}

void ProgramState::start(std::array<uint32_t, 3> newId, uint64_t newLinearId) {
  id = newId;
  linearId = newLinearId;
  shared.reset();
  printed.clear();
  barriers.clear();
  ended.clear();
  groups.clear();
  memoryBarriers.clear();
  removedBarriers.clear();
  memoryOfUnit.reset();
}

} // namespace triton::simulator
