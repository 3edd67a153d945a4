#include "analysis/Allocation.h"

#include "analysis/Scratch.h"
#include "ir/gpu/Dialect.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::analysis {

/// The values that `view` may be the same as, one step up: operands of views, initial and yielded values of loops.
static void appendSources(Value view, SmallVectorImpl<Value> &worklist) {
  if (Operation *op = view.getDefiningOp()) {
    if (isa<ttg::MemDescIndexOp, ttg::MemDescTransOp>(op)) {
      worklist.push_back(op->getOperand(0));
    } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      auto index = cast<OpResult>(view).getResultNumber();
      worklist.push_back(loop.getInits()[index]);
      if (auto yielded = loop.getYieldedValuesMutable())
        worklist.push_back((*yielded)[index].get());
    } else if (isa<RegionBranchOpInterface>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          worklist.push_back(region.front().getTerminator()->getOperand(cast<OpResult>(view).getResultNumber()));
    }
    return;
  }
  auto argument = cast<BlockArgument>(view);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp()))
    if (OpOperand *init = loop.getTiedLoopInit(argument)) {
      worklist.push_back(init->get());
      if (OpOperand *yielded = loop.getTiedLoopYieldedValue(argument))
        worklist.push_back(yielded->get());
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

Allocation::Allocation(FunctionOpInterface function) {
  ProgramOrder order(function);
  llvm::DenseMap<Operation *, std::size_t> pieceOf;
  function.walk([&](Operation *op) {
    SharedBuffer piece{op};
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
      piece.size = bufferBytes(alloc.getType());
      // Swizzles act on addresses, so that rows must start where the pattern does.
      piece.alignment = piece.size >= 1024 ? 1024 : 128;
    } else {
      piece.size = getScratchBytes(op);
      piece.alignment = 128;
    }
    if (piece.size == 0)
      return;
    piece.begin = order.begin[op];
    piece.end = order.end[op];
    pieceOf[op] = pieces.size();
    pieces.push_back(piece);
  });

  // A buffer lives until its last use. A use inside a loop that does not hold the allocation keeps it alive for the whole
  // loop, since the next iteration uses it again.
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<ttg::MemDescType>(operand.getType()))
        continue;
      for (Operation *allocation : findAllocations(operand)) {
        SharedBuffer &piece = pieces[pieceOf[allocation]];
        Operation *lifted = liftTo(allocation->getBlock(), op);
        piece.end = std::max(piece.end, order.end[lifted ? lifted : op]);
      }
    }
  });

  // First fit, larger pieces first: a small problem where the simple way is within a few percent of the best.
  SmallVector<std::size_t> bySize = llvm::to_vector(llvm::seq<std::size_t>(0, pieces.size()));
  llvm::stable_sort(bySize, [&](std::size_t a, std::size_t b) { return pieces[a].size > pieces[b].size; });
  SmallVector<std::size_t> placed;
  for (std::size_t index : bySize) {
    SharedBuffer &piece = pieces[index];
    SmallVector<std::pair<std::size_t, std::size_t>> taken;
    for (std::size_t other : placed)
      if (pieces[other].begin <= piece.end && piece.begin <= pieces[other].end)
        taken.push_back({pieces[other].offset, pieces[other].offset + pieces[other].size});
    llvm::sort(taken);
    std::size_t offset = 0;
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
