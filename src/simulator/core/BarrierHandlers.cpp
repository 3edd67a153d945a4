#include "simulator/core/Handlers.h"
#include "simulator/core/Warp.h"

namespace triton::simulator {

/// The operands have the same value in all lanes.
static Barrier::Phase arriveAtBarrier(Warp &warp, const DecodedInstruction &instruction) {
  auto operand = [&](unsigned i) { return warp.read<uint32_t>(instruction.operands[i])[warp.firstLane()]; };
  WarpBarrier &barrier = warp.state.barrier(instruction.immediate > 0 ? operand(0) : 0);
  std::optional<unsigned> count;
  if (instruction.immediate > 1)
    count = (operand(1) + warp.program.laneCount - 1) / warp.program.laneCount;
  return warp.arrive(barrier, count, instruction.location);
}

static void synchronize(Warp &warp, const DecodedInstruction &instruction) {
  Barrier::Phase phase = arriveAtBarrier(warp, instruction);
  unsigned number = instruction.immediate > 0 ? warp.read<uint32_t>(instruction.operands[0])[warp.firstLane()] : 0;
  warp.waitFor(warp.state.barrier(number), phase, instruction.location);
}

static void arrive(Warp &warp, const DecodedInstruction &instruction) { arriveAtBarrier(warp, instruction); }

static void clusterArrive(Warp &warp, const DecodedInstruction &instruction) {
  warp.openArrival =
      warp.arrive(*warp.state.cluster.barrier, std::nullopt, instruction.location, instruction.order.releases);
}

static void clusterWait(Warp &warp, const DecodedInstruction &instruction) {
  const Barrier &barrier = *warp.state.cluster.barrier;
  warp.waitFor(barrier, warp.openArrival.value_or(barrier.phase()), instruction.location);
  warp.openArrival.reset();
}

/// The program's barrier as one that orders no memory: fences before and after it do that.
static Barrier::Phase arriveBare(Warp &warp, const DecodedInstruction &instruction) {
  return warp.arrive(warp.state.barrier(0), std::nullopt, instruction.location, /*releases=*/false);
}

static void synchronizeBare(Warp &warp, const DecodedInstruction &instruction) {
  Barrier::Phase phase = arriveBare(warp, instruction);
  warp.waitFor(warp.state.barrier(0), phase, instruction.location, /*acquires=*/false);
}

static void signalBare(Warp &warp, const DecodedInstruction &instruction) {
  warp.openArrival = arriveBare(warp, instruction);
}

static void waitBare(Warp &warp, const DecodedInstruction &instruction) {
  const Barrier &barrier = warp.state.barrier(0);
  warp.waitFor(barrier, warp.openArrival.value_or(barrier.phase()), instruction.location, /*acquires=*/false);
  warp.openArrival.reset();
}

Handler barrierHandler() { return &synchronize; }
Handler barrierArriveHandler() { return &arrive; }
Handler clusterArriveHandler() { return &clusterArrive; }
Handler clusterWaitHandler() { return &clusterWait; }
Handler bareBarrierHandler() { return &synchronizeBare; }
Handler bareArriveHandler() { return &signalBare; }
Handler bareWaitHandler() { return &waitBare; }

} // namespace triton::simulator
