// Places buffers and scratch in shared memory, see Passes.td.
#include "gpu/analysis/Allocation.h"
#include "gpu/ir/Dialect.h"
#include "gpu/passes/Passes.h"
#include "gpu/target/TargetInfo.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "gpu/passes/Passes.h.inc"

namespace {

struct AllocateSharedMemory : impl::AllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    bytes.clear();
    std::size_t most = 0;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      most = std::max(most, allocate(function));
    OpBuilder builder(&getContext());
    getOperation()->setAttr(sharedBytesAttribute, builder.getI32IntegerAttr(int32_t(most)));
  }

private:
  llvm::DenseMap<Operation *, std::size_t> bytes;

  /// What `function` and those that it calls use. Functions do not call themselves.
  std::size_t allocate(FunctionOpInterface function) {
    if (auto known = bytes.find(function); known != bytes.end())
      return known->second;
    analysis::Allocation allocation(function, [&](CallOpInterface call) {
      auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
      return callee ? allocate(callee) : 0;
    });
    OpBuilder builder(&getContext());
    for (const analysis::SharedBuffer &buffer : allocation.buffers())
      buffer.owner->setAttr(allocationOffsetAttribute, builder.getI32IntegerAttr(int32_t(buffer.offset)));
    return bytes[function] = allocation.totalBytes();
  }
};

} // namespace

} // namespace triton::ttg
