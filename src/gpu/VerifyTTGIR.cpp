// Checks the rules of the stage ttgir, see Passes.td and docs/rules.md.
#include "analysis/CallCycles.h"
#include "gpu/Passes.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/AsyncTokens.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/SharedConflicts.h"
#include "gpu/analysis/TokenAges.h"
#include "gpu/copies/VerifyRings.h"
#include "gpu/ir/Dialect.h"
#include "gpu/loops/VerifyTurns.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUVERIFYTTGIR
#include "gpu/Passes.h.inc"

namespace {

bool isDistributed(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding();
}

/// The rules for single operations.
class OperationRules {
public:
  explicit OperationRules(ModuleOp module)
      : hasLayouts(module->hasAttr(threadsPerWarpAttribute)), lanes(getThreadsPerWarp(module)),
        blocks(getNumCtas(module)) {}

  LogicalResult verify(Operation *op) {
    return hasLayouts && (failed(verifyTypes(op)) || failed(verifyLayouts(op))) ? failure() : success();
  }

private:
  /// ttgir-1
  LogicalResult verifyTypes(Operation *op) {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    std::optional<unsigned> own;
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        continue;
      unsigned warps = own ? *own : *(own = getNumWarps(op));
      if (!isKnown.insert({tensor, warps}).second)
        continue;
      if (!tensor.getEncoding() || isPlaceholder(tensor.getEncoding()))
        return op->emitError() << "ttgir-1: " << tensor << " has no layout";
      if (!isa<TritonGPUDialect>(tensor.getEncoding().getDialect()))
        return op->emitError() << "ttgir-1: the encoding of " << tensor << " is not a layout over threads";
      layout::LinearLayout layout = toLinearLayout(tensor);
      if (unsigned(layout.inputSize("lane")) != lanes || unsigned(layout.inputSize("warp")) != warps)
        return op->emitError() << "ttgir-1: the layout of " << tensor << " is over " << layout.inputSize("warp")
                               << " warps of " << layout.inputSize("lane") << " lanes, the program has " << warps
                               << " of " << lanes;
      auto ofBlocks = unsigned(layout.inputSize("block"));
      if (ofBlocks != blocks && ofBlocks != 1) // without bases all blocks have the same
        return op->emitError() << "ttgir-1: the layout of " << tensor << " is over " << layout.inputSize("block")
                               << " blocks, the program has " << blocks;
    }
    return success();
  }

  /// ttgir-2
  static LogicalResult verifyLayouts(Operation *op) {
    if (auto related = dyn_cast<LayoutOpInterface>(op))
      return related.verifyLayouts();
    if (op->hasTrait<OpTrait::Elementwise>())
      return verifyRelatedLayouts(op, [](Attribute operand) { return operand; });
    // What only passes values on has their types.
    bool forwards = op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::ConstantLike>() ||
                    isa<RegionBranchOpInterface, CallOpInterface, FunctionOpInterface>(op);
    if (forwards ||
        (llvm::none_of(op->getOperandTypes(), isDistributed) && llvm::none_of(op->getResultTypes(), isDistributed)))
      return success();
    return op->emitError() << "ttgir-2: `" << op->getName()
                           << "` does not say how the layouts of its tensors are related (LayoutOpInterface)";
  }

  bool hasLayouts;
  unsigned lanes, blocks;
  llvm::DenseSet<std::pair<RankedTensorType, unsigned>> isKnown; ///< over so many warps
};

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The buffer of a ring that `view` shows, if that is known.
std::optional<int64_t> findSlot(Value view) {
  while (isa_and_nonnull<MemDescSubsliceOp, MemDescTransOp>(view.getDefiningOp()))
    view = view.getDefiningOp()->getOperand(0);
  auto index = view.getDefiningOp<MemDescIndexOp>();
  APInt slot;
  if (!index || !index.getSrc().getDefiningOp<LocalAllocOp>() || !matchPattern(index.getIndex(), m_ConstantInt(&slot)))
    return std::nullopt;
  return slot.getSExtValue();
}

/// Whether a block of the function's can follow itself.
bool isInCycle(Block *block) {
  llvm::SmallPtrSet<Block *, 8> reached;
  SmallVector<Block *> next(block->getSuccessors());
  while (!next.empty())
    if (Block *successor = next.pop_back_val(); reached.insert(successor).second)
      llvm::append_range(next, successor->getSuccessors());
  return reached.contains(block);
}

/// Whether no execution of `copy` is before one of `load`.
bool isBehind(Operation *copy, Operation *load) {
  Region &body = load->getParentOfType<FunctionOpInterface>().getFunctionBody();
  if (isInCycle(body.findAncestorBlockInRegion(*load->getBlock())))
    return false;
  for (Operation *before = load; before; before = before->getParentOp())
    if (Operation *behind = before->getBlock() ? before->getBlock()->findAncestorOpInBlock(*copy) : nullptr)
      return before != behind && before->isBeforeInBlock(behind) && !before->getParentOfType<LoopLikeOpInterface>();
  return false;
}

/// Whether `load` reads nothing of what `copy` brings: it reads another buffer of the ring, or earlier.
bool readsOther(LocalLoadOp load, AsyncCopyGlobalToLocalOp copy) {
  std::optional<int64_t> read = findSlot(load.getSrc()), written = findSlot(copy.getDst());
  return (read && written && *read != *written) || isBehind(copy, load);
}

/// Whether every execution of `copy` ends before `load` can be reached: a wait for it follows in its block. Tokens that
/// loops carry are not looked at, since they may be those of an earlier execution.
bool hasEnded(AsyncCopyGlobalToLocalOp copy, LocalLoadOp load) {
  Operation *reader = copy->getBlock()->findAncestorOpInBlock(*load);
  auto isBetween = [&](Operation *wait) {
    return wait->getBlock() == copy->getBlock() &&
           (!reader || reader->isBeforeInBlock(copy) || wait->isBeforeInBlock(reader));
  };
  // A wait leaves as many of the newest groups in flight as it says.
  auto endsGroup = [&](Operation *group, AsyncWaitOp wait) {
    int64_t later = 0;
    for (Operation *op = group->getNextNode(); op && op != wait; op = op->getNextNode())
      later += isa<AsyncCommitGroupOp>(op);
    return group->getBlock() == wait->getBlock() && later >= wait.getNum();
  };
  return llvm::any_of(copy.getToken().getUsers(), [&](Operation *user) {
    return isa<AsyncCommitGroupOp>(user) && llvm::any_of(user->getUsers(), [&](Operation *other) {
             auto wait = dyn_cast<AsyncWaitOp>(other);
             return wait && isBetween(wait) && endsGroup(user, wait);
           });
  });
}

/// Whether a wait for all groups, which names none, lies on every way from `copy` to `load`.
bool isFollowedByWaitForAll(AsyncCopyGlobalToLocalOp copy, LocalLoadOp load) {
  if (llvm::none_of(copy.getToken().getUsers(), [&](Operation *user) {
        return isa<AsyncCommitGroupOp>(user) && user->getBlock() == copy->getBlock();
      }))
    return false;
  for (Operation *at = copy; !isa<FunctionOpInterface>(at); at = at->getParentOp()) {
    Operation *reader = at->getBlock()->findAncestorOpInBlock(*load);
    if (reader == at)
      return false;
    for (Operation *op = at->getNextNode(); op && op != reader; op = op->getNextNode())
      if (auto wait = dyn_cast<AsyncWaitOp>(op); wait && wait.getNum() == 0 && wait.getInputTokens().empty())
        return true;
  }
  return false;
}

/// ttgir-3
LogicalResult verifyTokens(FunctionOpInterface function) {
  llvm::DenseMap<Operation *, SmallVector<AsyncCopyGlobalToLocalOp>> copies; // by the allocation they write
  function.walk([&](AsyncCopyGlobalToLocalOp copy) {
    if (copy.getToken().use_empty())
      return; // the program itself says when it reads, as in Gluon
    for (Operation *allocation : analysis::findAllocations(copy.getDst()))
      copies[allocation].push_back(copy);
  });
  WalkResult walk = function.walk([&](LocalLoadOp load) {
    llvm::SetVector<Operation *> arrived;
    if (load.getToken())
      for (Value origin : analysis::findOrigins(load.getToken()))
        if (auto wait = origin.getDefiningOp<AsyncWaitOp>())
          arrived.insert_range(analysis::findCopies(wait));
    for (Operation *allocation : analysis::findAllocations(load.getSrc()))
      for (AsyncCopyGlobalToLocalOp copy : copies.lookup(allocation))
        if (!arrived.contains(copy) && !hasEnded(copy, load) && !isFollowedByWaitForAll(copy, load) &&
            !readsOther(load, copy)) {
          InFlightDiagnostic error = load.emitError() << "ttgir-3: reads a buffer without the token of a wait for "
                                                         "what is copied to it";
          error.attachNote(copy->getLoc()) << "the copy";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// ttgir-4
LogicalResult verifyWaits(FunctionOpInterface function) {
  for (auto [op, later] : analysis::countLaterGroups(function))
    if (auto wait = cast<AsyncWaitOp>(op);
        wait.getNum() > later && !(wait.getInputTokens().empty() && wait.getToken().use_empty()))
      return wait.emitError() << "ttgir-4: leaves " << wait.getNum() << " groups in flight, but on some path only "
                              << later << " are younger than those it is for";
  return success();
}

/// ttgir-5
LogicalResult verifyPlaces(FunctionOpInterface function, int64_t sharedBytes) {
  // Scratch may share its place with whatever lives before or after its operation.
  analysis::Allocation allocation(function, [](CallOpInterface) { return 0; }, /*sharesScratch=*/true);
  auto offsetOf = [](const analysis::SharedBuffer &piece) {
    return analysis::getIntegerAttribute(piece.owner, allocationOffsetAttribute);
  };
  llvm::ArrayRef<analysis::SharedBuffer> pieces = allocation.buffers();
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    std::optional<int64_t> offset = offsetOf(piece);
    if (!offset)
      return piece.owner->emitError() << "ttgir-5: needs " << piece.size
                                      << " bytes of shared memory, but its attribute `" << allocationOffsetAttribute
                                      << "` is missing, which says where; leave `" << sharedBytesAttribute
                                      << "` of the module out, then the compiler finds all places and sets barriers";
    if (*offset < 0 || *offset % int64_t(piece.alignment) != 0 || *offset + int64_t(piece.size) > sharedBytes)
      return piece.owner->emitError() << "ttgir-5: needs " << piece.size << " bytes of shared memory, aligned to "
                                      << piece.alignment << ", and does not have one in the " << sharedBytes
                                      << " of the program";
    for (const analysis::SharedBuffer &other : pieces.take_front(index)) {
      bool meetInTime = piece.begin <= other.end && other.begin <= piece.end;
      bool meetInSpace =
          *offset < *offsetOf(other) + int64_t(other.size) && *offsetOf(other) < *offset + int64_t(piece.size);
      if (meetInTime && meetInSpace)
        return (piece.owner->emitError() << "ttgir-5: shares bytes with what lives at the same time")
                   .attachNote(other.owner->getLoc())
               << "the other";
    }
  }
  return success();
}

/// ttgir-6
LogicalResult verifyBarriers(FunctionOpInterface function) {
  bool isOrdered = true;
  analysis::SharedConflicts(function, analysis::SharedConflicts::Precision::Slots).forEach([&](Operation *op) {
    if (isOrdered)
      op->emitError() << "ttgir-6: a barrier is missing between this and an access of the same memory before it";
    isOrdered = false;
  });
  return success(isOrdered);
}

/// ttgir-7
LogicalResult verifySchedules(ModuleOp module) {
  WalkResult walk = module.walk([](scf::ForOp loop) {
    if (!loop->hasAttr(analysis::lastStageAttribute) || succeeded(analysis::readSchedule(loop)))
      return WalkResult::advance();
    loop.emitError() << "ttgir-7: the schedule of the loop is incomplete";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Whether code for `machine` may do what layouts for the machine `given` say. Machines are as in `ttg.target`, where
/// options may follow. Architectures with numbers do all that lower ones do.
bool isUsableOn(llvm::StringRef given, llvm::StringRef machine) {
  auto [family, rest] = given.split(':');
  auto [wantedFamily, wantedRest] = machine.split(':');
  llvm::StringRef architecture = rest.split(':').first, wanted = wantedRest.split(':').first;
  unsigned number = 0, wantedNumber = 0;
  return family == wantedFamily &&
         (architecture == wanted ||
          (!architecture.getAsInteger(10, number) && !wanted.getAsInteger(10, wantedNumber) && number <= wantedNumber));
}

struct TritonGPUVerifyTTGIR : impl::TritonGPUVerifyTTGIRBase<TritonGPUVerifyTTGIR> {
  using TritonGPUVerifyTTGIRBase::TritonGPUVerifyTTGIRBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto target = getOperation()->getAttrOfType<StringAttr>(targetAttribute);
    if (target && !machine.empty() && !isUsableOn(target.getValue(), machine)) {
      getOperation().emitError() << "the module is for the machine `" << target.getValue() << "` (`" << targetAttribute
                                 << "`), but the target is `" << machine.getValue()
                                 << "`; choose the module's machine as the target, or begin with TTIR";
      return signalPassFailure();
    }
    if (failed(analysis::refuseRecursion(getOperation())))
      return signalPassFailure();
    // What operations need of shared memory depends on the machine.
    if (getOperation()->hasAttr(threadsPerWarpAttribute) && !gpu::findTarget(getOperation()))
      return signalPassFailure();
    if (failed(verifyOperations()) || (!isPipelined && failed(verifySchedules(getOperation()))))
      return signalPassFailure();
    if (hasBarriers && !gpu::findTarget(getOperation())) // Which accesses conflict depends on layouts.
      return signalPassFailure();
    // What groups of warps share lives until they meet, which calls of their functions do not show.
    bool isParted = llvm::any_of(getOperation().getOps<FunctionOpInterface>(),
                                 [](Operation *function) { return function->hasAttr(firstWarpAttribute); });
    std::optional<int64_t> sharedBytes = analysis::getIntegerAttribute(getOperation(), sharedBytesAttribute);
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      if (failed(verifyTokens(function)) || failed(verifyWaits(function)) ||
          failed(verifyRings(function, /*isAsMade=*/hasNewRings)) || failed(verifyTurns(function)) ||
          failed(verifyBlocks(function)) || (isSpecialized && failed(verifyNoMappedAccesses(function))) ||
          (sharedBytes && !isParted && failed(verifyPlaces(function, *sharedBytes))) ||
          (hasBarriers && (failed(analysis::verifyHavePlaces(getOperation())) || failed(verifyBarriers(function)))))
        return signalPassFailure();
    }
  }

private:
  LogicalResult verifyOperations() {
    OperationRules rules(getOperation());
    WalkResult walk = getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // Regions of combinations and of elementwise code contain scalars.
      bool holdsScalars = isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(op);
      if (failed(rules.verify(op)))
        return WalkResult::interrupt();
      return holdsScalars ? WalkResult::skip() : WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }
};

} // namespace

} // namespace triton::ttg
