#include "gpu/copies/PartitionBodies.h"
#include "gpu/analysis/Scratch.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

namespace {

class Comparison {
public:
  bool matches(Region &first, Region &second) {
    return llvm::equal(first, second, [&](Block &left, Block &right) { return matches(left, right); });
  }

  SmallVector<ConstantPair> different;

private:
  bool matches(Block &first, Block &second) {
    if (first.getArgumentTypes() != second.getArgumentTypes())
      return false;
    values.map(first.getArguments(), second.getArguments());
    return llvm::equal(first, second, [&](Operation &left, Operation &right) { return matches(left, right); });
  }

  bool matches(Operation &first, Operation &second) {
    auto isSame = [&](Value left, Value right) { return values.lookupOrDefault(left) == right; };
    if (first.getName() != second.getName() || first.getResultTypes() != second.getResultTypes() ||
        !llvm::equal(first.getOperands(), second.getOperands(), isSame) || first.getNumSuccessors() != 0 ||
        !haveSameAttributes(first, second))
      return false;
    values.map(first.getResults(), second.getResults());
    return llvm::equal(first.getRegions(), second.getRegions(),
                       [&](Region &left, Region &right) { return matches(left, right); });
  }

  bool haveSameAttributes(Operation &first, Operation &second) {
    if (first.getAttrDictionary() == second.getAttrDictionary())
      return true;
    ConstantPair pair(dyn_cast<arith::ConstantOp>(first), dyn_cast<arith::ConstantOp>(second));
    if (!pair.first || !pair.first.getType().isSignlessInteger())
      return false;
    different.push_back(pair);
    return true;
  }

  IRMapping values;
};

/// Whether two groups of warps may run it at the same time.
bool isOwnOfGroup(Operation *op) {
  return !isa<LocalAllocOp, CallOpInterface>(op) && analysis::getScratchBytes(op) == 0;
}

} // namespace

std::optional<SmallVector<ConstantPair>> findDifferentConstants(Region &first, Region &second) {
  Comparison comparison;
  if (!comparison.matches(first, second))
    return std::nullopt;
  return std::move(comparison.different);
}

bool canShareCode(WarpSpecializeOp op) {
  unsigned warps = getNumWarps(op);
  if (op.getPartitionWarps().empty() || unsigned(op.getPartitionWarps().front()) != warps ||
      warps % warpsOfGroup != 0 || !llvm::isPowerOf2_32(warps) || op.getNumResults() != 0 ||
      !isa<tt::FuncOp>(op->getParentOp()) || !isa<tt::ReturnOp>(op->getNextNode()))
    return false;
  return !op.getDefaultRegion()
              .walk([](Operation *inner) {
                return isOwnOfGroup(inner) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

} // namespace triton::ttg
