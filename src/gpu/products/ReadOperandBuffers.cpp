// Conversions of what a product reads from a buffer read that buffer, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LayoutCost.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/ir/Dialect.h"
#include "gpu/products/FirstUser.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUREADOPERANDBUFFERS
#include "gpu/products/Passes.h.inc"

namespace {

/// A buffer that holds what `conversion` converts, and that nothing overwrites; null where there is none in its block.
LocalAllocOp findBuffer(ConvertLayoutOp conversion) {
  for (Operation *user : conversion.getSrc().getUsers())
    if (auto buffer = dyn_cast<LocalAllocOp>(user))
      if (buffer->getBlock() == conversion->getBlock() && !buffer.getType().getMutableMemory())
        return buffer;
  return {};
}

/// Whether other blocks use the result of `op`: a read before the users of one need not come before those of another.
bool isUsedElsewhere(Operation *op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) { return !op->getBlock()->findAncestorOpInBlock(*user); });
}

struct TritonGPUReadOperandBuffers : impl::TritonGPUReadOperandBuffersBase<TritonGPUReadOperandBuffers>,
                                     base::OptionalPass {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp conversion) { conversions.push_back(conversion); });
    for (ConvertLayoutOp conversion : conversions)
      if (LocalAllocOp buffer = findBuffer(conversion); buffer && isCheaper(conversion, buffer, target->machine()))
        readBuffer(conversion, buffer);
  }

private:
  static bool isCheaper(ConvertLayoutOp conversion, LocalAllocOp buffer, const gpu::Machine &machine) {
    auto from = cast<RankedTensorType>(conversion.getSrc().getType()),
         to = cast<RankedTensorType>(conversion.getType());
    return analysis::getScratchBytes(conversion) != 0 &&
           analysis::bufferReadCost(to, buffer.getType(), machine) <
               analysis::conversionCost(from, from.getEncoding(), to.getEncoding(), machine);
  }

  /// The buffer is filled where the conversion was, if it comes later, and is read right before the first use. Not
  /// where it lives so long then that more shared memory is needed.
  static void readBuffer(ConvertLayoutOp conversion, LocalAllocOp buffer) {
    Operation *user = findFirstUser(conversion, *conversion->getBlock());
    if (!user || isUsedElsewhere(conversion))
      return;
    std::size_t bytes = analysis::countSharedBytes(conversion);
    Operation *next = buffer->getNextNode(); // A block ends with another operation.
    if (conversion->isBeforeInBlock(buffer))
      buffer->moveBefore(conversion);
    OpBuilder builder(user);
    auto read = LocalLoadOp::create(builder, conversion.getLoc(), conversion.getType(), buffer, Value());
    conversion.replaceAllUsesWith(read.getResult());
    Operation *after = conversion->getNextNode();
    conversion->remove();
    if (analysis::countSharedBytes(read) <= bytes)
      return conversion->destroy();
    after->getBlock()->getOperations().insert(Block::iterator(after), conversion);
    read.replaceAllUsesWith(conversion.getResult());
    read.erase();
    if (buffer->isBeforeInBlock(conversion))
      buffer->moveBefore(next);
  }
};

} // namespace

} // namespace triton::ttg
