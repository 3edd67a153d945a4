// Reads operands later if registers would not hold them, and asks for memory before threads meet, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/products/FirstUser.h"
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

/// The number of 32-bit registers of a thread that a tensor takes. Each bit of a mask has one, of which there are few.
unsigned registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 0;
  constexpr unsigned bitsOfRegister = 32;
  unsigned bits = type.getElementTypeBitWidth();
  return unsigned(llvm::divideCeil(getElementsPerThread(type) * (bits == 1 ? bitsOfRegister : bits), bitsOfRegister));
}

/// The number of registers that a thread may use for tiles. About a quarter of all registers is needed for addresses
/// and intermediate values.
unsigned registerBudget(Operation *op) {
  const gpu::Machine &machine = gpu::getTarget(op).machine();
  unsigned threads = getNumWarps(op) * getThreadsPerWarp(op);
  return std::min(machine.registersOfThread, machine.registers / threads) * 3 / 4;
}

bool readsConstant(LocalLoadOp load) {
  return llvm::all_of(analysis::findAllocations(load.getSrc()),
                      [](Operation *allocation) { return analysis::isConstantBuffer(cast<LocalAllocOp>(allocation)); });
}

struct TritonGPUReorderInstructions : impl::TritonGPUReorderInstructionsBase<TritonGPUReorderInstructions>,
                                      base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](scf::ForOp loop) { relieve(loop); });
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp conversion) { conversions.push_back(conversion); });
    for (ConvertLayoutOp conversion : llvm::reverse(conversions)) // One may use the result of another one.
      delay(conversion);
    SmallVector<tt::LoadOp> loads;
    bool hasProducts = false;
    getOperation().walk([&](Operation *op) {
      hasProducts |= isProduct(op);
      if (auto load = dyn_cast<tt::LoadOp>(op))
        loads.push_back(load);
    });
    if (!hasProducts) // Where there are, registers matter more.
      llvm::for_each(loads, issue);
  }

private:
  /// Moves a load, and what its addresses need, before conversions at which threads meet: they then wait for memory
  /// together.
  static void issue(tt::LoadOp load) {
    if (load.getIsVolatile())
      return;
    llvm::SmallPtrSet<Operation *, 16> needed; // by what moves
    SmallVector<Operation *> moved;            // the last first
    auto add = [&](Operation *op) {
      moved.push_back(op);
      for (Value operand : op->getOperands())
        needed.insert(operand.getDefiningOp());
    };
    add(load);
    std::size_t count = 0;
    Operation *target = nullptr;
    unsigned distance = 0;
    for (Operation *op = load->getPrevNode(); op && distance < tuned::mostDistanceOfLoads; op = op->getPrevNode()) {
      ++distance;
      bool isConversion = isa<ConvertLayoutOp>(op) && analysis::getScratchBytes(op) != 0;
      if (needed.contains(op)) {
        if (isConversion || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
          break;
        add(op);
      } else if (isConversion) {
        target = op;
        count = moved.size();
      } else if (!isMemoryEffectFree(op) && !(isa<tt::LoadOp>(op) && !cast<tt::LoadOp>(op).getIsVolatile())) {
        break;
      }
    }
    if (target)
      for (Operation *op : llvm::reverse(llvm::ArrayRef(moved).take_front(count)))
        op->moveBefore(target);
  }

  /// Registers of what is read before `conversion` for products between it and `first`. The assembler reads operands as
  /// products go on, but not across a meeting of threads.
  static unsigned countWaitingOperands(ConvertLayoutOp conversion, Operation *first) {
    llvm::SmallPtrSet<Operation *, 8> reads;
    unsigned registers = 0;
    for (Operation *op = conversion->getNextNode(); op != first; op = op->getNextNode())
      if (isRegisterProduct(op))
        for (Value operand : op->getOperands())
          if (auto read = operand.getDefiningOp<LocalLoadOp>(); read && read->getBlock() == op->getBlock() &&
                                                                read->isBeforeInBlock(conversion) &&
                                                                reads.insert(read).second)
            registers += registersOf(operand);
    return registers;
  }

  /// Moves a conversion to its first use, if there are products in between. It then works beside the product, and where
  /// a thread holds more after it, the product does not take its registers away. Where registers are short, one after
  /// which a thread holds as much stays: units want the registers of what they have computed. One after which a thread
  /// holds less moves if operands that wait for the products take more.
  static void delay(ConvertLayoutOp conversion) {
    unsigned before = registersOf(conversion.getSrc()), after = registersOf(conversion.getResult());
    Operation *first = findFirstUser(conversion.getResult(), *conversion->getBlock());
    if (!first || (after < before && countWaitingOperands(conversion, first) <= before - after))
      return;
    for (Operation *op = conversion->getNextNode(); op != first; op = op->getNextNode())
      if (isProduct(op)) {
        if (after > before || countLiveRegisters(*conversion->getBlock()) <= registersOfData(conversion))
          conversion->moveBefore(first);
        return;
      }
  }

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
    if (!loads.empty())
      needed = std::max(needed, countLiveRegisters(*loop.getBody()));
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
    OpBuilder builder(findFirstUser(load.getResult(), *loop.getBody()));
    Operation *copy = builder.clone(*load);
    load.getResult().replaceUsesWithIf(copy->getResult(0),
                                       [&](OpOperand &use) { return loop->isProperAncestor(use.getOwner()); });
    if (load->use_empty())
      load->erase();
  }
};

} // namespace

} // namespace triton::ttg
