// Places buffers in tensor memory, see Passes.td.
#include "base/UserErrors.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/ir/TensorMemoryPlaces.h"
#include "gpu/memory/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUPLACETENSORMEMORY
#include "gpu/memory/Passes.h.inc"

namespace {

using foreign::OfBlackwell;
using foreign::TCGen5MMAOp;
using foreign::TCGen5MMAScaledOp;
using foreign::TMEMAllocOp;
using foreign::TMEMCopyOp;
using foreign::TMEMLoadOp;
using foreign::TMEMPlaceOp;
using foreign::TMEMReleaseOp;
using foreign::TMEMReserveOp;
using foreign::TMEMStoreOp;

/// The warps that come to an operation together.
struct Party {
  Region *region;
  unsigned warps;
};

Party partyOf(Operation *op) {
  Region *region = op->getParentRegion();
  while (!isa<tt::FuncOp, WarpSpecializeOp>(region->getParentOp()))
    region = region->getParentOp()->getParentRegion();
  unsigned warps = getNumWarps(op);
  if (auto parts = dyn_cast<WarpSpecializeOp>(region->getParentOp()))
    for (auto [index, partition] : llvm::enumerate(parts.getPartitions()))
      if (&partition == region)
        warps = unsigned(parts.getPartitionWarps()[index]);
  return {region, warps};
}

bool isTransfer(Operation *op) {
  auto alloc = dyn_cast<TMEMAllocOp>(op);
  return isa<TMEMLoadOp, TMEMStoreOp>(op) || (alloc && alloc.getSrc());
}

/// Whether one thread starts the operation, without a meeting of its own before.
bool startsAsynchronously(Operation *op) {
  auto product = dyn_cast<TCGen5MMAOp>(op);
  auto scaled = dyn_cast<TCGen5MMAScaledOp>(op);
  return isa<TMEMCopyOp>(op) || (product && product.getIsAsync()) || (scaled && scaled.getIsAsync());
}

/// Threads meet before the unit reads or writes what they have moved. Of more than four warps several reach the same
/// lanes, so that they also meet between stores and loads.
void orderTransfers(tt::FuncOp function) {
  llvm::DenseMap<Region *, unsigned> parties; // those with transfers
  SmallVector<Operation *> found;
  function.walk([&](Operation *op) {
    if (isTransfer(op)) {
      Party party = partyOf(op);
      parties[party.region] = party.warps;
    }
    if (isTransfer(op) || startsAsynchronously(op))
      found.push_back(op);
  });
  constexpr unsigned warpsOfLanes = 4;
  for (Operation *op : found) {
    auto party = parties.find(partyOf(op).region);
    if (party == parties.end() || (isTransfer(op) && party->second <= warpsOfLanes))
      continue;
    OpBuilder builder(op);
    BarrierOp::create(builder, op->getLoc(), /*allWarps=*/false, /*stays=*/true);
  }
}

/// A product for which no barrier is named gets one, and the program waits there.
template <typename Product> void waitForProduct(Product op) {
  OpBuilder builder(op);
  Location location = op.getLoc();
  Attribute layout =
      SwizzledSharedEncodingAttr::get(op.getContext(), 1, 1, 1, llvm::ArrayRef<unsigned>{0}, llvm::ArrayRef<int32_t>());
  auto type = MemDescType::get(op.getContext(), {1}, builder.getI64Type(), layout,
                               SharedMemorySpaceAttr::get(op.getContext()), true);
  Value barrier = LocalAllocOp::create(builder, location, type, Value());
  InitBarrierOp::create(builder, location, barrier, 1, /*manual=*/true);
  BarrierOp::create(builder, location, /*allWarps=*/false, /*stays=*/true);
  op.getBarriersMutable().append(barrier);
  op.getBarrierConditionsMutable().append(op.getCondition());
  op.setIsAsync(true);
  builder.setInsertionPointAfter(op);
  Value never = arith::ConstantIntOp::create(builder, location, 1, 1);
  // Where the product does not run, the phase before the first one is waited for, which has ended.
  Value skips = arith::XOrIOp::create(builder, location, op.getCondition(), never);
  Value parity = arith::ExtUIOp::create(builder, location, builder.getI32Type(), skips);
  WaitBarrierOp::create(builder, location, barrier, parity);
  BarrierOp::create(builder, location, /*allWarps=*/false, /*stays=*/true);
  InvalidateBarrierOp::create(builder, location, barrier);
}

/// The unit reads buffers until the program knows by a barrier that it has, which no operation on them says.
void keepFactors(tt::FuncOp function) {
  llvm::SetVector<Operation *> read;
  function.walk([&](Operation *op) {
    if (isa<TCGen5MMAOp, TCGen5MMAScaledOp, TMEMCopyOp>(op))
      for (Value operand : op->getOperands())
        if (isa<MemDescType>(operand.getType()) && !isInTensorMemory(operand.getType()))
          read.insert_range(analysis::findAllocations(operand));
  });
  for (Operation *buffer : read) {
    OpBuilder builder(buffer->getBlock()->getTerminator());
    LocalDeallocOp::create(builder, buffer->getLoc(), buffer->getResult(0));
  }
}

class Placement {
public:
  explicit Placement(tt::FuncOp function) : function(function), builder(function.getContext()) {
    function.walk([&](TMEMAllocOp alloc) { allocs.push_back(alloc); });
  }

  LogicalResult run() {
    if (allocs.empty())
      return success();
    SmallVector<unsigned> columns;
    uint64_t total = 0;
    for (TMEMAllocOp alloc : allocs) {
      if (function.isPrivate()) // The program reserves columns once, and may reserve no more then.
        return alloc.emitError() << base::wrongKernelPrefix
                                 << "a function that is not inlined cannot allocate tensor memory, which the kernel "
                                    "reserves at its start; allocate it in the kernel";
      if (countBlocks(alloc.getResult().getType().getEncoding()) != 1)
        return alloc.emitError() << base::unsupportedPrefix << "GPUs yet: " << alloc.getResult().getType()
                                 << ", of which several blocks of a cluster have parts";
      columns.push_back(unsigned(total));
      total += countTensorMemoryColumns(alloc.getResult().getType());
    }
    if (total > tensorMemoryColumns)
      return allocs.back().emitError() << base::unsupportedPrefix << "GPUs: the buffers of the kernel take " << total
                                       << " columns of tensor memory, and a program has " << tensorMemoryColumns
                                       << "; allocate smaller ones, or use one again by its `reinterpret`";
    constexpr unsigned fewest = 32;
    auto reserved = std::max(fewest, unsigned(llvm::PowerOf2Ceil(total)));
    builder.setInsertionPointToStart(&function.getBody().front());
    Value address = TMEMReserveOp::create(builder, function.getLoc(), reserved);
    for (auto [alloc, column] : llvm::zip_equal(allocs, columns))
      replace(alloc, address, column);
    function.walk([&](tt::ReturnOp end) {
      builder.setInsertionPoint(end);
      TMEMReleaseOp::create(builder, end.getLoc(), address, reserved);
    });
    return success();
  }

private:
  void replace(TMEMAllocOp alloc, Value address, unsigned column) {
    builder.setInsertionPoint(alloc);
    MemDescType type = alloc.getResult().getType();
    auto token = alloc.getToken() ? Type(AsyncTokenType::get(type.getContext())) : Type();
    if (alloc.getSrc()) {
      auto written = MemDescType::get(type.getContext(), type.getShape(), type.getElementType(), type.getEncoding(),
                                      type.getMemorySpace(), true);
      auto place = TMEMPlaceOp::create(builder, alloc.getLoc(), written, Type(), address, column);
      Value always = arith::ConstantIntOp::create(builder, alloc.getLoc(), 1, 1);
      TMEMStoreOp::create(builder, alloc.getLoc(), Type(), alloc.getSrc(), place.getResult(), Value(), always);
    }
    alloc->replaceAllUsesWith(TMEMPlaceOp::create(builder, alloc.getLoc(), type, token, address, column));
    alloc.erase();
  }

  tt::FuncOp function;
  OpBuilder builder;
  SmallVector<TMEMAllocOp> allocs;
};

struct TritonGPUPlaceTensorMemory : impl::TritonGPUPlaceTensorMemoryBase<TritonGPUPlaceTensorMemory> {
  void runOnOperation() override {
    WalkResult uses = getOperation().walk(
        [](Operation *op) { return op->hasTrait<OfBlackwell>() ? WalkResult::interrupt() : WalkResult::advance(); });
    if (!uses.wasInterrupted())
      return markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal())
        continue;
      orderTransfers(function);
      function.walk([](Operation *op) {
        if (auto product = dyn_cast<TCGen5MMAOp>(op); product && !product.getIsAsync())
          waitForProduct(product);
        else if (auto scaled = dyn_cast<TCGen5MMAScaledOp>(op); scaled && !scaled.getIsAsync())
          waitForProduct(scaled);
      });
      keepFactors(function);
      if (failed(Placement(function).run()))
        return signalPassFailure();
    }
  }
};

} // namespace

} // namespace triton::ttg
