// Makes what threads write to shared memory visible to matrix units and bulk copies, see Passes.td.
#include "gpu/analysis/Allocation.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/memory/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUFENCEASYNCPROXY
#include "gpu/memory/Passes.h.inc"

namespace {

struct TritonGPUFenceAsyncProxy : impl::TritonGPUFenceAsyncProxyBase<TritonGPUFenceAsyncProxy> {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](FunctionOpInterface function) { fence(function); });
  }

private:
  static void fence(FunctionOpInterface function) {
    llvm::DenseSet<Operation *> read; // allocations
    function.walk([&](WarpGroupDotOp dot) {
      for (Value operand : {Value(dot.getA()), Value(dot.getB())})
        if (isa<MemDescType>(operand.getType()))
          read.insert_range(analysis::findAllocations(operand));
    });
    function.walk([&](Operation *op) { // what has to do with tensor memory
      if (isa<foreign::TCGen5MMAOp, foreign::TCGen5MMAScaledOp, foreign::TMEMCopyOp, foreign::CLCTryCancelOp>(op)) {
        SmallVector<BufferAccess> accesses;
        cast<SharedMemoryOpInterface>(op).getBufferAccesses(accesses);
        for (const BufferAccess &access : accesses)
          read.insert_range(analysis::findAllocations(access.buffer));
      }
    });
    function.walk([&](AsyncMappedStoreOp store) { read.insert_range(analysis::findAllocations(store.getSrc())); });
    function.walk([&](AsyncMappedLoadOp load) { // What a copy replaces must have been written before.
      if (load.getByFirst())
        read.insert_range(analysis::findAllocations(load.getDst()));
    });
    if (read.empty())
      return;
    SmallVector<Operation *> writers;
    function.walk([&](Operation *op) {
      if (writes(op, read))
        writers.push_back(op);
    });
    for (Operation *writer : writers) {
      OpBuilder builder(writer->getContext());
      builder.setInsertionPointAfter(writer);
      FenceAsyncSharedOp::create(builder, writer->getLoc());
    }
  }

  /// Whether threads write one of `buffers` from their registers. What asynchronous copies write does not need a fence,
  /// and the fence would wait for all copies in flight.
  static bool writes(Operation *op, const llvm::DenseSet<Operation *> &buffers) {
    SmallVector<BufferAccess> accesses;
    if (auto interface = dyn_cast<SharedMemoryOpInterface>(op))
      interface.getBufferAccesses(accesses);
    return llvm::any_of(accesses, [&](const BufferAccess &access) {
      return access.isWrite && !access.isAsynchronous &&
             llvm::any_of(analysis::findAllocations(access.buffer),
                          [&](Operation *buffer) { return buffers.contains(buffer); });
    });
  }
};

} // namespace

} // namespace triton::ttg
