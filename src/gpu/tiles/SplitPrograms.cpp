// triton-split-programs: the blocks of a cluster each compute a part of a program's tiles, see Passes.td.
#include "analysis/MemoryUse.h"
#include "analysis/StoredArguments.h"
#include "gpu/analysis/ProgramWork.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/target/TargetInfo.h"
#include "gpu/tiles/Passes.h"
#include "gpu/tiles/TileAxes.h"
#include "ir/AttributeNames.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONSPLITPROGRAMS
#include "gpu/tiles/Passes.h.inc"

namespace {

/// What prevents the blocks from sharing a program, and where.
struct Obstacle {
  Operation *cause;
  llvm::StringRef what;
};

/// Values that cost nothing to make again. One of them may be the rows of one tensor and the columns of another.
bool isMadeAnew(Value value) {
  Operation *op = value.getDefiningOp();
  return isa<RankedTensorType>(value.getType()) && isa_and_nonnull<arith::ConstantOp, tt::MakeRangeOp, tt::SplatOp>(op);
}

void separateUses(tt::FuncOp function) {
  SmallVector<OpOperand *> uses;
  function.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isMadeAnew(operand.get()) && !operand.get().hasOneUse())
        uses.push_back(&operand);
  });
  for (OpOperand *use : uses)
    use->set(OpBuilder(use->getOwner()).clone(*use->get().getDefiningOp())->getResult(0));
}

/// Elements that an operation computes or moves, or products.
double workOf(Operation *op) {
  double work = 0;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
        work = std::max(work, double(tensor.getNumElements()));
  if (auto dot = dyn_cast<tt::DotOp>(op))
    work = double(cast<RankedTensorType>(dot.getD().getType()).getNumElements()) *
           double(cast<RankedTensorType>(dot.getA().getType()).getShape().back());
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (isa<LoopLikeOpInterface>(outer))
      work *= tuned::iterationsOfSplit;
  return work;
}

class ProgramSplitter {
public:
  ProgramSplitter(tt::FuncOp function, int64_t blocks, const gpu::TargetInfo &target)
      : function(function), blocks(blocks), target(target), axes(function),
        stored(analysis::findStoredArguments(function)) {
    function.walk([&](Operation *op) {
      hasStores |= isa<tt::StoreOp, tt::DescriptorStoreOp>(op);
      hasAtomics |= isa<tt::AtomicRMWOp, tt::DescriptorReduceOp>(op);
      if (isa<tt::StoreOp, tt::AtomicRMWOp>(op) && findArrays(op->getOperand(0)).none())
        stored.set(); // An address that was read from memory may be any.
    });
  }

  /// The class of dimensions of which each block should have a part; an obstacle where there is none.
  std::variant<unsigned, Obstacle> choose() {
    SmallVector<double> divided(axes.classCount(), 0);
    double all = 0;
    function.walk([&](Operation *op) { all += addWork(op, divided); });
    std::optional<Obstacle> reason;
    std::optional<unsigned> best;
    for (unsigned axisClass = 0; axisClass < axes.classCount(); ++axisClass) {
      if (axes.isWhole(axisClass) || axes.extent(axisClass) % blocks != 0 || 2 * divided[axisClass] < all ||
          (best && divided[axisClass] <= divided[*best]))
        continue;
      if (std::optional<Obstacle> found = findObstacle(axisClass))
        reason = found;
      else
        best = axisClass;
    }
    if (best)
      return *best;
    return reason.value_or(Obstacle{function, "no dimension of its tiles can be divided without an exchange of data"});
  }

  void split(unsigned axisClass);

private:
  /// Adds the work of `op` to the classes that divide it.
  double addWork(Operation *op, llvm::MutableArrayRef<double> divided) const {
    Value tile;
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value value : values)
        if (isa<RankedTensorType>(value.getType()))
          tile = value;
    if (!tile || op->getNumRegions() != 0)
      return 0;
    double work = workOf(op);
    for (auto [dimension, extent] : llvm::enumerate(TileAxes::shapeOf(tile)))
      for (unsigned axisClass = 0; axisClass < axes.classCount(); ++axisClass)
        if (axes.findDimension(tile, axisClass) == unsigned(dimension)) {
          bool leavesUnits = isa<tt::DotOp>(op) && dimension == 0 && extent / blocks < rowsOfSchedulers(op);
          divided[axisClass] += leavesUnits ? work / 2 : work;
        }
    return work;
  }

  /// The rows of `dot` that give each scheduler of a multiprocessor a warp with rows of its own.
  int64_t rowsOfSchedulers(Operation *dot) const {
    SmallVector<gpu::MatrixUnit> units = target.findMatrixUnits(analysis::typesOfProduct(dot));
    return target.machine().schedulers * (units.empty() ? tuned::rowsWithoutUnit : units.front().rowsOfWarp());
  }

  bool isDivided(Operation *op, unsigned axisClass) const {
    return llvm::any_of(op->getOperands(), [&](Value value) {
      return isa<RankedTensorType>(value.getType()) && axes.findDimension(value, axisClass);
    });
  }

  /// The arguments that are pointers from which `address` may derive.
  llvm::BitVector findArrays(Value address) {
    llvm::BitVector arguments = analysis::findArgumentsOf(function, address);
    for (unsigned argument : arguments.set_bits())
      if (!isa<tt::PointerType>(function.getArgument(argument).getType()))
        arguments.reset(argument);
    return arguments;
  }

  bool mayReadOwn(Value address) {
    llvm::BitVector arrays = findArrays(address);
    return arrays.none() ? hasStores || hasAtomics : arrays.anyCommon(stored);
  }

  std::optional<Obstacle> findObstacle(unsigned axisClass);
  std::optional<llvm::StringRef> findObstacle(Operation *op, unsigned axisClass);
  void guard(Operation *op, Value isFirst);
  void addOffset(tt::MakeRangeOp range, Value rank);

  tt::FuncOp function;
  int64_t blocks;
  const gpu::TargetInfo &target;
  TileAxes axes;
  llvm::BitVector stored;
  bool hasStores = false, hasAtomics = false;
};

std::optional<llvm::StringRef> ProgramSplitter::findObstacle(Operation *op, unsigned axisClass) {
  if (isa<tt::StoreOp, tt::DescriptorStoreOp, LLVM::AssumeOp, mlir::gpu::BarrierOp, tt::GetTimeOp,
          tt::WaitForPriorLaunchOp, tt::AllowNextLaunchOp>(op))
    return std::nullopt;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile()        ? std::optional<llvm::StringRef>("the load is volatile")
           : mayReadOwn(load.getPtr()) ? std::optional<llvm::StringRef>("the kernel may read here what it stores")
                                       : std::nullopt;
  if (auto load = dyn_cast<tt::DescriptorLoadOp>(op))
    return mayReadOwn(load.getDesc()) ? std::optional<llvm::StringRef>("the kernel may read here what it stores")
                                      : std::nullopt;
  if (isa<tt::AtomicRMWOp, tt::DescriptorReduceOp>(op)) {
    if (!isDivided(op, axisClass))
      return "all blocks would repeat the atomic operation";
    return hasStores ? std::optional<llvm::StringRef>("atomic operations may order the stores of the kernel")
                     : std::nullopt;
  }
  if (!analysis::mayTouchMemory(op))
    return std::nullopt;
  return "the effects of this are not known";
}

std::optional<Obstacle> ProgramSplitter::findObstacle(unsigned axisClass) {
  std::optional<Obstacle> obstacle;
  function.walk([&](Operation *op) {
    if (std::optional<llvm::StringRef> what = findObstacle(op, axisClass))
      obstacle = Obstacle{op, *what};
    return obstacle ? WalkResult::interrupt() : WalkResult::advance();
  });
  return obstacle;
}

Type withExtent(Type type, unsigned dimension, int64_t extent) {
  auto descriptor = dyn_cast<tt::TensorDescType>(type);
  auto tensor = descriptor ? descriptor.getBlockType() : cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dimension] = extent;
  RankedTensorType result = RankedTensorType::get(shape, tensor.getElementType(), tensor.getEncoding());
  return descriptor ? Type(tt::TensorDescType::get(result)) : result;
}

/// What is stated of runs of elements holds no longer where a part begins within a run.
void dropHints(Operation *op, unsigned dimension, int64_t part) {
  for (llvm::StringRef name : {tt::contiguityAttribute, tt::constancyAttribute, tt::divisibilityAttribute}) {
    Attribute hint = op->getDiscardableAttr(name);
    int64_t run = 1;
    if (auto one = dyn_cast_or_null<IntegerAttr>(hint))
      run = one.getInt();
    else if (auto each = dyn_cast_or_null<DenseIntElementsAttr>(hint); each && dimension < each.getNumElements())
      run = each.getValues<APInt>()[dimension].getSExtValue();
    if (run > part)
      op->removeDiscardableAttr(name);
  }
}

/// One block alone has the effects of an operation that all of them would repeat.
void ProgramSplitter::guard(Operation *op, Value isFirst) {
  OpBuilder builder(op);
  auto branch = scf::IfOp::create(builder, op->getLoc(), isFirst, /*withElseRegion=*/false);
  op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

void ProgramSplitter::addOffset(tt::MakeRangeOp range, Value rank) {
  OpBuilder builder(range);
  Location loc = range.getLoc();
  int64_t part = cast<RankedTensorType>(range.getType()).getNumElements() / blocks;
  Type type = withExtent(range.getType(), 0, part);
  Value first = arith::MulIOp::create(builder, loc, rank, arith::ConstantIntOp::create(builder, loc, part, 32));
  Value lanes = tt::MakeRangeOp::create(builder, loc, type, range.getStart(), range.getStart() + uint32_t(part));
  Value sum = arith::AddIOp::create(builder, loc, lanes, tt::SplatOp::create(builder, loc, type, first));
  range.replaceAllUsesWith(sum);
  range.erase();
}

void ProgramSplitter::split(unsigned axisClass) {
  SmallVector<std::pair<Value, unsigned>> divided;
  for (Value value : axes.values())
    if (std::optional<unsigned> dimension = axes.findDimension(value, axisClass))
      divided.emplace_back(value, *dimension);
  OpBuilder builder(&function.getBody().front(), function.getBody().front().begin());
  Location loc = function.getLoc();
  Value rank = tt::GetBlockRankOp::create(builder, loc, builder.getI32Type());
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rank,
                                        arith::ConstantIntOp::create(builder, loc, 0, 32));
  SmallVector<Operation *> repeated;
  SmallVector<std::pair<Operation *, unsigned>> blockAccesses; // and their dimension, counted from the first index
  function.walk([&](Operation *op) {
    bool hasDescriptor = isa<tt::DescriptorLoadOp, tt::DescriptorStoreOp, tt::DescriptorReduceOp>(op);
    if (isa<tt::StoreOp, tt::DescriptorStoreOp, tt::PrintOp>(op) && !isDivided(op, axisClass))
      repeated.push_back(op);
    else if (std::optional<unsigned> dimension =
                 hasDescriptor ? axes.findDimension(op->getOperand(0), axisClass) : std::nullopt)
      blockAccesses.emplace_back(op, *dimension);
    else if (isa<tt::DescriptorLoadOp>(op))
      op->setAttr(tt::allBlocksAttribute, builder.getUnitAttr());
  });
  for (Operation *op : repeated)
    guard(op, isFirst);
  int64_t part = axes.extent(axisClass) / blocks;
  for (auto [op, dimension] : blockAccesses) {
    OpBuilder before(op);
    Value first =
        arith::MulIOp::create(before, op->getLoc(), rank, arith::ConstantIntOp::create(before, op->getLoc(), part, 32));
    unsigned indices = isa<tt::DescriptorLoadOp>(op) ? 1 : 2; // behind the descriptor, and what is stored
    OpOperand &index = op->getOpOperand(indices + dimension);
    index.set(arith::AddIOp::create(before, op->getLoc(), index.get(), first));
  }
  for (auto [value, dimension] : divided) {
    Operation *op = value.getDefiningOp();
    if (auto range = dyn_cast_or_null<tt::MakeRangeOp>(op)) {
      addOffset(range, rank);
      continue;
    }
    value.setType(withExtent(value.getType(), dimension, part));
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(value.getType())));
    else if (op)
      dropHints(op, dimension, part);
  }
}

struct TritonSplitPrograms : impl::TritonSplitProgramsBase<TritonSplitPrograms> {
  using TritonSplitProgramsBase::TritonSplitProgramsBase;

  void runOnOperation() override {
    if (blocks == 1)
      return;
    tt::FuncOp kernel;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isPrivate() || function.isExternal())
        continue;
      if (kernel)
        return refuse(kernel, {function, "the module has several kernels"});
      kernel = function;
    }
    if (!kernel)
      return;
    if (!kernel.getBody().hasOneBlock())
      return refuse(kernel, {kernel, "it has branches that are not structured control flow"});
    separateUses(kernel);
    const gpu::TargetInfo *info = gpu::findTarget(kernel.getLoc(), target);
    if (!info)
      return signalPassFailure();
    ProgramSplitter splitter(kernel, int64_t(blocks), *info);
    std::variant<unsigned, Obstacle> chosen = splitter.choose();
    if (auto *obstacle = std::get_if<Obstacle>(&chosen))
      return refuse(kernel, *obstacle);
    splitter.split(std::get<unsigned>(chosen));
    getOperation()->setAttr(tt::blocksAttribute, Builder(&getContext()).getI32IntegerAttr(int32_t(blocks)));
  }

private:
  static void refuse(tt::FuncOp kernel, const Obstacle &obstacle) {
    remarks::InFlightRemark remark = remarks::missed(kernel, remarks::program, "Cluster");
    remark << "one block runs a program, although `num_ctas` asks for more" << remarks::reason("{0}", obstacle.what);
    if (remark)
      remark << remarks::Fact("Cause", Attribute(obstacle.cause->getLoc()));
  }
};

} // namespace

} // namespace triton::ttg
