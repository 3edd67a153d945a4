#include "analysis/StoredLanes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton::tt;

namespace triton::analysis {

namespace {

/// Follows the elements from a block to stores.
class ElementTracer {
public:
  ElementTracer(const IndexPolynomial &end, BlockIndices &indices) : end(end), indices(indices) {}

  bool run(Value block, unsigned axis) {
    add(block, axis);
    while (!open.empty()) {
      auto [value, dimension] = open.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (!follow(use, dimension))
          return false;
    }
    return true;
  }

private:
  bool add(Value value, unsigned axis) {
    if (seen.insert({value, axis}).second)
      open.push_back({value, axis});
    return true;
  }

  /// Adds what has elements that depend on those of the operand along this axis; false where others do as well.
  bool follow(OpOperand &use, unsigned axis) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](DotOp dot) {
          if (dot.getType().getRank() != 2 || (number < 2 && axis != number))
            return false;
          return add(dot.getResult(), axis);
        })
        .Case([&](TransOp transposed) {
          return add(transposed.getResult(),
                     unsigned(llvm::find(transposed.getOrder(), int32_t(axis)) - transposed.getOrder().begin()));
        })
        .Case([&](ExpandDimsOp expansion) {
          return add(expansion.getResult(), axis < expansion.getAxis() ? axis : axis + 1);
        })
        .Case([&](BroadcastOp broadcast) { return add(broadcast.getResult(), axis); })
        .Case([&](scf::ForOp loop) {
          unsigned first = loop.getNumControlOperands();
          if (number < first)
            return false;
          return add(loop.getRegionIterArg(number - first), axis) && add(loop.getResult(number - first), axis);
        })
        .Case([&](scf::YieldOp yield) { return followYield(yield, number, axis); })
        .Case([&](StoreOp store) {
          return use.get() == store.getValue() && use.get() != store.getMask() && isMasked(store.getMask(), axis);
        })
        .Case([&](AtomicRMWOp atomic) {
          return use.get() == atomic.getVal() && use.get() != atomic.getMask() && atomic->use_empty() &&
                 isMasked(atomic.getMask(), axis);
        })
        .Default([&](Operation *other) {
          if (!other->hasTrait<OpTrait::Elementwise>() || !isPure(other))
            return false;
          return llvm::all_of(other->getResults(), [&](Value result) { return add(result, axis); });
        });
  }

  bool followYield(scf::YieldOp yield, unsigned number, unsigned axis) {
    Operation *parent = yield->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return add(loop.getRegionIterArg(number), axis) && add(loop.getResult(number), axis);
    return isa<scf::IfOp>(parent) && add(parent->getResult(number), axis);
  }

  bool isMasked(Value mask, unsigned axis) {
    SmallVector<BlockIndices::Bound> bounds;
    if (mask)
      indices.findBounds(mask, bounds); // Whatever else a mask excludes does not matter.
    return llvm::any_of(bounds, [&](const BlockIndices::Bound &bound) {
      return bound.isEnd && bound.axis == axis && bound.value == end;
    });
  }

  const IndexPolynomial &end;
  BlockIndices &indices;
  llvm::DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, unsigned>> open;
};

} // namespace

bool ignoresFrom(Value block, unsigned axis, const IndexPolynomial &end, BlockIndices &indices) {
  return ElementTracer(end, indices).run(block, axis);
}

} // namespace triton::analysis
