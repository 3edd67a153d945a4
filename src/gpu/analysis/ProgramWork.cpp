#include "gpu/analysis/ProgramWork.h"

#include "gpu/analysis/ConversionPlan.h"
#include "gpu/analysis/GlobalTraffic.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::analysis {

Work &Work::add(const Work &other, double times) {
  loadedBytes += int64_t(double(other.loadedBytes) * times);
  storedBytes += int64_t(double(other.storedBytes) * times);
  atomicBytes += int64_t(double(other.atomicBytes) * times);
  productFlops += other.productFlops * times;
  otherFlops += other.otherFlops * times;
  matrixClocks += other.matrixClocks * times;
  ordinaryClocks += other.ordinaryClocks * times;
  sharedClocks += other.sharedClocks * times;
  return *this;
}

Work &Work::join(const Work &other) {
  auto raise = [](auto &mine, auto theirs) { mine = std::max(mine, theirs); };
  raise(loadedBytes, other.loadedBytes);
  raise(storedBytes, other.storedBytes);
  raise(atomicBytes, other.atomicBytes);
  raise(productFlops, other.productFlops);
  raise(otherFlops, other.otherFlops);
  raise(matrixClocks, other.matrixClocks);
  raise(ordinaryClocks, other.ordinaryClocks);
  raise(sharedClocks, other.sharedClocks);
  return *this;
}

std::optional<Work> WorkTree::ofIteration() const {
  Work total = own;
  for (const WorkTree &loop : loops) {
    std::optional<Work> inner = loop.ofIteration();
    if (!inner || !loop.iterations)
      return std::nullopt;
    total.add(*inner, double(*loop.iterations));
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static ShapedType shapedType(Value value) { return cast<ShapedType>(value.getType()); }

static int64_t bytesOf(ShapedType type) { return type.getNumElements() * sharedElementBytes(type.getElementType()); }

/// The type of the elements of a format that units multiply with scales; null for another format, which text may give.
static Type typeOfFormat(tt::ScaleDotElemType format, MLIRContext *context) {
  switch (format) {
  case tt::ScaleDotElemType::E4M3:
    return Float8E4M3FNType::get(context);
  case tt::ScaleDotElemType::E5M2:
    return Float8E5M2Type::get(context);
  case tt::ScaleDotElemType::E2M1:
    return Float4E2M1FNType::get(context);
  default:
    return {};
  }
}

int64_t getDepth(Operation *product) {
  auto scaled = dyn_cast<tt::DotScaledOp>(product);
  int64_t packed = scaled && scaled.getAElemType() == tt::ScaleDotElemType::E2M1 ? 2 : 1;
  return packed * shapedType(product->getOperand(0)).getShape().back();
}

double countFlops(Operation *product) {
  return 2.0 * double(shapedType(product->getResult(0)).getNumElements()) * double(getDepth(product));
}

gpu::ProductTypes typesOfProduct(Operation *product) {
  auto elementOf = [&](unsigned index) { return shapedType(product->getOperand(index)).getElementType(); };
  if (auto scaled = dyn_cast<tt::DotScaledOp>(product))
    return {typeOfFormat(scaled.getAElemType(), product->getContext()),
            typeOfFormat(scaled.getBElemType(), product->getContext()), elementOf(2), tt::InputPrecision::IEEE,
            /*isScaled=*/true};
  auto precision = product->getAttrOfType<tt::InputPrecisionAttr>("inputPrecision");
  return {elementOf(0), elementOf(1), elementOf(2), precision ? precision.getValue() : tt::InputPrecision::TF32};
}

/// Operations on floats for each element.
static double flopsOfElement(Operation *op) {
  if (isa<math::FmaOp>(op))
    return 2;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::NegFOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(op))
    return 1;
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) ? 1 : 0;
}

/// Clocks of a scheduler for each element of a thread, at least.
static double clocksOfElement(Operation *op, const gpu::Machine &machine) {
  if (isa<arith::ConstantOp, tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp,
          tt::SplitOp, tt::MakeRangeOp, arith::BitcastOp, tt::BitcastOp>(op))
    return 0;
  if (isa<arith::MulFOp>(op) && op->hasOneUse() && isa<arith::AddFOp, arith::SubFOp>(*op->user_begin()))
    return 0; // Both become one instruction.
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
          tt::FpToFpOp, math::FloorOp, math::CeilOp>(op))
    return machine.conversionClocks;
  if (isa<arith::DivFOp>(op))
    return machine.quotientClocks;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(op))
    return machine.exactQuotientClocks;
  return isCostly(op) ? machine.functionClocks : 1;
}

namespace {

/// The operations that compute addresses and masks. A thread computes them once for each of its accesses, not for each
/// element.
llvm::DenseSet<Operation *> findAddressOperations(Operation *root) {
  llvm::DenseSet<Operation *> found;
  llvm::DenseSet<Value> visited;
  SmallVector<Value> worklist;
  root->walk([&](Operation *op) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      worklist.append({load.getPtr(), load.getMask()});
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      worklist.append({store.getPtr(), store.getMask()});
    else if (isa<tt::AtomicOpInterface>(op))
      worklist.append({op->getOperand(0), cast<tt::AtomicOpInterface>(op).getMask()});
  });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!value || isa<FloatType>(getElementTypeOrSelf(value)) || !visited.insert(value).second)
      continue;
    if (auto loop = dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp());
        loop && isa<BlockArgument>(value) && value != loop.getInductionVar()) {
      worklist.push_back(loop.getTiedLoopInit(cast<BlockArgument>(value))->get());
      worklist.push_back(loop.getTiedLoopYieldedValue(cast<BlockArgument>(value))->get());
    }
    Operation *op = value.getDefiningOp();
    if (!op || isa<tt::LoadOp>(op) || op->getNumRegions() != 0)
      continue;
    found.insert(op);
    llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

class WorkCounter {
public:
  explicit WorkCounter(const AxisInfoAnalysis &axisInfo, Operation *root)
      : axisInfo(axisInfo), target(gpu::getTarget(root)), machine(target.machine()),
        addressOperations(findAddressOperations(root)) {}

  void visit(Region &region, WorkTree &tree) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(op, tree);
  }

private:
  void visit(Operation &op, WorkTree &tree) {
    if (isa<scf::ForOp, scf::WhileOp>(op)) {
      WorkTree &loop = tree.loops.emplace_back();
      loop.op = &op;
      if (auto counted = dyn_cast<scf::ForOp>(op))
        if (std::optional<APInt> count = counted.getStaticTripCount())
          loop.iterations = count->getSExtValue();
      for (Region &region : op.getRegions())
        visit(region, loop);
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      WorkTree longest;
      for (Region &region : branch->getRegions()) {
        WorkTree side;
        visit(region, side);
        longest.own.join(side.own);
        llvm::move(side.loops, std::back_inserter(tree.loops));
      }
      tree.own.add(longest.own);
      return;
    }
    count(op, tree.own);
  }

  void count(Operation &op, Work &work) {
    if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicOpInterface>(op))
      countAccess(op, work);
    else if (isa<tt::MappedLoadOp>(op))
      work.loadedBytes += bytesOf(shapedType(op.getResult(0)));
    else if (auto store = dyn_cast<tt::MappedStoreOp>(op))
      (store.getKind() ? work.atomicBytes : work.storedBytes) += bytesOf(shapedType(store.getSrc()));
    else if (ttg::isRegisterProduct(&op) || isa<ttg::WarpGroupDotOp>(op))
      countProduct(op, work);
    else if (isa<ttg::LocalAllocOp, ttg::LocalStoreOp, ttg::LocalLoadOp, ttg::ConvertLayoutOp>(op))
      countExchange(op, work);
    else
      countComputation(op, work);
  }

  void countAccess(Operation &op, Work &work) {
    Value pointers = op.getOperand(0), mask;
    if (auto load = dyn_cast<tt::LoadOp>(op))
      mask = load.getMask();
    else if (auto store = dyn_cast<tt::StoreOp>(op))
      mask = store.getMask();
    auto type = dyn_cast<RankedTensorType>(pointers.getType());
    int64_t bytes = (type ? type.getNumElements() : 1) * int64_t(getPointeeBytes(pointers.getType()));
    (isa<tt::LoadOp>(op) ? work.loadedBytes : isa<tt::StoreOp>(op) ? work.storedBytes : work.atomicBytes) += bytes;
    if (type && type.getEncoding())
      work.ordinaryClocks += tuned::instructionsOfRequest *
                             double(findGlobalTraffic(axisInfo, pointers, mask, machine).requests) / machine.schedulers;
  }

  void countProduct(Operation &op, Work &work) {
    double flops = countFlops(&op);
    work.productFlops += flops;
    auto encoding = cast<RankedTensorType>(op.getResult(0).getType()).getEncoding();
    if (!isa<ttg::MatrixEncodingInterface>(encoding)) {
      work.ordinaryClocks += flops / machine.ordinaryFlops();
      return;
    }
    bool readsShared = isa<ttg::WarpGroupDotOp>(op);
    for (const gpu::MatrixUnit &unit : target.findMatrixUnits(typesOfProduct(&op)))
      if (unit.readsShared == readsShared) {
        work.matrixClocks += flops / unit.flops;
        if (readsShared)
          work.sharedClocks += bytesReadByUnit(op, unit, encoding) / machine.sharedRowBytes();
        return;
      }
  }

  /// Each instruction reads the rows of A, where that is a buffer, and the columns of B that it multiplies. Threads
  /// read A once.
  double bytesReadByUnit(Operation &op, const gpu::MatrixUnit &unit, Attribute encoding) {
    ShapedType left = shapedType(op.getOperand(0)), right = shapedType(op.getOperand(1));
    double rowTiles = double(left.getDimSize(0)) / double(unit.rows),
           columnTiles = double(right.getDimSize(1)) / double(target.getInstructionColumns(unit, encoding));
    double bytes = double(bytesOf(right)) * std::max(1.0, rowTiles);
    if (cast<ttg::WarpGroupDotOp>(op).takesLeftFromThreads())
      return bytes + double(bytesOf(left));
    return isa<ttg::MemDescType>(left) ? bytes + double(bytesOf(left)) * std::max(1.0, columnTiles) : bytes;
  }

  void countExchange(Operation &op, Work &work) {
    if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op)) {
      RankedTensorType from = conversion.getSrc().getType(), to = conversion.getType();
      work.sharedClocks += conversionCost(from, from.getEncoding(), to.getEncoding(), machine);
      return;
    }
    // Each thread moves what it holds, copies of others' elements included.
    Value tensor = isa<ttg::LocalLoadOp>(op) ? op.getResult(0) : op.getNumOperands() ? op.getOperand(0) : Value();
    if (!tensor)
      return;
    auto type = cast<RankedTensorType>(tensor.getType());
    double elements = isa<ttg::LocalLoadOp>(op) ? double(uint64_t(1) << ttg::toLinearLayout(type).inputBits())
                                                : double(type.getNumElements());
    work.sharedClocks += elements * sharedElementBytes(type.getElementType()) / machine.sharedRowBytes();
  }

  void countComputation(Operation &op, Work &work) {
    bool combines = isa<tt::ReduceOp, tt::ScanOp>(op);
    if (op.getNumResults() == 0 || addressOperations.contains(&op))
      return;
    auto type = dyn_cast<RankedTensorType>(combines ? op.getOperand(0).getType() : op.getResult(0).getType());
    if (!type || !type.getEncoding())
      return;
    double held = double(ttg::getElementsPerThread(type)) * ttg::getNumWarps(&op);
    work.ordinaryClocks += held * (combines ? 1 : clocksOfElement(&op, machine)) / machine.schedulers;
    double flops = combines ? 1 : flopsOfElement(&op);
    if (isa<FloatType>(type.getElementType()))
      work.otherFlops += flops * double(type.getNumElements());
  }

  const AxisInfoAnalysis &axisInfo;
  const gpu::TargetInfo &target;
  const gpu::Machine &machine;
  llvm::DenseSet<Operation *> addressOperations;
};

} // namespace

WorkTree summarizeWork(FunctionOpInterface function, const AxisInfoAnalysis &axisInfo) {
  WorkTree tree;
  tree.op = function;
  tree.iterations = 1;
  WorkCounter(axisInfo, function).visit(function.getFunctionBody(), tree);
  return tree;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

Bound findBound(const Work &work, const gpu::Machine &machine) {
  Bound bound;
  auto consider = [](double clocks, llvm::StringRef part, double &most, llvm::StringRef &name) {
    if (clocks > most)
      std::tie(most, name) = std::pair(clocks, part);
  };
  consider(work.matrixClocks, "matrix units", bound.clocksWithReuse, bound.partWithReuse);
  consider(work.ordinaryClocks, "ordinary instructions", bound.clocksWithReuse, bound.partWithReuse);
  consider(work.sharedClocks, "shared memory", bound.clocksWithReuse, bound.partWithReuse);
  std::tie(bound.clocks, bound.part) = std::pair(bound.clocksWithReuse, bound.partWithReuse);
  if (machine.device.multiprocessors == 0)
    return bound;
  bound.memoryClocks = double(work.globalBytes()) / machine.memoryBytesPerClock();
  if (bound.memoryClocks > bound.clocks && work.productFlops > 0)
    bound.neededReuse = 1 - bound.clocksWithReuse / bound.memoryClocks;
  consider(bound.memoryClocks, "memory", bound.clocks, bound.part);
  return bound;
}

} // namespace triton::analysis
