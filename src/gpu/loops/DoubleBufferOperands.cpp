// Gives computed operands of products two buffers, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Products.h"
#include "gpu/loops/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUDOUBLEBUFFEROPERANDS
#include "gpu/loops/Passes.h.inc"

namespace {

constexpr int64_t slots = 2;

/// Whether `user`, or a product that reads what it shows of a buffer, is all that uses the buffer in the body of
/// `loop`.
bool isReadByProducts(Operation *user, scf::ForOp loop) {
  if (auto transposed = dyn_cast<MemDescTransOp>(user))
    return llvm::all_of(transposed->getUsers(), [&](Operation *next) { return isReadByProducts(next, loop); });
  return isa<WarpGroupDotOp>(user) && user->getBlock() == loop.getBody();
}

/// The allocation that `buffer` shows, perhaps transposed. Null for other buffers and, if nothing else may see it
/// (`alone`), for those that something else sees.
LocalAllocOp findBuffer(Value buffer, bool alone = false) {
  while (auto transposed = buffer.getDefiningOp<MemDescTransOp>()) {
    if (alone && !transposed->hasOneUse())
      return {};
    buffer = transposed.getSrc();
  }
  return buffer.getDefiningOp<LocalAllocOp>();
}

/// The buffers of the body that an iteration fills with operand B of a product that could go on in the next one.
SmallVector<LocalAllocOp> findComputedOperands(scf::ForOp loop) {
  SmallVector<LocalAllocOp> found;
  for (WarpGroupDotOp dot : loop.getBody()->getOps<WarpGroupDotOp>()) {
    LocalAllocOp alloc = findBuffer(dot.getB());
    bool isComputed = alloc && alloc.getSrc() && alloc->getBlock() == loop.getBody();
    bool readsLeft = isa<MemDescType>(dot.getA().getType()) && outlivesIteration(dot.getA(), loop);
    auto sum = dyn_cast<BlockArgument>(dot.getC());
    bool accumulates =
        sum && sum.getOwner() == loop.getBody() && loop.getTiedLoopYieldedValue(sum)->get() == dot.getD();
    if (isComputed && readsLeft && accumulates && hasWholeRegisters(dot) && !llvm::is_contained(found, alloc) &&
        llvm::all_of(alloc->getUsers(), [&](Operation *user) { return isReadByProducts(user, loop); }))
      found.push_back(alloc);
  }
  return found;
}

/// A product that reads registers, and the loads of its operands from buffers that its block fills.
struct StagedProduct {
  Operation *dot;
  SmallVector<LocalLoadOp, 2> loads;
};

/// The load of a whole operand from a buffer that the block fills, null for other operands.
LocalLoadOp findStagedLoad(Value operand, Block *block) {
  auto load = operand.getDefiningOp<LocalLoadOp>();
  if (!load || load->getBlock() != block || !load->hasOneUse())
    return {};
  LocalAllocOp alloc = findBuffer(load.getSrc(), /*alone=*/true);
  bool isFilled = alloc && analysis::isConstantBuffer(alloc) && alloc->getBlock() == block && alloc->hasOneUse();
  return isFilled ? load : LocalLoadOp();
}

SmallVector<StagedProduct> findStagedProducts(Block *block) {
  SmallVector<StagedProduct> found;
  for (Operation &op : *block) {
    if (!isRegisterProduct(&op))
      continue;
    StagedProduct product{&op, {}};
    for (Value operand : op.getOperands().take_front(2))
      if (LocalLoadOp load = findStagedLoad(operand, block))
        product.loads.push_back(load);
    if (!product.loads.empty())
      found.push_back(product);
  }
  return found;
}

/// Lets the buffers of both operands live at the same time, so that the threads meet once for both.
void gatherLoads(const StagedProduct &product) {
  for (LocalLoadOp load : llvm::reverse(product.loads))
    load->moveBefore(product.dot);
}

/// What the iteration before has loaded goes to its buffer first, so that new loads find its registers free.
void storeFirst(const StagedProduct &product, scf::ForOp loop) {
  for (LocalLoadOp load : llvm::reverse(product.loads)) {
    LocalAllocOp alloc = findBuffer(load.getSrc());
    if (isa<BlockArgument>(alloc.getSrc()) && alloc.getSrc().getParentBlock() == loop.getBody())
      alloc->moveBefore(loop.getBody(), loop.getBody()->begin());
  }
}

/// The last iteration of a loop that loads ahead follows it. Its products are treated as those in the loop, unless that
/// takes more shared memory.
void gatherLoadsBehind(scf::ForOp loop) {
  for (const StagedProduct &product : findStagedProducts(loop->getBlock())) {
    if (product.dot->isBeforeInBlock(loop) || product.loads.size() < 2)
      continue;
    std::size_t bytes = analysis::countSharedBytes(loop);
    auto next = llvm::map_to_vector(product.loads, [](Operation *load) { return load->getNextNode(); });
    gatherLoads(product);
    if (analysis::countSharedBytes(loop) <= bytes)
      continue;
    for (auto [load, place] : llvm::zip_equal(product.loads, next))
      load->moveBefore(place);
  }
}

/// What buffers and scratch of the function take at most.
std::size_t countBytes(tt::FuncOp function) {
  std::size_t buffers = 0, scratch = 0;
  function.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<LocalAllocOp>(op))
      buffers += analysis::getBufferBytes(alloc.getType());
    scratch = std::max(scratch, analysis::getScratchBytes(op));
  });
  return buffers + scratch;
}

Value createRing(OpBuilder &builder, LocalAllocOp alloc) {
  MemDescType slot = alloc.getType();
  SmallVector<int64_t> shape{slots};
  llvm::append_range(shape, slot.getShape());
  auto type = MemDescType::get(slot.getContext(), shape, slot.getElementType(), slot.getEncoding(),
                               slot.getMemorySpace(), /*mutableMemory=*/true);
  return LocalAllocOp::create(builder, alloc.getLoc(), type, Value());
}

/// The slot of an iteration, which the loop counts; the loop may be another one then.
Value carrySlot(scf::ForOp &loop) {
  IRRewriter rewriter(loop);
  Value first = arith::ConstantIntOp::create(rewriter, loop.getLoc(), 0, 32);
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &builder, Location loc, llvm::ArrayRef<BlockArgument> slot) {
        return SmallVector<Value>{AdvanceSlotOp::create(builder, loc, slot.front(), int32_t(slots))};
      }));
  return loop.getRegionIterArgs().back();
}

void doubleBuffer(scf::ForOp &loop, LocalAllocOp alloc, Value slot) {
  OpBuilder builder(loop);
  Value ring = createRing(builder, alloc);
  builder.setInsertionPoint(alloc);
  MemDescType type = alloc.getType();
  auto view = MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), type.getEncoding(),
                               type.getMemorySpace(), /*mutableMemory=*/true);
  Value written = MemDescIndexOp::create(builder, alloc.getLoc(), view, ring, slot);
  LocalStoreOp::create(builder, alloc.getLoc(), alloc.getSrc(), written);
  Value read = MemDescIndexOp::create(builder, alloc.getLoc(), type, ring, slot);
  alloc.getResult().replaceAllUsesWith(read);
  alloc.erase();
}

struct TritonGPUDoubleBufferOperands : impl::TritonGPUDoubleBufferOperandsBase<TritonGPUDoubleBufferOperands>,
                                       base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      SmallVector<scf::ForOp> loops;
      function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      std::size_t bytes = countBytes(function);
      for (scf::ForOp loop : loops)
        bytes += run(loop, target->machine(), bytes);
    }
  }

private:
  /// The buffers through which the body of `loop` passes operands to products that read registers. They live at the
  /// same time then; there are none where that takes more than `capacity`.
  static SmallVector<LocalAllocOp> gatherStagedOperands(scf::ForOp loop, std::size_t capacity) {
    SmallVector<StagedProduct> products = findStagedProducts(loop.getBody());
    auto frameBytes = [&](CallOpInterface) { return capacity + 1; }; // not known yet
    if (products.empty() || analysis::countBytesBetween(loop, loop, frameBytes) > capacity)
      return {};
    SmallVector<LocalAllocOp> operands;
    for (const StagedProduct &product : products) {
      gatherLoads(product);
      storeFirst(product, loop);
      for (LocalLoadOp load : product.loads)
        operands.push_back(findBuffer(load.getSrc()));
    }
    return operands;
  }

  /// What further buffers take, where those that there are take `bytes`.
  static std::size_t run(scf::ForOp loop, const gpu::Machine &machine, std::size_t bytes) {
    std::size_t left = machine.sharedBytes - std::min(machine.sharedBytes, bytes);
    SmallVector<LocalAllocOp> operands = findComputedOperands(loop);
    // Otherwise loads run ahead in rings of buffers; in the order of lanes, not all of them can.
    if (machine.fewestAsyncBytes == 0 || machine.copiesInLaneOrder)
      llvm::append_range(operands, gatherStagedOperands(loop, machine.sharedBytes));
    std::size_t needed = 0;
    for (LocalAllocOp alloc : operands)
      needed += analysis::getBufferBytes(alloc.getType());
    if (operands.empty())
      return 0;
    if (needed > left)
      needed = 0;
    else {
      Value slot = carrySlot(loop);
      for (LocalAllocOp alloc : operands)
        doubleBuffer(loop, alloc, slot);
    }
    gatherLoadsBehind(loop);
    return needed;
  }
};

} // namespace

} // namespace triton::ttg
