// Puts tiles from which loops gather into shared memory before the loops, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/Budget.h"
#include "gpu/analysis/SharedOperands.h"
#include "gpu/loops/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSHAREGATHEREDTILES
#include "gpu/loops/Passes.h.inc"

namespace {

/// The outermost loop around `op` that does not change `value`; null if `op` is in none.
Operation *findLoopAround(Operation *op, Value value) {
  Operation *found = nullptr;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop && loop.isDefinedOutsideOfLoop(value);
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    found = loop;
  return found;
}

/// A tile, the loop that gathers from it, and the places where it does.
using GatheredTile = std::pair<Value, Operation *>;
using GatheredTiles = llvm::MapVector<GatheredTile, SmallVector<tt::GatherOp>>;

MemDescType getTileBufferType(Value tile, const gpu::Machine &machine) {
  auto type = cast<RankedTensorType>(tile.getType());
  // Columns are gathered as well as rows.
  return getOperandBufferType(type, getSwizzledEncoding(type, getOrder(type), /*kWidth=*/0, machine));
}

bool hasWholeBytes(Value tile) {
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
}

struct TritonGPUShareGatheredTiles : impl::TritonGPUShareGatheredTilesBase<TritonGPUShareGatheredTiles>,
                                     base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](tt::FuncOp function) { share(function); });
  }

private:
  static void share(tt::FuncOp function) {
    GatheredTiles tiles;
    function.walk([&](tt::GatherOp gather) {
      Value tile = gather.getSrc();
      if (Operation *loop = findLoopAround(gather, tile); loop && hasWholeBytes(tile))
        tiles[{tile, loop}].push_back(gather);
    });
    const gpu::Machine &machine = gpu::getTarget(function).machine();
    int64_t left = Budget(machine, getNumWarps(function)).bytesOfSharedTiles();
    for (auto &[tile, gathers] : tiles) {
      MemDescType type = getTileBufferType(tile.first, machine);
      auto bytes = int64_t(analysis::getBufferBytes(type));
      if (bytes > left)
        continue;
      left -= bytes;
      OpBuilder builder(tile.second);
      Value buffer = LocalAllocOp::create(builder, tile.first.getLoc(), type, tile.first);
      for (tt::GatherOp gather : gathers) {
        builder.setInsertionPoint(gather);
        Value read = LocalGatherOp::create(builder, gather.getLoc(), gather.getType(), buffer, gather.getIndices(),
                                           gather.getAxis());
        gather.replaceAllUsesWith(read);
        gather.erase();
      }
    }
  }
};

} // namespace

} // namespace triton::ttg
