// Places buffers and scratch in shared memory, see Passes.td.
#include "analysis/Allocation.h"
#include "ir/gpu/Dialect.h"
#include "passes/ttg/Passes.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "passes/ttg/Passes.h.inc"

namespace {

struct AllocateSharedMemory : impl::AllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module.getContext());
    std::size_t bytes = 0;
    module.walk([&](FunctionOpInterface function) {
      analysis::Allocation allocation(function);
      for (const analysis::SharedBuffer &buffer : allocation.buffers())
        buffer.owner->setAttr(allocationOffsetAttribute, builder.getI32IntegerAttr(int32_t(buffer.offset)));
      bytes = std::max(bytes, allocation.totalBytes());
    });
    module->setAttr(sharedBytesAttribute, builder.getI32IntegerAttr(int32_t(bytes)));
  }
};

} // namespace

} // namespace triton::ttg
