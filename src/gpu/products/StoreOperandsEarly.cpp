// Loads and stores what goes to shared memory before threads meet, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSTOREOPERANDSEARLY
#include "gpu/products/Passes.h.inc"

namespace {

/// Whether threads meet at `op`, or wait for a product.
bool isMeeting(Operation &op) { return isa<LocalLoadOp>(op) || isProduct(&op) || analysis::getScratchBytes(&op) != 0; }

/// The shared memory that buffers of a block may take without keeping another program from running beside this one.
class Room {
public:
  explicit Room(Block &block) : first(block.front()), registers(countLiveRegisters(block) * 4 / 3) {
    count();
    programs = countPrograms(used);
  }

  /// Whether `buffer` may live longer. At most its size is needed more.
  bool isEnoughFor(LocalAllocOp buffer) {
    return countPrograms(used + analysis::getBufferBytes(buffer.getType())) == programs;
  }

  /// After a buffer lives longer.
  void count() { used = analysis::countSharedBytes(&first); }

private:
  unsigned countPrograms(std::size_t bytes) {
    return analysis::computeOccupancy({getNumWarps(&first), registers, bytes}, gpu::getTarget(&first).machine())
        .programs();
  }

  Operation &first;
  unsigned registers; ///< of a thread; about a quarter of them holds addresses and intermediate values
  unsigned programs;
  std::size_t used;
};

/// Loads and stores what goes to a buffer before threads meet: they then wait for all that they have asked for
/// together. The assembler asks late for what is stored late.
class EarlyStore {
public:
  explicit EarlyStore(LocalAllocOp buffer) { find(buffer); }

  bool isPossible() const { return loads && target; }

  void run() {
    for (Operation *op : llvm::reverse(llvm::ArrayRef(moved).take_front(count)))
      op->moveBefore(target);
  }

private:
  /// Finds the first meeting that the buffer may come before, with all that moves there.
  void find(LocalAllocOp buffer) {
    move(buffer);
    unsigned distance = 0;
    for (Operation *op = buffer->getPrevNode(); op && op->getNumRegions() == 0; op = op->getPrevNode()) {
      if (++distance == tuned::mostDistanceOfLoads)
        return;
      auto load = dyn_cast<tt::LoadOp>(op);
      if (!needed.contains(op)) {
        if (loads && !isMemoryEffectFree(op) && !isa<LocalAllocOp, LocalLoadOp, tt::LoadOp>(op))
          return; // It may write what the load reads.
        if (isMeeting(*op)) {
          target = op;
          count = moved.size();
        }
        continue;
      }
      loads |= load != nullptr;
      if (isMeeting(*op) || (load ? load.getIsVolatile() : !isMemoryEffectFree(op)))
        return;
      move(op);
    }
  }

  void move(Operation *op) {
    moved.push_back(op);
    for (Value operand : op->getOperands())
      needed.insert(operand.getDefiningOp());
  }

  Operation *target = nullptr;
  SmallVector<Operation *> moved; ///< the last first
  std::size_t count = 0;          ///< of them, those between `target` and the buffer
  llvm::SmallPtrSet<Operation *, 16> needed;
  bool loads = false; ///< whether the buffer's contents come from memory
};

struct TritonGPUStoreOperandsEarly : impl::TritonGPUStoreOperandsEarlyBase<TritonGPUStoreOperandsEarly>,
                                     base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](FunctionOpInterface function) {
      if (!function.isExternal())
        run(function.front());
    });
  }

private:
  /// What stands in loops is left to the pipeline.
  static void run(Block &block) {
    std::optional<Room> room;
    for (LocalAllocOp buffer : llvm::make_early_inc_range(block.getOps<LocalAllocOp>())) {
      EarlyStore early(buffer);
      if (!analysis::isConstantBuffer(buffer) || !early.isPossible())
        continue;
      if (!room)
        room.emplace(block);
      if (!room->isEnoughFor(buffer))
        continue;
      early.run();
      room->count();
    }
  }
};

} // namespace

} // namespace triton::ttg
