#include "ir/CombinationOrder.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::tt {

namespace {

/// Compares the values of a combination with those of the same combination whose sides have changed places.
class MirroredValues {
public:
  explicit MirroredValues(Block &block) : block(block) {}

  /// Whether `left` is what `right` becomes when the sides change places.
  bool areMirrored(Value left, Value right) {
    auto [known, isNew] = mirrored.try_emplace({left, right}, false);
    if (!isNew)
      return known->second;
    bool result = compare(left, right);
    mirrored[{left, right}] = result;
    return result;
  }

private:
  bool compare(Value left, Value right) {
    if (left.getParentBlock() != &block)
      return left == right;
    if (auto argument = dyn_cast<BlockArgument>(left)) {
      unsigned count = block.getNumArguments(), other = (argument.getArgNumber() + count / 2) % count;
      return right == block.getArgument(other);
    }
    Operation *one = left.getDefiningOp(), *two = right.getDefiningOp();
    if (!two || two->getBlock() != &block || one->getNumRegions() != 0 || !isMemoryEffectFree(one) ||
        one->getName() != two->getName() || one->getAttrDictionary() != two->getAttrDictionary() ||
        one->getNumOperands() != two->getNumOperands() || left.getType() != right.getType() ||
        cast<OpResult>(left).getResultNumber() != cast<OpResult>(right).getResultNumber())
      return false;
    auto areAll = [&](ValueRange lefts, auto &&rights) {
      return llvm::all_of(llvm::zip_equal(lefts, rights),
                          [&](auto pair) { return areMirrored(std::get<0>(pair), std::get<1>(pair)); });
    };
    if (areAll(one->getOperands(), two->getOperands()))
      return true;
    return one->hasTrait<OpTrait::IsCommutative>() && one->getNumOperands() == 2 &&
           areAll(one->getOperands(), llvm::reverse(two->getOperands()));
  }

  Block &block;
  llvm::DenseMap<std::pair<Value, Value>, bool> mirrored;
};

} // namespace

/// The code of the combination. Before calls are inlined, that is the body of the function which the region calls.
static Block &findCode(Region &combination) {
  Block &block = combination.front();
  auto call = dyn_cast<CallOp>(block.front());
  if (!call || call.getOperands() != ValueRange(block.getArguments()) ||
      block.getTerminator()->getOperands() != ValueRange(call.getResults()))
    return block;
  auto callee = SymbolTable::lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr());
  return callee && callee.getBody().hasOneBlock() ? callee.getBody().front() : block;
}

bool isCommutative(Region &combination) {
  Block &block = findCode(combination);
  MirroredValues values(block);
  return llvm::all_of(block.getTerminator()->getOperands(),
                      [&](Value value) { return values.areMirrored(value, value); });
}

bool keepsOrder(ReduceOp op) { return !op->hasAttr(anyOrderAttribute) && !isCommutative(op.getCombineOp()); }

} // namespace triton::tt
