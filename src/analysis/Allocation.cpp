#include "analysis/Allocation.h"

#include "analysis/Scratch.h"
#include "ir/gpu/Dialect.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::analysis {

/// The values that `view` may be the same as, one step up, whatever forwards values: views, selections, loops, branches.
static void appendSources(Value view, SmallVectorImpl<Value> &worklist) {
  auto appendForwarded = [&](RegionBranchOpInterface op) {
    RegionBranchInverseSuccessorMapping mapping;
    op.getSuccessorInputOperandMapping(mapping);
    for (OpOperand *operand : mapping.lookup(view))
      worklist.push_back(operand->get());
  };
  if (Operation *op = view.getDefiningOp()) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return appendForwarded(branch);
    for (Value operand : op->getOperands())
      if (isa<ttg::MemDescType>(operand.getType()))
        worklist.push_back(operand);
    return;
  }
  auto argument = cast<BlockArgument>(view);
  Block *block = argument.getOwner();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(block->getParentOp()))
    return appendForwarded(branch);
  for (auto predecessor = block->pred_begin(); predecessor != block->pred_end(); ++predecessor) {
    auto branch = cast<BranchOpInterface>((*predecessor)->getTerminator());
    worklist.push_back(branch.getSuccessorOperands(predecessor.getSuccessorIndex())[argument.getArgNumber()]);
  }
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
    else
      appendSources(value, worklist);
  }
  return allocations;
}

static std::size_t bufferBytes(ttg::MemDescType type) {
  std::size_t elements = 1;
  for (int64_t extent : type.getShape())
    elements *= std::size_t(extent);
  return elements * std::max(1u, type.getElementTypeBitWidth() / 8);
}

namespace {

/// Program order of operations, with a loop's end after everything inside it.
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

/// The operation of `ancestor`'s block that holds `op`, or null.
static Operation *liftTo(Block *block, Operation *op) { return block->findAncestorOpInBlock(*op); }

/// Scratch of up to `ownScratchBytes` keeps its place for the whole function: what partial results of warps take is next
/// to nothing, and an operation whose scratch no other shares need not wait until the others have read theirs.
constexpr std::size_t ownScratchBytes = 256, allOwnScratchBytes = 1024;

Allocation::Allocation(FunctionOpInterface function, llvm::function_ref<std::size_t(CallOpInterface)> frameBytes) {
  ProgramOrder order(function);
  std::size_t ownBytes = 0;
  llvm::DenseMap<Operation *, std::size_t> pieceOf;
  function.walk([&](Operation *op) {
    SharedBuffer piece{op};
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
      piece.size = bufferBytes(alloc.getType());
      // Swizzles act on addresses, so that rows must start where the pattern does.
      piece.alignment = piece.size >= 1024 ? 1024 : 128;
    } else if (auto call = dyn_cast<CallOpInterface>(op)) {
      piece.size = frameBytes(call);
    } else {
      piece.size = getScratchBytes(op);
      piece.alignment = std::clamp<std::size_t>(llvm::PowerOf2Ceil(piece.size), 16, 128);
    }
    if (piece.size == 0)
      return;
    bool hasOwnPlace = !isa<ttg::LocalAllocOp, CallOpInterface>(op) && piece.size <= ownScratchBytes &&
                       ownBytes + piece.size <= allOwnScratchBytes;
    Operation *lifetime = hasOwnPlace ? function.getOperation() : op;
    if (hasOwnPlace)
      ownBytes += piece.size;
    piece.begin = order.begin[lifetime];
    piece.end = order.end[lifetime];
    pieceOf[op] = pieces.size();
    pieces.push_back(piece);
  });

  // A buffer lives until its last use. A use inside a loop that does not hold the allocation keeps it alive for the whole
  // loop, since the next iteration uses it again; so does passing it on from one iteration to the next.
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<ttg::MemDescType>(operand.getType()))
        continue;
      for (Operation *allocation : findAllocations(operand)) {
        SharedBuffer &piece = pieces[pieceOf[allocation]];
        Operation *lifted = liftTo(allocation->getBlock(), op);
        piece.end = std::max(piece.end, order.end[lifted ? lifted : op]);
        if (isa<RegionBranchTerminatorOpInterface>(op) && isa<LoopLikeOpInterface>(op->getParentOp())) {
          piece.begin = std::min(piece.begin, order.begin[op->getParentOp()]);
          piece.end = std::max(piece.end, order.end[op->getParentOp()]);
        }
      }
    }
  });

  // First fit, larger pieces first: a small problem where the simple way is within a few percent of the best. Functions
  // that are called count from 0, whoever calls them.
  auto isFrame = [&](std::size_t index) { return isa<CallOpInterface>(pieces[index].owner); };
  SmallVector<std::size_t> bySize = llvm::to_vector(llvm::seq<std::size_t>(0, pieces.size()));
  llvm::stable_sort(bySize, [&](std::size_t a, std::size_t b) {
    return std::pair(isFrame(a), pieces[a].size) > std::pair(isFrame(b), pieces[b].size);
  });
  SmallVector<std::size_t> placed;
  for (std::size_t index : bySize) {
    SharedBuffer &piece = pieces[index];
    SmallVector<std::pair<std::size_t, std::size_t>> taken;
    for (std::size_t other : placed)
      if (pieces[other].begin <= piece.end && piece.begin <= pieces[other].end)
        taken.push_back({pieces[other].offset, pieces[other].offset + pieces[other].size});
    llvm::sort(taken);
    std::size_t offset = 0;
    if (isFrame(index))
      taken.clear();
    for (auto [begin, end] : taken) {
      if (offset + piece.size <= begin)
        break;
      offset = std::max(offset, llvm::alignTo(end, piece.alignment));
    }
    piece.offset = offset;
    placed.push_back(index);
    total = std::max(total, offset + piece.size);
  }
}

} // namespace triton::analysis
