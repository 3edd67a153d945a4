#include "gpu/copies/SecondProgram.h"

#include "gpu/analysis/Budget.h"
#include "gpu/analysis/LoopSchedule.h"
#include "ir/AttributeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {
namespace {

int64_t countBits(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return 0;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth();
}

/// The block that a product reads, before it is transposed.
Value findBlock(Value operand) {
  while (auto transposed = operand.getDefiningOp<tt::TransOp>())
    operand = transposed.getSrc();
  return operand;
}

/// Where `dot` sums up: a later pass adds its result to what it is added to.
Value findSum(tt::DotOp dot) {
  Value result = dot.getD();
  auto sum = result.hasOneUse() ? dyn_cast<arith::AddFOp>(*result.user_begin()) : arith::AddFOp();
  return sum ? sum.getResult() : result;
}

/// What the products of a loop take of a thread and of shared memory.
class LoopNeeds {
public:
  LoopNeeds(scf::ForOp loop, unsigned threads) : loop(loop), threads(threads) {}

  bool hasProducts() { return !loop.getBody()->getOps<tt::DotOp>().empty(); }

  /// What the loop carries, results and operands. An operand takes the place of the result that it is computed from bit
  /// by bit, and counts half. So counts the budget once layouts are known.
  ProductRegisters countRegisters(llvm::ArrayRef<Operation *> loads) {
    int64_t bits = 0, sums = 0;
    for (Value argument : loop.getRegionIterArgs())
      if (isa<FloatType>(getElementTypeOrSelf(argument)))
        bits += countBits(argument.getType()) * replicas(argument.getType());
    for (tt::DotOp dot : loop.getBody()->getOps<tt::DotOp>()) {
      sums += countBits(dot.getType());
      bits += llvm::is_contained(loop.getYieldedValues(), findSum(dot)) ? 0 : countBits(dot.getType());
      Operation *left = findBlock(dot.getA()).getDefiningOp();
      bool isComputed = left && loop->isProperAncestor(left) && !llvm::is_contained(loads, left);
      bits += isComputed ? countBits(dot.getA().getType()) / 2 : 0;
    }
    return {unsigned(bits / 32 / threads), unsigned(sums / 32 / threads)};
  }

  /// Adds the blocks from outside the loop that products read in each iteration.
  void findTiles(llvm::SmallSetVector<Value, 4> &tiles) {
    for (tt::DotOp dot : loop.getBody()->getOps<tt::DotOp>())
      for (Value operand : {dot.getA(), dot.getB()})
        if (Value block = findBlock(operand); loop.isDefinedOutsideOfLoop(block))
          tiles.insert(block);
  }

private:
  /// Four threads have the same row of a product's result, and its number of a vector.
  static int64_t replicas(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 1 ? 4 : 1;
  }

  scf::ForOp loop;
  unsigned threads;
};

/// Of the blocks in flight. Where schedulers have one warp each, the pipeline gives up a stage for another program.
int64_t countBytesInFlight(llvm::ArrayRef<Operation *> loads, bool givesUpStage, unsigned numStages) {
  int64_t bytes = 0;
  for (Operation *load : loads) {
    auto loop = load->getParentOfType<scf::ForOp>();
    if (!loop)
      continue;
    int64_t stages = analysis::getStages(loop, numStages);
    bytes += countBits(load->getResult(0).getType()) / 8 * (givesUpStage && stages > 2 ? stages - 1 : stages);
  }
  return bytes;
}

} // namespace

bool moverCostsProgram(tt::FuncOp function, llvm::ArrayRef<Operation *> loads, const gpu::Machine &machine,
                       unsigned warps, unsigned numStages) {
  Budget budget(machine, warps);
  llvm::SmallSetVector<Value, 4> tiles;
  unsigned most = 0;
  WalkResult walk = function.walk([&](scf::ForOp loop) {
    LoopNeeds needs(loop, warps * machine.lanes);
    if (!needs.hasProducts())
      return WalkResult::advance();
    // Nests say that there are no more programs than multiprocessors, and the hint asks for the warp.
    if (loop->getParentOfType<LoopLikeOpInterface>() || loop->hasAttr(tt::warpSpecializeAttribute))
      return WalkResult::interrupt();
    most = std::max(most, needs.countRegisters(loads).withAddresses());
    needs.findTiles(tiles);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted() || most <= budget.registersOfHalf() || most > budget.registersOfHalfWithoutMover())
    return false;
  int64_t bytes = countBytesInFlight(loads, warps <= machine.schedulers, numStages);
  for (Value tile : tiles)
    bytes += countBits(tile.getType()) / 8;
  return bytes <= budget.sharedBytesOfHalf();
}

} // namespace triton::ttg
