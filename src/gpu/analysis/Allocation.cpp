#include "gpu/analysis/Allocation.h"

#include "gpu/analysis/ConversionPlan.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::analysis {

/// Appends the values that flow into `value`, a result or argument of loops and branches; false for any other value.
static bool appendForwarded(Value value, SmallVectorImpl<Value> &worklist) {
  auto append = [&](RegionBranchOpInterface op) {
    RegionBranchInverseSuccessorMapping mapping;
    op.getSuccessorInputOperandMapping(mapping);
    for (OpOperand *operand : mapping.lookup(value))
      worklist.push_back(operand->get());
    return true;
  };
  if (Operation *op = value.getDefiningOp()) {
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    return branch && append(branch);
  }
  auto argument = cast<BlockArgument>(value);
  Block *block = argument.getOwner();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(block->getParentOp()))
    return append(branch);
  for (auto predecessor = block->pred_begin(); predecessor != block->pred_end(); ++predecessor) {
    auto branch = cast<BranchOpInterface>((*predecessor)->getTerminator());
    worklist.push_back(branch.getSuccessorOperands(predecessor.getSuccessorIndex())[argument.getArgNumber()]);
  }
  return !block->hasNoPredecessors();
}

SmallVector<Value> findOrigins(Value value) {
  llvm::SetVector<Value> visited;
  SmallVector<Value> worklist{value}, origins;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (visited.insert(next) && !appendForwarded(next, worklist))
      origins.push_back(next);
  }
  return origins;
}

SmallVector<Operation *> findAllocations(Value view) {
  llvm::SetVector<Value> visited;
  SmallVector<Value> worklist{view};
  SmallVector<Operation *> allocations;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!visited.insert(value))
      continue;
    if (auto allocation = value.getDefiningOp<ttg::LocalAllocOp>())
      allocations.push_back(allocation);
    else if (!appendForwarded(value, worklist) && value.getDefiningOp()) // views and selections
      llvm::copy_if(value.getDefiningOp()->getOperands(), std::back_inserter(worklist),
                    [](Value operand) { return isa<ttg::MemDescType>(operand.getType()); });
  }
  return allocations;
}

std::size_t getBufferBytes(ttg::MemDescType type) {
  llvm::ArrayRef<int64_t> shape = type.getShape();
  unsigned rank = cast<ttg::SharedEncodingInterface>(type.getEncoding()).getRank();
  layout::LinearLayout slot = ttg::toLinearLayout(shape.take_back(rank), type.getEncoding());
  auto elements = std::size_t(ttg::addPaddings(slot.inputSize("offset"), ttg::getPaddings(type)));
  for (int64_t slots : shape.drop_back(rank))
    elements *= std::size_t(slots);
  return elements * sharedElementBytes(type.getElementType());
}

std::optional<Place> findPlace(Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(ttg::allocationOffsetAttribute);
  auto buffer = dyn_cast<ttg::LocalAllocOp>(op);
  std::size_t bytes = buffer ? getBufferBytes(buffer.getType()) : getScratchBytes(op);
  if (!offset || bytes == 0)
    return std::nullopt;
  return Place{offset.getInt(), offset.getInt() + int64_t(bytes)};
}

namespace {

/// The program order of operations. The end of a loop follows everything inside it.
struct ProgramOrder {
  llvm::DenseMap<Operation *, unsigned> begin, end;

  explicit ProgramOrder(Operation *function) {
    unsigned next = 0;
    number(function, next);
  }

private:
  void number(Operation *op, unsigned &next) {
    begin[op] = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner, next);
    end[op] = next++;
  }
};

} // namespace

/// The piece that `op` needs, with size 0 if it needs none.
static SharedBuffer measurePiece(Operation *op, llvm::function_ref<std::size_t(CallOpInterface)> frameBytes) {
  SharedBuffer piece{op};
  if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
    piece.size = getBufferBytes(alloc.getType());
    piece.alignment = cast<ttg::SharedEncodingInterface>(alloc.getType().getEncoding()).getAlignment(piece.size);
  } else if (auto call = dyn_cast<CallOpInterface>(op)) {
    piece.size = frameBytes(call);
  } else {
    piece.size = getScratchBytes(op);
    piece.alignment = std::clamp<std::size_t>(llvm::PowerOf2Ceil(piece.size), 16, 128);
  }
  return piece;
}

/// All pieces, alive while their operations run, or for the whole function.
static SmallVector<SharedBuffer> collectPieces(FunctionOpInterface function, const ProgramOrder &order,
                                               llvm::function_ref<std::size_t(CallOpInterface)> frameBytes,
                                               bool sharesScratch) {
  SmallVector<SharedBuffer> pieces;
  std::size_t ownBytes = 0;
  function.walk([&](Operation *op) {
    SharedBuffer piece = measurePiece(op, frameBytes);
    if (piece.size == 0)
      return;
    bool hasOwnPlace = !sharesScratch && !isa<ttg::LocalAllocOp, CallOpInterface>(op) &&
                       piece.size <= tuned::ownScratchBytes && ownBytes + piece.size <= tuned::allOwnScratchBytes;
    Operation *lifetime = hasOwnPlace ? function.getOperation() : op;
    if (hasOwnPlace)
      ownBytes += piece.size;
    piece.begin = order.begin.lookup(lifetime);
    piece.end = order.end.lookup(lifetime);
    pieces.push_back(piece);
  });
  return pieces;
}

/// What one warp copies to while the others compute in the other arm of its branch.
static llvm::DenseMap<Operation *, scf::IfOp> findRings(FunctionOpInterface function) {
  llvm::DenseMap<Operation *, scf::IfOp> rings;
  function.walk([&](scf::IfOp branch) {
    if (!branch.getCondition().getDefiningOp<ttg::IsMoverOp>())
      return WalkResult::advance();
    branch.getThenRegion().walk([&](ttg::AsyncMappedLoadOp load) {
      for (Operation *allocation : findAllocations(load.getDst()))
        rings[allocation] = branch;
    });
    return WalkResult::skip();
  });
  return rings;
}

/// The operation that ends the life of `allocation` as far as `use` goes: in its block, or, for a ring, in the arm of
/// `branch`. The computing warps wait for each copy, so that a ring is free when they have read it.
static Operation *findHolder(Operation *allocation, Operation *use, scf::IfOp branch) {
  Operation *holder = allocation->getBlock()->findAncestorOpInBlock(*use);
  if (branch && holder == branch)
    for (Region &arm : branch->getRegions())
      if (Operation *inArm = arm.findAncestorOpInRegion(*use))
        return inArm;
  return holder ? holder : use;
}

/// A buffer lives until its last use. A use inside a loop that does not contain the allocation keeps it alive for the
/// whole loop, because the next iteration uses it again. Passing it from one iteration to the next has the same effect.
static void extendLifetimes(FunctionOpInterface function, const ProgramOrder &order,
                            MutableArrayRef<SharedBuffer> pieces) {
  llvm::DenseMap<Operation *, SharedBuffer *> pieceOf;
  for (SharedBuffer &piece : pieces)
    pieceOf[piece.owner] = &piece;
  llvm::DenseMap<Operation *, scf::IfOp> rings = findRings(function);
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<ttg::MemDescType>(operand.getType()))
        continue;
      for (Operation *allocation : findAllocations(operand)) {
        SharedBuffer &piece = *pieceOf.at(allocation);
        piece.end = std::max(piece.end, order.end.lookup(findHolder(allocation, op, rings.lookup(allocation))));
        if (isa<RegionBranchTerminatorOpInterface>(op) && isa<LoopLikeOpInterface>(op->getParentOp())) {
          piece.begin = std::min(piece.begin, order.begin.lookup(op->getParentOp()));
          piece.end = std::max(piece.end, order.end.lookup(op->getParentOp()));
        }
      }
    }
  });
}

/// What groups of warps that run at the same time use lives as long as all of them.
static void extendWhileParted(const ProgramOrder &order, MutableArrayRef<SharedBuffer> pieces) {
  for (SharedBuffer &piece : pieces)
    if (auto parts = piece.owner->getParentOfType<ttg::WarpSpecializeOp>()) {
      piece.begin = std::min(piece.begin, order.begin.lookup(parts));
      piece.end = std::max(piece.end, order.end.lookup(parts));
    }
}

/// The first wait after `copy`, on every path from it, that leaves no copies in flight; null where there is none.
static Operation *findWaitForAll(FunctionOpInterface function, Operation *copy, const ProgramOrder &order) {
  Operation *first = nullptr;
  function.walk([&](ttg::AsyncWaitOp wait) {
    Operation *before = wait->getBlock()->findAncestorOpInBlock(*copy);
    if (wait.getNum() == 0 && before && before->isBeforeInBlock(wait) &&
        (!first || order.begin.lookup(wait) < order.begin.lookup(first)))
      first = wait;
  });
  return first;
}

/// Where the program itself says when copies have arrived, and no token does, they may write a buffer behind its last
/// use: it lives until a wait for all copies.
static void extendWhileCopied(FunctionOpInterface function, const ProgramOrder &order,
                              MutableArrayRef<SharedBuffer> pieces) {
  function.walk([&](ttg::AsyncCopyGlobalToLocalOp copy) {
    if (!copy.getToken().use_empty())
      return;
    Operation *wait = findWaitForAll(function, copy, order);
    SmallVector<Operation *> allocations = findAllocations(copy.getDst());
    for (SharedBuffer &piece : pieces)
      if (llvm::is_contained(allocations, piece.owner)) {
        Operation *lifted = wait ? piece.owner->getBlock()->findAncestorOpInBlock(*wait) : nullptr;
        piece.end = std::max(piece.end, order.end.lookup(lifted ? lifted : function.getOperation()));
      }
  });
}

/// The buffer to which `op` writes in other blocks of the cluster, too; null where there is none.
static Value findRemotelyWritten(Operation *op) {
  if (auto store = dyn_cast<ttg::AsyncRemoteStoreOp>(op))
    return store.getDst();
  auto load = dyn_cast<ttg::AsyncMappedLoadOp>(op);
  return load && load.getMulticast() ? load.getDst() : Value();
}

/// Blocks do not wait for one another before each write: while one writes to a buffer of another one, this may be
/// anywhere in the kernel.
static void extendForOtherBlocks(FunctionOpInterface function, const ProgramOrder &order,
                                 MutableArrayRef<SharedBuffer> pieces) {
  llvm::SmallPtrSet<Operation *, 8> written;
  function.walk([&](Operation *op) {
    if (Value buffer = findRemotelyWritten(op))
      written.insert_range(findAllocations(buffer));
  });
  for (SharedBuffer &piece : pieces)
    if (written.contains(piece.owner)) {
      piece.begin = order.begin.lookup(function);
      piece.end = order.end.lookup(function);
    }
}

/// All pieces and when they live.
static SmallVector<SharedBuffer> findPieces(FunctionOpInterface function, const ProgramOrder &order,
                                            llvm::function_ref<std::size_t(CallOpInterface)> frameBytes,
                                            bool sharesScratch) {
  SmallVector<SharedBuffer> pieces = collectPieces(function, order, frameBytes, sharesScratch);
  extendLifetimes(function, order, pieces);
  extendWhileCopied(function, order, pieces);
  extendWhileParted(order, pieces);
  extendForOtherBlocks(function, order, pieces);
  return pieces;
}

/// The lowest offset at which `piece` does not overlap those of `placed` that live at the same time.
static std::size_t findOffset(const SharedBuffer &piece, ArrayRef<SharedBuffer *> placed) {
  SmallVector<std::pair<std::size_t, std::size_t>> taken;
  for (const SharedBuffer *other : placed)
    if (other->begin <= piece.end && piece.begin <= other->end)
      taken.push_back({other->offset, other->offset + other->size});
  llvm::sort(taken);
  std::size_t offset = 0;
  for (auto [begin, end] : taken) {
    if (offset + piece.size <= begin)
      break;
    offset = std::max(offset, llvm::alignTo(end, piece.alignment));
  }
  return offset;
}

/// First fit, larger pieces first. The problem is small, and this simple method is within a few percent of the best.
/// The offsets of called functions start at 0, whoever calls them. Returns the bytes of all pieces.
static std::size_t placePieces(MutableArrayRef<SharedBuffer> pieces) {
  auto isFrame = [](const SharedBuffer *piece) { return isa<CallOpInterface>(piece->owner); };
  SmallVector<SharedBuffer *> bySize = llvm::map_to_vector(pieces, [](SharedBuffer &piece) { return &piece; });
  llvm::sort(bySize, [&](const SharedBuffer *a, const SharedBuffer *b) { // the first of equal ones first
    return std::tuple(isFrame(a), a->size, b) > std::tuple(isFrame(b), b->size, a);
  });
  std::size_t total = 0;
  for (auto [index, piece] : llvm::enumerate(bySize)) {
    piece->offset = isFrame(piece) ? 0 : findOffset(*piece, ArrayRef(bySize).take_front(index));
    total = std::max(total, piece->offset + piece->size);
  }
  return total;
}

Allocation::Allocation(FunctionOpInterface function, llvm::function_ref<std::size_t(CallOpInterface)> frameBytes,
                       bool sharesScratch) {
  ProgramOrder order(function);
  pieces = findPieces(function, order, frameBytes, sharesScratch);
  total = placePieces(pieces);
}

std::size_t countBytesBetween(Operation *first, Operation *last,
                              llvm::function_ref<std::size_t(CallOpInterface)> frameBytes) {
  auto function = first->getParentOfType<FunctionOpInterface>();
  ProgramOrder order(function);
  SmallVector<SharedBuffer> pieces = findPieces(function, order, frameBytes, /*sharesScratch=*/false);
  std::size_t buffers = 0, scratch = 0;
  for (const SharedBuffer &piece : pieces) {
    if (piece.end < order.begin.lookup(first) || order.end.lookup(last) < piece.begin)
      continue;
    if (isa<ttg::LocalAllocOp>(piece.owner))
      buffers += piece.size;
    else
      scratch = std::max(scratch, piece.size);
  }
  return buffers + scratch;
}

std::size_t countSharedBytes(Operation *op) {
  return Allocation(op->getParentOfType<FunctionOpInterface>(), [](CallOpInterface) { return 0; }).totalBytes();
}

bool isConstantBuffer(ttg::LocalAllocOp buffer) { return buffer.getSrc() && !buffer.getType().getMutableMemory(); }

} // namespace triton::analysis
