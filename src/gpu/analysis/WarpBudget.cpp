#include "gpu/analysis/WarpBudget.h"

#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/WarpGroupDots.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

constexpr unsigned warpsOfGroup = 4; ///< hand over registers together
constexpr unsigned granularity = 8;  ///< of registers

static unsigned roundDown(unsigned registers) { return registers / granularity * granularity; }

/// Registers of a thread that hold what a loop with products carries, their results and operands, and what it loads.
/// None where there are no products. An operand takes the place of the result that it is computed from bit by bit, and
/// counts half.
static std::optional<unsigned> countProductRegisters(scf::ForOp loop) {
  auto dots = loop.getBody()->getOps<WarpGroupDotOp>();
  if (dots.empty())
    return std::nullopt;
  unsigned registers = 0;
  for (Value argument : loop.getRegionIterArgs())
    registers += countRegisters(argument);
  for (WarpGroupDotOp dot : dots) {
    bool isCarried = llvm::is_contained(loop.getYieldedValues(), dot.getD());
    registers += isCarried ? 0 : countRegisters(dot.getD());
    registers += isa<MemDescType>(dot.getA().getType()) ? 0 : countRegisters(dot.getA()) / 2;
  }
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
    registers += countRegisters(load.getResult());
  return registers;
}

int64_t getSharedBytesOfHalf(const gpu::Machine &machine) {
  return int64_t(machine.sharedOfMultiprocessor / 2) - int64_t(machine.reservedShared);
}

unsigned countRegistersOfHalf(const gpu::Machine &machine, unsigned warps) {
  // Each scheduler has a part of the registers, and as many of the warps as any other, or one more.
  unsigned warpsOfScheduler = llvm::divideCeil(2 * (warps + 1), machine.schedulers);
  return roundDown(machine.registers / machine.schedulers / warpsOfScheduler / machine.lanes);
}

bool canShareMultiprocessor(tt::FuncOp function, const gpu::Machine &machine, int64_t sharedBytes) {
  // Addresses, counters, and what is computed from results one by one. With less, attention with blocks of 128 x 16 and
  // 128 elements spills.
  constexpr unsigned otherRegisters = 20;
  if (tt::getBlocks(function) > 1 || sharedBytes > getSharedBytesOfHalf(machine))
    return false;
  unsigned registers = countRegistersOfHalf(machine, getNumWarps(function));
  bool hasProducts = false;
  WalkResult walk = function.walk([&](scf::ForOp loop) {
    std::optional<unsigned> needed = countProductRegisters(loop);
    hasProducts |= needed.has_value();
    bool fits = !needed || (*needed + otherRegisters <= registers && !loop->getParentOfType<LoopLikeOpInterface>());
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return hasProducts && !walk.wasInterrupted();
}

WarpBudget::WarpBudget(const gpu::Machine &machine, unsigned computing, bool sharesMultiprocessor)
    : computing(computing), programs(sharesMultiprocessor ? 2 : 1) {
  // With one warp for each scheduler, a further one leaves the others as many as a thread can have.
  if (sharesMultiprocessor || computing <= warpsOfGroup || computing % warpsOfGroup != 0)
    return;
  constexpr unsigned enoughToMove = 40;
  moving = warpsOfGroup;
  unsigned all = computing + moving, atStart = roundDown(machine.registers / (all * machine.lanes));
  movingRegisters = std::min(enoughToMove, atStart);
  computingRegisters =
      roundDown(std::min((atStart * all - movingRegisters * moving) / computing, machine.registersOfThread));
}

} // namespace triton::ttg
