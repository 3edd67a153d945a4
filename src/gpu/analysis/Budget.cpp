#include "gpu/analysis/Budget.h"

#include "gpu/analysis/LiveRegisters.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

constexpr unsigned warpsOfGroup = 4; ///< hand over registers together
constexpr unsigned granularity = 8;  ///< of registers

// Shared memory that conversions of layouts take in a round, that barriers take, and that operands may take.
constexpr std::size_t conversionBytes = 16 << 10, barrierBytes = 1 << 10, operandBytes = 64 << 10;

// Registers of threads that move data, and of those that compute beside them, most of which are for products.
constexpr unsigned registersToMove = 40, registersToCompute = 240, registersBesideProducts = 48;
// Where two programs share a multiprocessor: those that products must leave. Without the registers for addresses,
// counters, and what is computed from results one by one beside what loops carry, attention with blocks of 128 x 16 and
// 128 elements spills.
constexpr unsigned registersBesideProductsOfHalf = 40, registersBesideCarried = 20;

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

int64_t Budget::bytesOfBlocks(uint64_t shared) { return int64_t(shared) - int64_t(conversionBytes + barrierBytes); }

std::size_t Budget::bytesOfConversion(std::size_t bytes) { return std::min(bytes, conversionBytes); }

std::size_t Budget::bytesOfBarriers() { return barrierBytes; }

int64_t Budget::bytesOfOperands() const { return int64_t(std::min(machine.sharedBytes, operandBytes)); }

int64_t Budget::sharedBytesOfHalf() const {
  return int64_t(machine.sharedOfMultiprocessor / 2) - int64_t(machine.reservedShared);
}

unsigned Budget::registersOfHalf() const {
  // Each scheduler has a part of the registers, and as many of the warps as any other, or one more.
  unsigned warpsOfScheduler = llvm::divideCeil(2 * (warps + 1), machine.schedulers);
  return roundDown(machine.registers / machine.schedulers / warpsOfScheduler / machine.lanes);
}

unsigned Budget::registersOfProducts(unsigned programs) const {
  return programs == 1 ? registersToCompute - registersBesideProducts
                       : registersOfHalf() - registersBesideProductsOfHalf;
}

bool Budget::canShareMultiprocessor(tt::FuncOp function, int64_t sharedBytes) const {
  if (tt::getBlocks(function) > 1 || sharedBytes > sharedBytesOfHalf())
    return false;
  unsigned registers = registersOfHalf();
  bool hasProducts = false;
  WalkResult walk = function.walk([&](scf::ForOp loop) {
    std::optional<unsigned> needed = countProductRegisters(loop);
    hasProducts |= needed.has_value();
    bool fits =
        !needed || (*needed + registersBesideCarried <= registers && !loop->getParentOfType<LoopLikeOpInterface>());
    return fits ? WalkResult::advance() : WalkResult::interrupt();
  });
  return hasProducts && !walk.wasInterrupted();
}

WarpRoles Budget::divide(bool sharesMultiprocessor) const {
  WarpRoles roles;
  roles.computing = warps;
  roles.programs = sharesMultiprocessor ? 2 : 1;
  // With one warp for each scheduler, a further one leaves the others as many as a thread can have.
  if (sharesMultiprocessor || warps <= warpsOfGroup || warps % warpsOfGroup != 0)
    return roles;
  roles.moving = warpsOfGroup;
  unsigned all = warps + roles.moving, atStart = roundDown(machine.registers / (all * machine.lanes));
  roles.movingRegisters = std::min(registersToMove, atStart);
  roles.computingRegisters =
      roundDown(std::min((atStart * all - roles.movingRegisters * roles.moving) / warps, machine.registersOfThread));
  return roles;
}

} // namespace triton::ttg
