#include "analysis/ControlSlice.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::analysis {

ControlSlice::ControlSlice(tt::FuncOp function, llvm::ArrayRef<Operation *> targets,
                           llvm::function_ref<bool(Operation *)> mayRepeat)
    : function(function), mayRepeat(mayRepeat) {
  if (!function.getBody().hasOneBlock())
    refuse(function, "its control flow is not structured");
  for (Operation *target : targets) {
    operations.insert(target);
    addAncestors(target);
    for (Value operand : target->getOperands())
      add(operand);
  }
  while (!refused && !open.empty())
    follow(open.pop_back_val());
}

void ControlSlice::refuse(Operation *op, llvm::StringRef text) {
  if (refused)
    return;
  refused = op;
  why = text;
}

void ControlSlice::add(Value value) {
  if (values.insert(value).second)
    open.push_back(value);
}

/// The structure around `op`, with what decides about it.
void ControlSlice::addAncestors(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent != function; parent = parent->getParentOp()) {
    if (!isa<scf::ForOp, scf::IfOp>(parent))
      return refuse(parent, "it is neither a counted loop nor a branch");
    if (!operations.insert(parent).second)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        add(bound);
    } else {
      add(cast<scf::IfOp>(parent).getCondition());
    }
  }
}

void ControlSlice::addOperation(Operation *op) {
  if (!operations.insert(op).second)
    return;
  addAncestors(op);
  if (op->getNumRegions() != 0)
    return refuse(op, "it contains other operations");
  if (llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }))
    return refuse(op, "it computes a tensor");
  if (!isMemoryEffectFree(op) && !mayRepeat(op))
    return refuse(op, "it must not run twice");
  for (Value operand : op->getOperands())
    add(operand);
}

void ControlSlice::addCarried(Operation *op, unsigned index) {
  auto loop = cast<scf::ForOp>(op);
  operations.insert(loop);
  addAncestors(loop);
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    add(bound);
  add(loop.getResult(index));
  add(loop.getRegionIterArg(index));
  add(loop.getInitArgs()[index]);
  add(loop.getYieldedValues()[index]);
}

void ControlSlice::follow(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return refuse(value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp(),
                  "it computes a tensor");
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument != loop.getInductionVar())
      addCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (isa<scf::ForOp>(op))
    return addCarried(op, index);
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return addOperation(op);
  operations.insert(branch);
  addAncestors(branch);
  add(branch.getCondition());
  add(branch.thenYield().getOperand(index));
  add(branch.elseYield().getOperand(index));
}

} // namespace triton::analysis
