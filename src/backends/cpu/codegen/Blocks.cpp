// Walks a block of the kernel. Tensors wait until they are needed, roots are collected, and scalars are lowered at
// once.
#include "backends/cpu/codegen/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace triton::cpu {

static bool writesMemory(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(inner);
        bool writes = isa<tt::StoreOp, tt::AtomicOpInterface>(inner) || (assembly && !assembly.getPure());
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Value KernelLowering::scalar(Value value) {
  if (!scalars.contains(value))
    flush(); // it may use the result of a reduction that is still open
  return scalars.lookup(value);
}

void KernelLowering::lowerBlock(Block &block, llvm::function_ref<void()> carryOut) {
  llvm::SaveAndRestore savedBlock(currentBlock, &block);
  SmallVector<tt::LoadOp> outerLoads = std::move(lazyLoads);
  lazyLoads.clear();
  for (Operation &op : block.without_terminator())
    lowerOperation(&op);
  flush();
  carryOut();
  lazyLoads = std::move(outerLoads);
}

void KernelLowering::lowerOperation(Operation *op) {
  // What combinations use of the code around them is known before their loops begin.
  if (isa<tt::ReduceOp, tt::ScanOp>(op))
    visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) { scalar(operand->get()); });
  bool isLazyTensor = hasTensors(op) && (isElementwise(op) || isShapeChange(op) ||
                                         isa<tt::MakeRangeOp, tt::SplitOp, tt::JoinOp, ub::PoisonOp>(op));
  if (isLazyTensor)
    return deferTensor(op);
  if (auto load = dyn_cast<tt::LoadOp>(op); load && hasTensors(op)) {
    lazyLoads.push_back(load);
    if (load.getIsVolatile())
      materialize(load.getResult());
    return;
  }
  if (auto store = dyn_cast<tt::StoreOp>(op); store && hasTensors(op))
    return addRoot(Root::of(Root::Kind::Store, op));
  if (auto reduce = dyn_cast<tt::ReduceOp>(op); reduce && LaneEmitter::canApplyRegion(reduce.getCombineOp()))
    return addRoot(Root::of(Root::Kind::Reduce, op));
  if (!hasTensors(op) && op->getNumRegions() == 0 && !isa<tt::PrintOp, tt::AssertOp, tt::ElementwiseInlineAsmOp>(op))
    return lowerScalarOperation(op);
  lowerAlone(op);
}

void KernelLowering::deferTensor(Operation *op) {
  constexpr unsigned longestChain = 256;
  unsigned depth = 0;
  for (Value operand : op->getOperands())
    if (!bufferOf(operand))
      depth = std::max(depth, depths.lookup(operand) + 1);
  for (Value result : op->getResults()) {
    // Index arithmetic stays scalar only while it is lazy.
    if (depth > longestChain && analysis.cost(result) > 0 && !pointeeOf(result))
      materialize(result);
    else
      depths[result] = depth;
  }
}

void KernelLowering::lowerAlone(Operation *op) {
  flush();
  if (writesMemory(op))
    saveLoadsBefore(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { lowerFor(loop); })
      .Case([&](scf::IfOp branch) { lowerIf(branch); })
      .Case([&](scf::WhileOp loop) { lowerWhile(loop); })
      .Case([&](tt::ReduceOp reduce) { reduceByScalars(reduce); })
      .Case([&](tt::ScanOp scan) {
        return LaneEmitter::canApplyRegion(scan.getCombineOp()) ? lowerScan(scan) : scanByScalars(scan);
      })
      .Case([&](tt::DotOp dot) { lowerDot(dot); })
      .Case([&](tt::ReshapeOp reshape) { lowerReshape(reshape); })
      .Case([&](tt::CatOp cat) { lowerCat(cat); })
      .Case([&](tt::GatherOp gather) { lowerGather(gather); })
      .Case([&](tt::HistogramOp histogram) { lowerHistogram(histogram); })
      .Case([&](tt::UnsplatOp unsplat) { lowerUnsplat(unsplat); })
      .Case([&](tt::AtomicOpInterface atomic) { lowerAtomic(atomic); })
      .Case([&](tt::PrintOp print) { lowerPrint(print); })
      .Case([&](tt::AssertOp assertion) { lowerAssert(assertion); })
      .Case([&](tt::ElementwiseInlineAsmOp assembly) { lowerInlineAssembly(assembly); })
      .Case([&](tt::MapElementwiseOp map) { lowerMapElementwise(map); })
      .Default([](Operation *) { llvm_unreachable("canLower says no to it"); });
  done.insert(op);
}

void KernelLowering::lowerUnsplat(tt::UnsplatOp op) {
  openNest();
  TileIndex index;
  index.at.resize(op.getSrc().getType().getRank());
  Lanes value = evaluate(op.getSrc(), index);
  closeNest();
  scalars.map(op.getResult(), value.value);
}

void KernelLowering::lowerScalarLoad(tt::LoadOp op) {
  flush(); // stores of the open group come first
  auto lanesOf = [&](Value value) { return Lanes::uniform(scalar(value)); };
  Lanes mask = op.getMask() ? lanesOf(op.getMask()) : Lanes::uniform(lanes.constantInt(op.getLoc(), b.getI1Type(), 1));
  auto other = [&] { return lanesOf(op.getOther()); };
  llvm::function_ref<Lanes()> otherwise = nullptr;
  if (op.getOther())
    otherwise = other;
  scalars.map(
      op.getResult(),
      lanes.load(op.getLoc(), lanesOf(op.getPtr()), mask, otherwise, op.getType(), 1, op.getIsVolatile()).value);
}

void KernelLowering::lowerScalarStore(tt::StoreOp op) {
  flush();
  saveLoadsBefore(op);
  auto lanesOf = [&](Value value) { return Lanes::uniform(scalar(value)); };
  Lanes mask = op.getMask() ? lanesOf(op.getMask()) : Lanes::uniform(lanes.constantInt(op.getLoc(), b.getI1Type(), 1));
  lanes.store(op.getLoc(), lanesOf(op.getPtr()), mask, lanesOf(op.getValue()), op.getValue().getType(), 1);
}

void KernelLowering::lowerScalarOperation(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return lowerScalarLoad(load);
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return lowerScalarStore(store);
  if (isa<tt::AtomicOpInterface>(op))
    return lowerAlone(op);
  if (auto time = dyn_cast<tt::GetTimeOp>(op)) {
    flush(); // the effects of the operations before it must have happened
    saveLoadsBefore(op);
    return scalars.map(time.getResult(), emitTime(op->getLoc()));
  }
  if (auto fence = dyn_cast<LLVM::FenceOp>(op)) { // Other programs run on other threads: one scope for all.
    flush();
    saveLoadsBefore(op);
    LLVM::FenceOp::create(b, fence.getLoc(), fence.getOrdering());
    return;
  }
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return scalars.map(id.getResult(), programIds[unsigned(id.getAxis())]);
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
    return scalars.map(count.getResult(), programCounts[unsigned(count.getAxis())]);
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return scalar(value); });
  if (auto poison = dyn_cast<ub::PoisonOp>(op))
    return scalars.map(poison.getResult(), lanes.zero(op->getLoc(), laneType(poison.getType())));
  if (isElementwise(op) && op->getNumResults() == 1) {
    SmallVector<Lanes> uniform = llvm::map_to_vector(operands, [](Value value) { return Lanes::uniform(value); });
    return scalars.map(op->getResult(0), lanes.apply(op, uniform, 1).value);
  }
  b.clone(*op, scalars);
}

} // namespace triton::cpu
