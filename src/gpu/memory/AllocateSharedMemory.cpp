// Places buffers and scratch in shared memory, see Passes.td.
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/ConversionPlan.h"
#include "gpu/ir/Dialect.h"
#include "gpu/memory/Passes.h"
#include "gpu/target/TargetInfo.h"

#include <map>

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "gpu/memory/Passes.h.inc"

namespace {

struct AllocateSharedMemory : impl::AllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    const gpu::TargetInfo *target = gpu::findTarget(getOperation());
    if (!target)
      return signalPassFailure();
    std::size_t most = allocateAll();
    // Programs that should share a multiprocessor do if conversions alone are in the way.
    auto half = std::size_t(Budget(target->machine(), getNumWarps(getOperation())).sharedBytesOfHalf());
    bool shares = getResidentPrograms(getOperation()) > 1 && most - largestScratch() < half;
    while (most > (shares ? half : target->machine().sharedBytes) && splitLargestConversions())
      most = allocateAll();
    // Programs that cannot share a multiprocessor need not do with the registers of half of one.
    if (most > half)
      getOperation()->removeAttr(residentProgramsAttribute);
    if (most > target->machine().sharedBytes) {
      sharesScratch = true;
      most = allocateAll();
    }
    OpBuilder builder(&getContext());
    getOperation()->setAttr(sharedBytesAttribute, builder.getI32IntegerAttr(int32_t(most)));
  }

private:
  llvm::DenseMap<Operation *, std::size_t> bytes;
  bool sharesScratch = false; ///< at the price of barriers, little scratch has no place of its own

  /// The memory of the function that uses the most.
  std::size_t allocateAll() {
    bytes.clear();
    std::size_t most = 0;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      most = std::max(most, allocate(function));
    return most;
  }

  /// Of all conversions.
  std::size_t largestScratch() {
    std::size_t largest = 0;
    getOperation().walk(
        [&](ConvertLayoutOp op) { largest = std::max(largest, analysis::planConversion(op).scratchBytes); });
    return largest;
  }

  /// Doubles the rounds of those conversions with the largest scratch that can take more rounds. False when there are
  /// none.
  bool splitLargestConversions() {
    std::map<std::size_t, SmallVector<ConvertLayoutOp>, std::greater<>> conversions; // by bytes of scratch
    getOperation().walk([&](ConvertLayoutOp op) {
      if (std::size_t scratch = analysis::planConversion(op).scratchBytes)
        conversions[scratch].push_back(op);
    });
    return llvm::any_of(conversions,
                        [](const auto &entry) { return llvm::count_if(entry.second, analysis::doubleRounds) != 0; });
  }

  /// The memory that `function` and the functions that it calls use. Functions do not call themselves.
  std::size_t allocate(FunctionOpInterface function) {
    if (auto known = bytes.find(function); known != bytes.end())
      return known->second;
    auto frameBytes = [&](CallOpInterface call) {
      auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
      return callee ? allocate(callee) : 0;
    };
    analysis::Allocation allocation(function, frameBytes, sharesScratch);
    OpBuilder builder(&getContext());
    for (const analysis::SharedBuffer &buffer : allocation.buffers())
      buffer.owner->setAttr(allocationOffsetAttribute, builder.getI32IntegerAttr(int32_t(buffer.offset)));
    return bytes[function] = allocation.totalBytes();
  }
};

} // namespace

} // namespace triton::ttg
