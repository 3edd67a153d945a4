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

Value scalar(Lowering &lowering, Value value) {
  if (!lowering.scalars.contains(value))
    flush(lowering); // it may use the result of a reduction that is still open
  return lowering.scalars.lookup(value);
}

/// Records a lazy tensor. Breaks chains that are so long that evaluating them would overflow the compiler's stack.
static void deferTensor(Lowering &lowering, Operation *op) {
  constexpr unsigned longestChain = 256;
  unsigned depth = 0;
  for (Value operand : op->getOperands())
    if (!bufferOf(lowering, operand))
      depth = std::max(depth, lowering.depths.lookup(operand) + 1);
  for (Value result : op->getResults()) {
    // Index arithmetic stays scalar only while it is lazy.
    if (depth > longestChain && lowering.analysis.cost(result) > 0 && !pointeeOf(result))
      materialize(lowering, result);
    else
      lowering.depths[result] = depth;
  }
}

static void lowerUnsplat(Lowering &lowering, tt::UnsplatOp op) {
  openNest(lowering);
  TileIndex index;
  index.at.resize(op.getSrc().getType().getRank());
  Lanes value = evaluate(lowering, op.getSrc(), index);
  closeNest(lowering);
  lowering.scalars.map(op.getResult(), value.value);
}

/// Lowers an operation that does not share loops with others.
static void lowerAlone(Lowering &lowering, Operation *op) {
  flush(lowering);
  if (writesMemory(op))
    saveLoadsBefore(lowering, op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { lowerFor(lowering, loop); })
      .Case([&](scf::IfOp branch) { lowerIf(lowering, branch); })
      .Case([&](scf::WhileOp loop) { lowerWhile(lowering, loop); })
      .Case([&](tt::ReduceOp reduce) { reduceByScalars(lowering, reduce); })
      .Case([&](tt::ScanOp scan) {
        return LaneEmitter::canApplyRegion(scan.getCombineOp()) ? lowerScan(lowering, scan)
                                                                : scanByScalars(lowering, scan);
      })
      .Case([&](tt::DotOp dot) { lowerDot(lowering, dot); })
      .Case([&](tt::ReshapeOp reshape) { lowerReshape(lowering, reshape); })
      .Case([&](tt::CatOp cat) { lowerCat(lowering, cat); })
      .Case([&](tt::GatherOp gather) { lowerGather(lowering, gather); })
      .Case([&](tt::HistogramOp histogram) { lowerHistogram(lowering, histogram); })
      .Case([&](tt::UnsplatOp unsplat) { lowerUnsplat(lowering, unsplat); })
      .Case([&](tt::AtomicOpInterface atomic) { lowerAtomic(lowering, atomic); })
      .Case([&](tt::PrintOp print) { lowerPrint(lowering, print); })
      .Case([&](tt::AssertOp assertion) { lowerAssert(lowering, assertion); })
      .Case([&](tt::ElementwiseInlineAsmOp assembly) { lowerInlineAssembly(lowering, assembly); })
      .Case([&](tt::MapElementwiseOp map) { lowerMapElementwise(lowering, map); })
      .Default([](Operation *) { llvm_unreachable("canLower says no to it"); });
  lowering.done.insert(op);
}

static void lowerScalarLoad(Lowering &lowering, tt::LoadOp op) {
  LaneEmitter &lanes = lowering.lanes;
  flush(lowering); // stores of the open group come first
  auto lanesOf = [&](Value value) { return Lanes::uniform(scalar(lowering, value)); };
  Lanes mask =
      op.getMask() ? lanesOf(op.getMask()) : Lanes::uniform(lanes.constantInt(op.getLoc(), lowering.b.getI1Type(), 1));
  auto other = [&] { return lanesOf(op.getOther()); };
  llvm::function_ref<Lanes()> otherwise = nullptr;
  if (op.getOther())
    otherwise = other;
  lowering.scalars.map(
      op.getResult(),
      lanes.load(op.getLoc(), lanesOf(op.getPtr()), mask, otherwise, op.getType(), 1, op.getIsVolatile()).value);
}

static void lowerScalarStore(Lowering &lowering, tt::StoreOp op) {
  LaneEmitter &lanes = lowering.lanes;
  flush(lowering);
  saveLoadsBefore(lowering, op);
  auto lanesOf = [&](Value value) { return Lanes::uniform(scalar(lowering, value)); };
  Lanes mask =
      op.getMask() ? lanesOf(op.getMask()) : Lanes::uniform(lanes.constantInt(op.getLoc(), lowering.b.getI1Type(), 1));
  lanes.store(op.getLoc(), lanesOf(op.getPtr()), mask, lanesOf(op.getValue()), op.getValue().getType(), 1);
}

static void lowerScalarOperation(Lowering &lowering, Operation *op) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return lowerScalarLoad(lowering, load);
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return lowerScalarStore(lowering, store);
  if (isa<tt::AtomicOpInterface>(op))
    return lowerAlone(lowering, op);
  if (auto time = dyn_cast<tt::GetTimeOp>(op)) {
    flush(lowering); // the effects of the operations before it must have happened
    saveLoadsBefore(lowering, op);
    return lowering.scalars.map(time.getResult(), emitTime(lowering, op->getLoc()));
  }
  if (auto fence = dyn_cast<LLVM::FenceOp>(op)) { // Other programs run on other threads: one scope for all.
    flush(lowering);
    saveLoadsBefore(lowering, op);
    LLVM::FenceOp::create(b, fence.getLoc(), fence.getOrdering());
    return;
  }
  if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
    return lowering.scalars.map(id.getResult(), lowering.programs.ids[unsigned(id.getAxis())]);
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
    return lowering.scalars.map(count.getResult(), lowering.programs.counts[unsigned(count.getAxis())]);
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return scalar(lowering, value); });
  if (auto poison = dyn_cast<ub::PoisonOp>(op))
    return lowering.scalars.map(poison.getResult(), lanes.zero(op->getLoc(), laneType(poison.getType())));
  if (isElementwise(op) && op->getNumResults() == 1) {
    SmallVector<Lanes> uniform = llvm::map_to_vector(operands, [](Value value) { return Lanes::uniform(value); });
    return lowering.scalars.map(op->getResult(0), lanes.apply(op, uniform, 1).value);
  }
  b.clone(*op, lowering.scalars);
}

static void lowerOperation(Lowering &lowering, Operation *op) {
  // What combinations use of the code around them is known before their loops begin.
  if (isa<tt::ReduceOp, tt::ScanOp>(op))
    visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *operand) { scalar(lowering, operand->get()); });
  bool isLazyTensor = hasTensors(op) && (isElementwise(op) || isShapeChange(op) ||
                                         isa<tt::MakeRangeOp, tt::SplitOp, tt::JoinOp, ub::PoisonOp>(op));
  if (isLazyTensor)
    return deferTensor(lowering, op);
  if (auto load = dyn_cast<tt::LoadOp>(op); load && hasTensors(op)) {
    lowering.lazyLoads.push_back(load);
    if (load.getIsVolatile())
      materialize(lowering, load.getResult());
    return;
  }
  if (auto store = dyn_cast<tt::StoreOp>(op); store && hasTensors(op))
    return addRoot(lowering, Root::of(Root::Kind::Store, op));
  if (auto reduce = dyn_cast<tt::ReduceOp>(op); reduce && LaneEmitter::canApplyRegion(reduce.getCombineOp()))
    return addRoot(lowering, Root::of(Root::Kind::Reduce, op));
  if (!hasTensors(op) && op->getNumRegions() == 0 && !isa<tt::PrintOp, tt::AssertOp, tt::ElementwiseInlineAsmOp>(op))
    return lowerScalarOperation(lowering, op);
  lowerAlone(lowering, op);
}

void lowerBlock(Lowering &lowering, Block &block, llvm::function_ref<void()> carryOut) {
  llvm::SaveAndRestore savedBlock(lowering.currentBlock, &block);
  SmallVector<tt::LoadOp> outerLoads = std::move(lowering.lazyLoads);
  lowering.lazyLoads.clear();
  for (Operation &op : block.without_terminator())
    lowerOperation(lowering, &op);
  flush(lowering);
  carryOut();
  lowering.lazyLoads = std::move(outerLoads);
}

} // namespace triton::cpu
