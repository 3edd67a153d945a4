// Gives each partition of a program's warps a function of its own, see Passes.td.
#include "base/UserErrors.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/copies/PartitionBodies.h"
#include "gpu/copies/Passes.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUOUTLINEPARTITIONS
#include "gpu/copies/Passes.h.inc"

namespace {

constexpr unsigned fewestRegisters = 24; ///< of a thread
constexpr unsigned registerUnit = 8;
constexpr unsigned mostWarps = 32;      ///< of a program
constexpr unsigned mostPartitions = 14; ///< each with a barrier of its own, of 16 with two for the program
constexpr unsigned mostWithShared = 13; ///< where the program's warps have a barrier for the shared code, too

/// Warps of a launch.
struct WarpRange {
  unsigned first = 0, count = 0;
};

bool isScalar(Type type) { return !isa<RankedTensorType>(type); }

/// Warps whose registers change together, and the partitions that they run.
struct WarpGroup {
  WarpRange warps;
  SmallVector<unsigned> partitions;
  unsigned registers = 0; ///< of a thread; 0: as at the start
};

/// Whether every warp may compute it for itself.
bool isForAllWarps(Operation *op) {
  if (isa<foreign::TMEMReserveOp>(op))
    return true;
  if (!llvm::all_of(op->getOperandTypes(), isScalar) || !llvm::all_of(op->getResultTypes(), isScalar) ||
      op->getNumRegions() != 0)
    return false;
  auto alloc = dyn_cast<LocalAllocOp>(op);
  return alloc ? !alloc.getSrc() : isPure(op);
}

class Outliner {
public:
  Outliner(tt::FuncOp function, WarpSpecializeOp op) : function(function), op(op), builder(op) {
    unsigned next = getNumWarps(function);
    for (int32_t count : op.getPartitionWarps()) {
      next = llvm::alignTo(next, std::min(unsigned(count), warpsOfGroup));
      warps.push_back({next, unsigned(count)});
      next += unsigned(count);
    }
    launchWarps = llvm::alignTo(next, warpsOfGroup);
    for (auto [index, range] : llvm::enumerate(warps)) {
      unsigned first = range.first / warpsOfGroup * warpsOfGroup;
      if (groups.empty() || groups.back().warps.first != first)
        groups.push_back({{first, std::max(range.count, warpsOfGroup)}, {}});
      groups.back().partitions.push_back(unsigned(index));
    }
  }

  /// The warps that a launch starts.
  FailureOr<unsigned> run() {
    if (launchWarps > mostWarps || warps.size() > mostPartitions)
      return op.emitError() << base::unsupportedPrefix << "GPUs: these are " << launchWarps << " warps in "
                            << warps.size() + 1 << " groups, and a program has at most " << mostWarps << " in "
                            << mostPartitions + 1;
    if (failed(countMeetings()))
      return failure();
    bool isSame = areFirstTheSame(); // before partitions compute tensors again
    if (failed(divideRegisters()))
      return failure();
    // Both groups have the registers of the partition, and choose their barriers by number.
    isShared = isSame && groups.front().registers <= left && !isForAmd();
    if (!isShared && !op.getPartitions().empty())
      takeOwnConstants();
    if (failed(collectCaptured()))
      return failure();
    Block &body = function.getBody().front();
    builder.setInsertionPointToStart(&body);
    Value isWorker = IsMoverOp::create(builder, op.getLoc(), /*anyThread=*/true);
    for (Operation &hoisted : llvm::make_early_inc_range(body))
      if (shared.contains(&hoisted) || isa<foreign::TMEMReserveOp>(hoisted)) // to which all warps come
        hoisted.moveBefore(isWorker.getDefiningOp());
    builder.setInsertionPointAfterValue(isWorker);
    isShared ? partWithShared(isWorker) : part(body, isWorker);
    return launchWarps;
  }

private:
  /// Warps of AMD's GPUs keep their registers, and name their barriers in the code.
  bool isForAmd() const {
    auto target = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(targetAttribute);
    return target && target.getValue().starts_with("hip:");
  }

  /// A tensor that a partition uses, computed in it, if nothing but its elements' positions and scalars decide it.
  LogicalResult repeat(Value tensor, Region &region) {
    Operation *source = tensor.getDefiningOp();
    if (!source || !isPure(source) || source->getNumRegions() != 0 || analysis::getScratchBytes(source) != 0)
      return emitError(tensor.getLoc()) << base::wrongKernelPrefix
                                        << "a partition of warps needs this block, which lies in the registers of "
                                           "other threads; pass it through shared memory";
    OpBuilder inside(&region.front(), region.front().begin());
    Operation *clone = inside.clone(*source);
    for (auto [old, own] : llvm::zip_equal(source->getResults(), clone->getResults()))
      replaceAllUsesInRegionWith(old, own, region);
    return success();
  }

  LogicalResult repeatTensors() {
    for (Region &region : op.getPartitions()) {
      auto findTensor = [&] {
        llvm::SetVector<Value> used;
        getUsedValuesDefinedAbove(region, used);
        auto *found = llvm::find_if(used, [](Value value) { return !isScalar(value.getType()); });
        return found == used.end() ? Value() : *found;
      };
      while (Value tensor = findTensor())
        if (failed(repeat(tensor, region)))
          return failure();
    }
    return success();
  }

  /// What partitions use of the code before them, which moves in front of where warps part.
  LogicalResult collectCaptured() {
    if (failed(repeatTensors()))
      return failure();
    llvm::SetVector<Value> open;
    getUsedValuesDefinedAbove(op.getPartitions(), open);
    captured = open;
    while (!open.empty()) {
      Operation *source = open.pop_back_val().getDefiningOp();
      if (!source || !shared.insert(source).second)
        continue;
      if (!isForAllWarps(source) || source->getBlock() != op->getBlock())
        return source->emitError() << base::wrongKernelPrefix
                                   << "a partition of warps needs this value, which its warps cannot compute for "
                                      "themselves; compute it in the partition, or pass it through shared memory";
      open.insert_range(source->getOperands());
    }
    return success();
  }

  /// The meetings of all blocks of a cluster before the partitions, to which the warps of these come as well.
  /// After the partitions these have ended.
  LogicalResult countMeetings() {
    WalkResult walk = function.walk([&](ClusterBarrierOp meeting) {
      if (meeting->getBlock() == op->getBlock()) {
        meetings += meeting->isBeforeInBlock(op) ? 1 : 0;
        return WalkResult::advance();
      }
      meeting.emitError() << base::unsupportedPrefix
                          << "GPUs: threads of all blocks meet here, but a kernel whose warps part has such meetings "
                             "neither in a group of warps nor in a loop or branch; let an arrival at `from_cta` of an "
                             "mbarrier say that others may go on";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  /// Whether the program's warps and those of the first partition can run the same function.
  bool areFirstTheSame() {
    if (!canShareCode(op) || warps.size() > mostWithShared)
      return false;
    auto different = findDifferentConstants(op.getDefaultRegion(), op.getPartitions().front());
    return different && different->empty();
  }

  /// Code that is not shared has its constants again, where tritongpu-share-partitions lets warps choose them.
  void takeOwnConstants() {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    unsigned own = getNumWarps(function);
    for (Value value : used) {
      Operation *choice = value.getDefiningOp();
      auto isSecond =
          choice && choice->getNumOperands() > 0 ? choice->getOperand(0).getDefiningOp<InWarpsOp>() : nullptr;
      if (!isSecond || !isPure(choice) || isSecond.getFirst() != own || isSecond.getCount() != own)
        continue;
      takeConstant(op.getDefaultRegion(), *choice, /*isSecond=*/false);
      takeConstant(op.getPartitions().front(), *choice, /*isSecond=*/true);
    }
  }

  static void takeConstant(Region &region, Operation &choice, bool isSecond) {
    OpBuilder inside(&region.front(), region.front().begin());
    IRMapping known;
    known.map(choice.getOperand(0), arith::ConstantIntOp::create(inside, choice.getLoc(), isSecond, 1).getResult());
    Operation *own = inside.clone(choice, known);
    SmallVector<Value> folded;
    bool isFolded = succeeded(inside.tryFold(own, folded)) && !folded.empty();
    Value constant = isFolded ? folded.front() : own->getResult(0);
    if (auto outer = constant.getDefiningOp<arith::ConstantOp>())
      constant = inside.clone(*outer)->getResult(0);
    replaceAllUsesInRegionWith(choice.getResult(0), constant, region);
    if (isFolded)
      own->erase();
  }

  scf::IfOp createIf(Value condition) {
    return scf::IfOp::create(builder, op.getLoc(), TypeRange(), condition, /*addThenBlock=*/true,
                             /*addElseBlock=*/true);
  }

  /// Moves the operations from `first` to before `last` to the end of a branch's block, which ends there.
  void moveTo(Block &target, Operation *first, Operation *last) {
    target.getOperations().splice(target.end(), first->getBlock()->getOperations(), Block::iterator(first),
                                  Block::iterator(last));
    OpBuilder inside = OpBuilder::atBlockEnd(&target);
    scf::YieldOp::create(inside, op.getLoc());
  }

  /// The program's warps do everything but the partitions.
  void part(Block &body, Value isWorker) {
    scf::IfOp branch = createIf(isWorker);
    moveTo(*branch.elseBlock(), branch->getNextNode(), body.getTerminator());
    createWorkers(*branch.thenBlock());
    inlineDefault();
  }

  /// The program's warps do what stands before; they and the first partition then call one function, in one place.
  void partWithShared(Value isWorker) {
    Value isOfShared = InWarpsOp::create(builder, op.getLoc(), 0, int32_t(2 * getNumWarps(function)));
    scf::IfOp both = createIf(isOfShared);
    createWorkers(*both.elseBlock());
    builder.setInsertionPointToEnd(both.thenBlock());
    scf::IfOp before = createIf(isWorker);
    moveTo(*before.thenBlock(), before, before);
    moveTo(*before.elseBlock(), both->getNextNode(), op);
    builder.setInsertionPointAfter(before);
    BarrierOp::create(builder, op.getLoc(), /*allWarps=*/true);
    setRegisters(groups.front().registers);
    tt::CallOp::create(builder, op.getLoc(), outline(0, {0, warps.front().count}, groups.front().registers),
                       captured.getArrayRef());
    BarrierOp::create(builder, op.getLoc(), /*allWarps=*/true);
    scf::YieldOp::create(builder, op.getLoc());
    op->erase();
  }

  /// The branch of the warps beyond those of the program's start, or of the code that they share.
  void createWorkers(Block &block) {
    builder.setInsertionPointToEnd(&block);
    for (unsigned meeting = 0; meeting < meetings; ++meeting)
      ClusterBarrierOp::create(builder, op.getLoc());
    BarrierOp::create(builder, op.getLoc(), /*allWarps=*/true);
    for (const WarpGroup &group : llvm::drop_begin(groups, isShared ? 1 : 0)) {
      scf::IfOp own = createBranch(group.warps);
      builder.setInsertionPointToStart(own.thenBlock());
      setRegisters(group.registers);
      for (unsigned index : group.partitions) {
        scf::IfOp one = createBranch(warps[index]);
        builder.setInsertionPointToStart(one.thenBlock());
        tt::CallOp::create(builder, op.getLoc(), outline(index, warps[index], group.registers), captured.getArrayRef());
        builder.setInsertionPointToStart(one.elseBlock());
      }
      builder.setInsertionPointToStart(own.elseBlock());
    }
    builder.setInsertionPointToEnd(&block);
    BarrierOp::create(builder, op.getLoc(), /*allWarps=*/true);
    scf::YieldOp::create(builder, op.getLoc());
  }

  /// A group of warps gets the most registers that one of its partitions asks for, and the first partition what is
  /// left.
  LogicalResult divideRegisters() {
    if (op.getPartitionRegisters().empty() || isForAmd())
      return success();
    const gpu::Machine &machine = gpu::getTarget(op).machine();
    unsigned own = getNumWarps(function), taken = 0;
    atStart = machine.registers / (launchWarps * machine.lanes) / registerUnit * registerUnit;
    for (WarpGroup &group : groups) {
      group.registers = registersOf(group);
      taken += group.registers * group.warps.count;
    }
    unsigned all = atStart * launchWarps;
    left = all < taken ? 0 : std::min((all - taken) / own, machine.registersOfThread) / registerUnit * registerUnit;
    if (left >= fewestRegisters)
      return success();
    return op.emitError() << base::unsupportedPrefix << "GPUs: the partitions of warps ask for "
                          << taken * machine.lanes << " registers of the " << all * machine.lanes
                          << " that the machine has for this launch, which leaves the first one too few";
  }

  unsigned registersOf(const WarpGroup &group) {
    unsigned most = fewestRegisters;
    for (unsigned index : group.partitions)
      most = std::max(most, unsigned(llvm::alignTo(op.getPartitionRegisters()[index], registerUnit)));
    return most;
  }

  void setRegisters(unsigned count) {
    if (count != 0)
      SetRegistersOp::create(builder, op.getLoc(), int32_t(count), /*raises=*/count > atStart);
  }

  /// What warps of the range do, and what others. No code of one group follows that of another: a group that gives up
  /// registers would need those of the other.
  scf::IfOp createBranch(WarpRange range) {
    Value isOne = InWarpsOp::create(builder, op.getLoc(), range.first, range.count);
    scf::IfOp branch = createIf(isOne);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      OpBuilder inside = OpBuilder::atBlockEnd(block);
      scf::YieldOp::create(inside, op.getLoc());
    }
    return branch;
  }

  tt::FuncOp outline(unsigned index, WarpRange range, unsigned registers) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(function);
    auto type = builder.getFunctionType(TypeRange(ValueRange(captured.getArrayRef())), {});
    auto outlined =
        tt::FuncOp::create(builder, op.getLoc(), (function.getName() + ".partition" + llvm::Twine(index)).str(), type);
    outlined.setPrivate();
    outlined->setAttr(tt::FuncOp::noInlineAttrName, builder.getBoolAttr(false));
    outlined->setAttr(numWarpsAttribute, builder.getI32IntegerAttr(int32_t(range.count)));
    outlined->setAttr(firstWarpAttribute, builder.getI32IntegerAttr(int32_t(range.first)));
    if (isShared && index == 0)
      outlined->setAttr(sharedByGroupsAttribute, builder.getUnitAttr());
    if (registers != 0)
      outlined->setAttr(threadRegistersAttribute, builder.getI32IntegerAttr(int32_t(registers)));
    Region &region = op.getPartitions()[index];
    Block *entry = outlined.addEntryBlock();
    for (auto [value, argument] : llvm::zip_equal(captured, entry->getArguments()))
      replaceAllUsesInRegionWith(value, argument, region);
    Block &body = region.front();
    entry->getOperations().splice(entry->end(), body.getOperations());
    Operation *end = entry->getTerminator();
    builder.setInsertionPoint(end);
    tt::ReturnOp::create(builder, end->getLoc(), ValueRange());
    end->erase();
    return outlined;
  }

  void inlineDefault() {
    builder.setInsertionPoint(op);
    BarrierOp::create(builder, op.getLoc(), /*allWarps=*/true);
    setRegisters(left);
    if (left != 0)
      function->setAttr(threadRegistersAttribute, builder.getI32IntegerAttr(int32_t(left)));
    Block &body = op.getDefaultRegion().front();
    Operation *end = body.getTerminator();
    op->replaceAllUsesWith(end->getOperands());
    end->erase();
    op->getBlock()->getOperations().splice(Block::iterator(op), body.getOperations());
    builder.setInsertionPoint(op);
    BarrierOp::create(builder, op.getLoc(), /*allWarps=*/true);
    op->erase();
  }

  tt::FuncOp function;
  WarpSpecializeOp op;
  OpBuilder builder;
  SmallVector<WarpRange> warps;
  unsigned launchWarps = 0, meetings = 0;
  unsigned atStart = 0, left = 0; ///< registers of a thread: of all at first, and later in the first partition
  SmallVector<WarpGroup> groups;
  llvm::SetVector<Value> captured;
  llvm::DenseSet<Operation *> shared; ///< what all warps compute
  bool isShared = false;              ///< the first partition has the code of the program's warps
};

struct TritonGPUOutlinePartitions : impl::TritonGPUOutlinePartitionsBase<TritonGPUOutlinePartitions> {
  void runOnOperation() override {
    SmallVector<WarpSpecializeOp> found;
    getOperation().walk<WalkOrder::PreOrder>([&](WarpSpecializeOp op) { found.push_back(op); });
    if (found.empty())
      return markAllAnalysesPreserved();
    WarpSpecializeOp op = found.front();
    auto function = dyn_cast<tt::FuncOp>(op->getParentOp());
    if (found.size() > 1 || !function || !function.getBody().hasOneBlock()) {
      found.back().emitError() << base::wrongKernelPrefix
                               << "warps part once in a kernel, and neither in a loop nor in a branch; let one call of "
                                  "`ttgl.warp_specialize` have all functions";
      return signalPassFailure();
    }
    if (!gpu::findTarget(getOperation())) // Registers are those of a machine.
      return signalPassFailure();
    FailureOr<unsigned> launchWarps = Outliner(function, op).run();
    if (failed(launchWarps))
      return signalPassFailure();
    Builder builder(&getContext());
    getOperation()->setAttr(launchWarpsAttribute, builder.getI32IntegerAttr(int32_t(*launchWarps)));
  }
};

} // namespace

} // namespace triton::ttg
