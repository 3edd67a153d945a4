// Reads operands from shared memory later if registers would not hold them, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUREORDERINSTRUCTIONS
#include "gpu/products/Passes.h.inc"

namespace {

/// The number of 32-bit registers of a thread that a tensor takes.
unsigned registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  return (getElementsPerThread(type) * type.getElementTypeBitWidth() + 31) / 32;
}

/// The number of registers that a thread may use for tiles. About a quarter of all registers is needed for addresses
/// and intermediate values.
unsigned registerBudget(Operation *op) {
  const gpu::Machine &machine = gpu::getTarget(op).machine();
  unsigned threads = getNumWarps(op) * getThreadsPerWarp(op);
  return std::min(machine.registersOfThread, machine.registers / threads) * 3 / 4;
}

/// Whether `load` reads the same at any time, because its buffer was written when it was made.
bool readsConstant(LocalLoadOp load) {
  return llvm::all_of(analysis::findAllocations(load.getSrc()), [](Operation *allocation) {
    auto buffer = cast<LocalAllocOp>(allocation);
    return buffer.getSrc() && !buffer.getType().getMutableMemory();
  });
}

struct TritonGPUReorderInstructions : impl::TritonGPUReorderInstructionsBase<TritonGPUReorderInstructions>,
                                      base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](scf::ForOp loop) { relieve(loop); });
  }

private:
  /// Moves loads into a loop whose tiles do not all fit in registers.
  static void relieve(scf::ForOp loop) {
    llvm::SetVector<Value> outer;
    getUsedValuesDefinedAbove(loop.getRegion(), outer);
    SmallVector<LocalLoadOp> loads;
    unsigned needed = accumulators(loop);
    for (Value value : outer)
      if (auto load = value.getDefiningOp<LocalLoadOp>(); load && readsConstant(load)) {
        loads.push_back(load);
        needed += registersOf(value);
      }
    for (LocalLoadOp load : loads) {
      if (needed <= registerBudget(loop))
        return;
      needed -= registersOf(load.getResult());
      moveInto(loop, load);
    }
  }

  /// The registers of what the loop carries, and of the largest product that it does not carry.
  static unsigned accumulators(scf::ForOp loop) {
    unsigned carried = 0, fresh = 0;
    for (BlockArgument argument : loop.getRegionIterArgs())
      carried += registersOf(argument);
    loop.walk([&](Operation *op) {
      if (isRegisterProduct(op) && matchPattern(op->getOperand(2), m_Constant()))
        fresh = std::max(fresh, registersOf(op->getResult(0)));
    });
    return carried + fresh;
  }

  /// Reads again directly before the first use in each iteration.
  static void moveInto(scf::ForOp loop, LocalLoadOp load) {
    Operation *first = nullptr;
    for (Operation *user : load->getUsers())
      if (Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user))
        if (!first || inBody->isBeforeInBlock(first))
          first = inBody;
    OpBuilder builder(first);
    Operation *copy = builder.clone(*load);
    load.getResult().replaceUsesWithIf(copy->getResult(0),
                                       [&](OpOperand &use) { return loop->isProperAncestor(use.getOwner()); });
    if (load->use_empty())
      load->erase();
  }
};

} // namespace

} // namespace triton::ttg
