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

static unsigned countRegistersOfData(Value value) {
  if (matchPattern(value, m_Constant()) || value.getDefiningOp<tt::SplatOp>())
    return 0;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isData = type && (isa<FloatType>(type.getElementType()) || value.getDefiningOp<tt::LoadOp>());
  return isData ? countRegisters(value) : 0;
}

unsigned countLiveRegisters(Block &block) {
  llvm::DenseSet<Value> live;
  unsigned now = 0;
  auto add = [&](Value value) {
    if (live.insert(value).second)
      now += countRegistersOfData(value);
  };
  for (Operation &op : block) // what comes from outside lives all the time
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!block.getParent()->isAncestor(operand.getParentRegion()))
          add(operand);
    });
  unsigned most = now;
  for (Operation &op : llvm::reverse(block)) {
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
    most = std::max(most, now);
  }
  return most;
}

} // namespace triton::ttg
