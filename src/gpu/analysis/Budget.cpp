#include "gpu/analysis/Budget.h"

#include "gpu/analysis/AccessWidth.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/TunedNumbers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

constexpr unsigned warpsOfGroup = 4; ///< hand over registers together
constexpr unsigned granularity = 8;  ///< of registers

static unsigned roundDown(unsigned registers) { return registers / granularity * granularity; }

/// Whether another product adds to the result of `dot`, in the same registers.
static bool isAddedTo(WarpGroupDotOp dot) {
  auto user = dot.getD().hasOneUse() ? dyn_cast<WarpGroupDotOp>(*dot.getD().user_begin()) : WarpGroupDotOp();
  return user && user.getC() == dot.getD();
}

/// Registers of a thread that hold what a loop with products carries, their results and operands, and what it loads.
/// None where there are no products. An operand takes the place of the result that it is computed from bit by bit, and
/// counts half.
static std::optional<ProductRegisters> countProductRegisters(scf::ForOp loop) {
  auto dots = loop.getBody()->getOps<WarpGroupDotOp>();
  if (dots.empty())
    return std::nullopt;
  ProductRegisters registers;
  for (Value argument : loop.getRegionIterArgs())
    registers.all += countRegisters(argument);
  for (WarpGroupDotOp dot : dots) {
    bool isCarried = llvm::is_contained(loop.getYieldedValues(), dot.getD());
    registers.all += isCarried ? 0 : countRegisters(dot.getD());
    registers.sums += isAddedTo(dot) ? 0 : countRegisters(dot.getD());
    registers.all += isa<MemDescType>(dot.getA().getType()) ? 0 : countRegisters(dot.getA()) / 2;
  }
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
    registers.all += countRegisters(load.getResult());
  return registers;
}

unsigned ProductRegisters::withAddresses() const {
  return std::max(all + tuned::registersBesideCarried, sums + tuned::registersBesideSums);
}

int64_t Budget::bytesOfBlocks(uint64_t shared) {
  return int64_t(shared) - int64_t(tuned::conversionBytes + tuned::barrierBytes);
}

std::size_t Budget::bytesOfConversion(std::size_t bytes) { return std::min(bytes, tuned::conversionBytes); }

std::size_t Budget::bytesOfBarriers() { return tuned::barrierBytes; }

int64_t Budget::bytesOfOperands() const { return int64_t(std::min(machine.sharedBytes, tuned::operandBytes)); }

int64_t Budget::sharedBytesOfHalf() const {
  return int64_t(machine.sharedOfMultiprocessor / 2) - int64_t(machine.reservedShared);
}

int64_t Budget::bytesOfSharedTiles() const {
  unsigned programs = analysis::computeOccupancy({warps, tuned::registersBesideTiles}, machine).programs();
  return int64_t(machine.sharedOfMultiprocessor / std::max(1u, programs)) - int64_t(machine.reservedShared);
}

unsigned Budget::registersOfTwo(unsigned warpsOfProgram) const {
  // Each scheduler has a part of the registers, and as many of the warps as any other, or one more.
  unsigned warpsOfScheduler = llvm::divideCeil(2 * warpsOfProgram, machine.schedulers);
  return roundDown(machine.registers / machine.schedulers / warpsOfScheduler / machine.lanes);
}

unsigned Budget::registersOfHalf() const { return registersOfTwo(warps + 1); }

unsigned Budget::registersOfHalfWithoutMover() const {
  return std::min(registersOfTwo(warps), machine.registersOfThread);
}

unsigned Budget::registersOfProducts(unsigned programs) const {
  return programs == 1 ? tuned::registersToCompute - tuned::registersBesideProducts
                       : registersOfHalf() - tuned::registersBesideProductsOfHalf;
}

unsigned Budget::registersOfData(unsigned programs) const {
  return (programs == 1 ? machine.registersOfThread : registersOfHalf()) - tuned::registersBesideCarried;
}

unsigned Budget::registersOfWaitingTiles() const { return (machine.registersOfThread + 1) / 4; }

bool Budget::holdsAllLoads(scf::ForOp loop, const analysis::AxisInfoAnalysis &axisInfo) const {
  unsigned held = tuned::registersBesidePrefetch;
  for (Value carried : loop.getRegionIterArgs())
    if (isa<FloatType>(getElementTypeOrSelf(carried)))
      held += countRegisters(carried);
  for (tt::LoadOp load : loop.getBody()->getOps<tt::LoadOp>())
    if (auto type = dyn_cast<RankedTensorType>(load.getType()); type && type.getElementType().isIntOrFloat()) {
      unsigned elements = toLinearLayout(type).inputSize("register");
      held += elements / analysis::getVectorWidth(axisInfo, load.getPtr(), load.getMask(), machine.accessBytes);
      held += countUnsharedRegisters(load.getResult());
    }
  return held <= machine.registersOfThread;
}

unsigned Budget::registersInFlight(unsigned held) const {
  unsigned mostHeld = warps == 1 ? tuned::registersHeldByOneWarp : tuned::registersHeld;
  return held + tuned::registersKeptFree > mostHeld ? 0 : std::min(tuned::registersInFlight, mostHeld - held);
}

bool Budget::canShareMultiprocessor(tt::FuncOp function, int64_t sharedBytes) const {
  if (tt::getBlocks(function) > 1 || sharedBytes > sharedBytesOfHalf())
    return false;
  unsigned registers = registersOfHalf();
  bool hasProducts = false;
  WalkResult walk = function.walk([&](scf::ForOp loop) {
    std::optional<ProductRegisters> needed = countProductRegisters(loop);
    hasProducts |= needed.has_value();
    bool fits = !needed || (needed->withAddresses() <= registers && !loop->getParentOfType<LoopLikeOpInterface>());
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
  roles.movingRegisters = std::min(tuned::registersToMove, atStart);
  roles.computingRegisters =
      roundDown(std::min((atStart * all - roles.movingRegisters * roles.moving) / warps, machine.registersOfThread));
  return roles;
}

} // namespace triton::ttg
