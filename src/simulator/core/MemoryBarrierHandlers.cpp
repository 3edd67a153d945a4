// Barriers in shared memory. An address of 8 bytes is a shared pointer or a host address; see Warp::findSharedPlace.
#include "simulator/core/Handlers.h"
#include "simulator/core/Warp.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {

namespace {

/// The operands of an instruction on barriers, for the lanes that execute it.
struct BarrierOperands {
  Warp &warp;
  const DecodedInstruction &instruction;
  const MemoryBarrierOperation &operation = *static_cast<const MemoryBarrierOperation *>(instruction.detail);
  LaneMask lanes = warp.active & warp.readMask(instruction.operands[2]);

  uint64_t address(unsigned lane) const { return warp.read<uint64_t>(instruction.operands[0])[lane]; }
  uint32_t value(unsigned lane) const { return warp.read<uint32_t>(instruction.operands[1])[lane]; }
  uint64_t token(unsigned lane) const { return warp.read<uint64_t>(instruction.operands[1])[lane]; }
  template <typename Body> void forEachLane(Body body) const {
    for (LaneMask rest = lanes; rest; rest &= rest - 1)
      body(unsigned(__builtin_ctzll(rest)));
  }
  MemoryBarrier *find(unsigned lane, AccessKind kind) const {
    return warp.findBarrier(address(lane), kind, lane, instruction.location);
  }
  void misuse(unsigned lane, std::string detail) const {
    warp.report(FindingKind::BarrierMisuse, instruction.location, lane, std::move(detail));
  }
};

/// A token contains the phase and the number of missing arrivals.
constexpr unsigned tokenShift = 20;

} // namespace

static void initialize(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  operands.forEachLane([&](unsigned lane) {
    Warp::SharedPlace place = warp.findSharedPlace(operands.address(lane));
    if (!warp.access(place.address, 8, 8, writeAccess, lane, instruction.location))
      return;
    uint32_t count = operands.value(lane);
    if (count == 0 || count > MemoryBarrier::mostArrivals)
      return operands.misuse(
          lane, llvm::formatv("an mbarrier for {0} arrivals; it must be 1 to {1}", count, MemoryBarrier::mostArrivals));
    if (!place.owner->addBarrier(place.offset, count, warp))
      operands.misuse(lane, llvm::formatv("the mbarrier at shared byte {0} is initialized again without "
                                          "`mbarrier.inval`",
                                          place.offset));
  });
}

static void invalidate(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  operands.forEachLane([&](unsigned lane) {
    Warp::SharedPlace place = warp.findSharedPlace(operands.address(lane));
    if (operands.find(lane, writeAccess))
      place.owner->removeBarrier(place.offset);
  });
}

static void arriveAt(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  const MemoryBarrierOperation &operation = operands.operation;
  operands.forEachLane([&](unsigned lane) {
    MemoryBarrier *barrier = operands.find(lane, atomicAccess);
    if (!barrier)
      return;
    uint32_t count = operation.expectsBytes ? 1 : operands.value(lane);
    if (operation.expectsBytes)
      barrier->expectBytes(operands.value(lane));
    MemoryBarrier::Token token =
        barrier->arrive(warp, lane, count, operation.drops, operation.isOrdered, instruction.location);
    if (operation.hasResult)
      warp.write<uint64_t>(instruction.result)[lane] = token.phase << tokenShift | token.pending;
    if (operation.mustNotComplete && barrier->phase() != token.phase)
      operands.misuse(lane, "an arrival with `.noComplete` ends the phase of " + barrier->name());
  });
}

static void countBytes(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  operands.forEachLane([&](unsigned lane) {
    MemoryBarrier *barrier = operands.find(lane, atomicAccess);
    if (barrier && operands.operation.expectsBytes)
      barrier->expectBytes(operands.value(lane));
    else if (barrier)
      barrier->completeBytes(warp, operands.value(lane), instruction.location);
  });
}

static void countPending(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  warp.forEachLane<uint32_t>(instruction.result,
                             [=](unsigned lane) { return uint32_t(operands.token(lane) & ((1u << tokenShift) - 1)); });
}

/// Whether a phase has ended: the last phase of a parity, or that of a token. If all threads of the warp ask for the
/// same phase and may wait, the warp waits for it.
static void testPhase(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  constexpr AccessKind strongRead{.isStrong = true};
  LaneMask ended = 0;
  MemoryBarrier *common = nullptr;
  bool isCommon = true;
  operands.forEachLane([&](unsigned lane) {
    MemoryBarrier *barrier = operands.find(lane, strongRead);
    if (!barrier)
      return void(ended |= LaneMask(1) << lane); // because its wait would not end
    bool isOver = operands.operation.hasToken ? barrier->isOver(operands.token(lane) >> tokenShift)
                                              : !barrier->hasParity(operands.value(lane));
    isCommon &= !isOver && (!common || common == barrier);
    common = barrier;
    if (isOver) {
      ended |= LaneMask(1) << lane;
      if (operands.operation.isOrdered)
        barrier->leave(warp, barrier->phase() - 1);
    }
  });
  bool waits = common && isCommon && operands.operation.mayWait;
  warp.writeMask(instruction.result, waits ? operands.lanes : ended);
  if (!waits)
    return;
  common->addWaiter(warp);
  warp.waitFor(*common, common->phase(), instruction.location);
}

/// The copies that each thread has started arrive when they are complete.
static void arriveByCopies(Warp &warp, const DecodedInstruction &instruction) {
  BarrierOperands operands{warp, instruction};
  warp.completeCopies(operands.lanes);
  operands.forEachLane([&](unsigned lane) {
    if (MemoryBarrier *barrier = operands.find(lane, atomicAccess))
      barrier->arrive(warp, lane, operands.value(lane), false, true, instruction.location);
  });
}

static void fenceBarriers(Warp &warp, const DecodedInstruction &) { warp.state.fenceBarriers(warp); }

Handler memoryBarrierHandler(MemoryBarrierOperation::Kind kind) {
  switch (kind) {
  case MemoryBarrierOperation::Kind::Initialize:
    return &initialize;
  case MemoryBarrierOperation::Kind::Invalidate:
    return &invalidate;
  case MemoryBarrierOperation::Kind::Arrive:
    return &arriveAt;
  case MemoryBarrierOperation::Kind::CountBytes:
    return &countBytes;
  case MemoryBarrierOperation::Kind::CountPending:
    return &countPending;
  case MemoryBarrierOperation::Kind::Test:
    return &testPhase;
  case MemoryBarrierOperation::Kind::ArriveByCopies:
    return &arriveByCopies;
  }
  __builtin_unreachable();
}

Handler barrierFenceHandler() { return &fenceBarriers; }

} // namespace triton::simulator
