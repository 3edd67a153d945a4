#include "simulator/core/Handlers.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

/// An operand, which has the same value in all lanes.
static uint32_t operand(const Warp &warp, const DecodedInstruction &instruction, unsigned index) {
  return warp.read<uint32_t>(instruction.operands[index])[warp.firstLane()];
}

static WarpBarrier &barrierOf(Warp &warp, const DecodedInstruction &instruction) {
  return warp.state.barrier(instruction.immediate > 0 ? operand(warp, instruction, 0) : 0);
}

static Barrier::Phase arriveAtBarrier(Warp &warp, const DecodedInstruction &instruction, bool ordersMemory) {
  std::optional<unsigned> count;
  if (instruction.immediate > 1)
    count = (operand(warp, instruction, 1) + warp.program.laneCount - 1) / warp.program.laneCount;
  return warp.arrive(barrierOf(warp, instruction), count, instruction.location, ordersMemory);
}

template <bool ordersMemory> static void synchronize(Warp &warp, const DecodedInstruction &instruction) {
  Barrier::Phase phase = arriveAtBarrier(warp, instruction, ordersMemory);
  warp.waitFor(barrierOf(warp, instruction), phase, instruction.location, ordersMemory);
}

static void arrive(Warp &warp, const DecodedInstruction &instruction) {
  arriveAtBarrier(warp, instruction, /*ordersMemory=*/true);
}

static void clusterArrive(Warp &warp, const DecodedInstruction &instruction) {
  warp.openArrival =
      warp.arrive(*warp.state.cluster.barrier, std::nullopt, instruction.location, instruction.order.releases);
}

static void clusterWait(Warp &warp, const DecodedInstruction &instruction) {
  const Barrier &barrier = *warp.state.cluster.barrier;
  warp.waitFor(barrier, warp.openArrival.value_or(barrier.phase()), instruction.location);
  warp.openArrival.reset();
}

static void signalBare(Warp &warp, const DecodedInstruction &instruction) {
  warp.openArrival = arriveAtBarrier(warp, instruction, /*ordersMemory=*/false);
}

static void waitBare(Warp &warp, const DecodedInstruction &instruction) {
  const Barrier &barrier = warp.state.barrier(0);
  warp.waitFor(barrier, warp.openArrival.value_or(barrier.phase()), instruction.location, /*acquires=*/false);
  warp.openArrival.reset();
}

Handler barrierHandler() { return &synchronize<true>; }
Handler barrierArriveHandler() { return &arrive; }
Handler clusterArriveHandler() { return &clusterArrive; }
Handler clusterWaitHandler() { return &clusterWait; }
Handler bareBarrierHandler() { return &synchronize<false>; }
Handler bareArriveHandler() { return &signalBare; }
Handler bareWaitHandler() { return &waitBare; }

} // namespace triton::simulator
