#include "gpu/analysis/BufferAddress.h"

#include "analysis/AddressRange.h"
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace triton::analysis {

std::optional<BufferAddress> findBufferAddress(const AxisInfoAnalysis &axisInfo, Value pointers, Value mask) {
  std::optional<AddressRange> range = findAddressRange(axisInfo, pointers, mask);
  if (!range || !range->isSmall())
    return std::nullopt;
  BufferAddress address;
  address.needsMask = range->needsMask;
  if (auto add = pointers.getDefiningOp<tt::AddPtrOp>()) {
    address.offsets = add.getOffset();
    pointers = add.getPtr();
  }
  auto splat = pointers.getDefiningOp<tt::SplatOp>();
  if (!splat)
    return std::nullopt;
  address.base = splat.getSrc();
  return address;
}

/// Adds the values from which a block's argument comes; false if they are not known.
static bool addSources(BlockArgument argument, llvm::SetVector<Value> &values) {
  Block *block = argument.getOwner();
  if (auto function = dyn_cast<FunctionOpInterface>(block->getParentOp()); function && block->isEntryBlock())
    return function.isPublic();
  for (auto predecessor = block->pred_begin(); predecessor != block->pred_end(); ++predecessor) {
    auto branch = dyn_cast<BranchOpInterface>((*predecessor)->getTerminator());
    if (!branch)
      return false;
    Value operand = branch.getSuccessorOperands(predecessor.getSuccessorIndex())[argument.getArgNumber()];
    if (!operand)
      return false;
    values.insert(operand);
    if (auto conditional = dyn_cast<cf::CondBranchOp>(branch.getOperation()))
      values.insert(conditional.getCondition());
  }
  return !block->hasNoPredecessors();
}

bool isPlainlyUniform(Value scalar) {
  constexpr unsigned mostValues = 64;
  llvm::SetVector<Value> values;
  values.insert(scalar);
  for (unsigned index = 0; index < values.size(); ++index) {
    Value value = values[index];
    if (index == mostValues || isa<RankedTensorType>(value.getType()))
      return false;
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (!addSources(cast<BlockArgument>(value), values))
        return false;
      continue;
    }
    bool isArithmetic = isa_and_nonnull<arith::ArithDialect>(op->getDialect()) || isa<tt::AddPtrOp, tt::BitcastOp>(op);
    if (!isArithmetic && !isa<tt::GetProgramIdOp, tt::GetNumProgramsOp>(op))
      return false;
    values.insert_range(op->getOperands());
  }
  return true;
}

} // namespace triton::analysis
