#include "gpu/analysis/LiveRegisters.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace triton::ttg {

constexpr unsigned bitsOfRegister = 32;

unsigned countRegisters(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return 1;
  unsigned bits = toLinearLayout(type).inputSize("register") * type.getElementTypeBitWidth();
  return llvm::divideCeil(bits, bitsOfRegister);
}

unsigned countUnsharedRegisters(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return toLinearLayout(type).inputSize("register") *
         unsigned(llvm::divideCeil(type.getElementTypeBitWidth(), bitsOfRegister));
}

unsigned countRegistersOfData(Value value) {
  if (matchPattern(value, m_Constant()) || value.getDefiningOp<tt::SplatOp>())
    return 0;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isData = type && (isa<FloatType>(type.getElementType()) || value.getDefiningOp<tt::LoadOp>());
  return isData ? countRegisters(value) : 0;
}

/// Walks from the end of a block to its start.
class LiveData {
public:
  explicit LiveData(Block &block) : block(block) {
    for (Operation &op : block) // what comes from outside lives all the time
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!block.getParent()->isAncestor(operand.getParentRegion()))
            add(operand);
      });
  }

  unsigned registers() const { return now; }

  /// The most that is live at `op`, after which nothing has been visited but what follows.
  unsigned visit(Operation &op) {
    unsigned most = now;
    for (Value result : op.getResults()) {
      add(result); // also where nothing uses it
      most = std::max(most, now);
      live.erase(result);
      now -= countRegistersOfData(result);
    }
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block)
          add(operand);
    });
    return std::max(most, now);
  }

private:
  void add(Value value) {
    if (live.insert(value).second)
      now += countRegistersOfData(value);
  }

  Block &block;
  llvm::DenseSet<Value> live;
  unsigned now = 0;
};

unsigned countLiveRegisters(Block &block) {
  LiveData data(block);
  unsigned most = data.registers();
  for (Operation &op : llvm::reverse(block))
    most = std::max(most, data.visit(op));
  return most;
}

void forEachLiveCount(Block &block, llvm::function_ref<void(Operation *, unsigned)> handle) {
  LiveData data(block);
  for (Operation &op : llvm::reverse(block)) {
    handle(&op, data.registers());
    data.visit(op);
  }
}

} // namespace triton::ttg
