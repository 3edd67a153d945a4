#include "gpu/analysis/EqualValues.h"

#include "gpu/ir/Dialect.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace triton::analysis {

EqualValues::EqualValues(Operation *function) {
  // Operations follow those whose results they use.
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { add(op); });
}

void EqualValues::add(Operation *op) {
  if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op)) {
    firsts[conversion.getResult()] = firstOf(conversion.getSrc());
    return;
  }
  if (op->getNumResults() == 0 || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return;
  auto &others = byHash[std::size_t(hash(op))];
  auto *equal = llvm::find_if(others, [&](Operation *other) { return areEqual(op, other); });
  if (equal == others.end())
    return others.push_back(op);
  for (auto [result, first] : llvm::zip_equal(op->getResults(), (*equal)->getResults()))
    firsts[result] = first;
}

llvm::hash_code EqualValues::hash(Operation *op) const {
  return OperationEquivalence::computeHash(
      op, [&](Value operand) { return llvm::hash_value(firstOf(operand).getAsOpaquePointer()); },
      OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
}

bool EqualValues::areEqual(Operation *left, Operation *right) const {
  return OperationEquivalence::isEquivalentTo(
      left, right, [&](Value a, Value b) { return success(firstOf(a) == firstOf(b)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

} // namespace triton::analysis
