// Loads and stores what goes to shared memory before threads meet, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/analysis/TunedNumbers.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Products.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"

#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUSTOREOPERANDSEARLY
#include "gpu/products/Passes.h.inc"

namespace {

/// Whether threads meet at `op`, or wait for a product.
bool isMeeting(Operation &op) { return isa<LocalLoadOp>(op) || isProduct(&op) || analysis::getScratchBytes(&op) != 0; }

/// Loads and stores what goes to a buffer before threads meet: they then wait for all that they have asked for
/// together. The assembler asks late for what is stored late.
class EarlyStore {
public:
  explicit EarlyStore(LocalAllocOp buffer) { find(buffer); }

  bool isPossible() const { return loads && target; }

  /// The meeting before which the buffer is stored.
  Operation *getTarget() const { return target; }

  /// Registers of a thread that hold what the loads bring which move.
  unsigned countLoadedRegisters() const {
    unsigned registers = 0;
    for (Operation *op : getMoved())
      if (auto load = dyn_cast<tt::LoadOp>(op))
        registers += countRegisters(load.getResult());
    return registers;
  }

  void run() {
    for (Operation *op : llvm::reverse(getMoved()))
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
        if (keepsOrder(*op))
          return;
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

  llvm::ArrayRef<Operation *> getMoved() const { return llvm::ArrayRef(moved).take_front(count); }

  /// Whether what moves may not come before `op`: it may write what a load reads, or has memory of its own that counts.
  bool keepsOrder(Operation &op) const {
    if (isa<CallOpInterface>(op))
      return true;
    if (!loads || isMemoryEffectFree(&op) || isa<LocalAllocOp, LocalLoadOp>(op))
      return false;
    auto load = dyn_cast<tt::LoadOp>(op);
    return !load || load.getIsVolatile();
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

/// What the operands of a block may take when they are stored early: registers while they are loaded, and the shared
/// memory that keeps no other program from running beside this one.
class Room {
public:
  explicit Room(Block &block)
      : first(block.front()), machine(gpu::getTarget(&first).machine()), limit(registersOfData(&first)) {
    forEachLiveCount(block, [&](Operation *op, unsigned registers) {
      live[op] = registers;
      most = std::max(most, registers);
    });
    count();
    programs = countPrograms(used);
  }

  /// Stores `buffer` early if there is room.
  void use(EarlyStore early, LocalAllocOp buffer) {
    unsigned &before = live[early.getTarget()], loaded = early.countLoadedRegisters();
    // A single warp waits for no other, so that its later loads run beside what it computes now.
    if ((loaded != 0 && getNumWarps(&first) == 1) || before + loaded > std::max(limit, most))
      return;
    std::size_t bytes = used + analysis::getBufferBytes(buffer.getType());
    if (!fits(bytes))
      bytes = countBytes(early, buffer);
    if (!fits(bytes))
      return;
    early.run();
    before += loaded; // They wait for memory together.
    used = bytes;
  }

private:
  void count() { used = analysis::countSharedBytes(&first); }

  /// At most so much shared memory is needed if `buffer` is stored early.
  std::size_t countBytes(const EarlyStore &early, LocalAllocOp buffer) {
    count();
    auto frameBytes = [](CallOpInterface) { return std::size_t(0); };
    std::size_t between = analysis::countBytesBetween(early.getTarget(), buffer, frameBytes);
    return std::min(used + analysis::getBufferBytes(buffer.getType()), std::max(used, between));
  }

  /// Whether as many programs as now run where each takes so much shared memory. A program that takes too much already
  /// will be given less later.
  bool fits(std::size_t bytes) const {
    return bytes <= machine.sharedBytes && (bytes <= used || countPrograms(bytes) == programs);
  }

  /// At least one, be it that registers have to be spilled.
  unsigned countPrograms(std::size_t bytes) const {
    // About a quarter of the registers holds addresses and intermediate values.
    unsigned registers = std::min(most * 4 / 3, machine.registersOfThread);
    return std::max(1u, analysis::computeOccupancy({getNumWarps(&first), registers, bytes}, machine).programs());
  }

  Operation &first;
  const gpu::Machine &machine;
  unsigned limit;                             ///< registers of a thread
  llvm::DenseMap<Operation *, unsigned> live; ///< registers of data after an operation
  unsigned most = 0;                          ///< of these
  unsigned programs;
  std::size_t used; ///< bytes of shared memory, at most
};

struct TritonGPUStoreOperandsEarly : impl::TritonGPUStoreOperandsEarlyBase<TritonGPUStoreOperandsEarly>,
                                     base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    getOperation().walk([](Block *block) {
      if (!block->empty() && block->getParentOp()->getParentOp())
        run(*block);
    });
  }

private:
  static void run(Block &block) {
    std::optional<Room> room;
    for (LocalAllocOp buffer : llvm::make_early_inc_range(block.getOps<LocalAllocOp>())) {
      EarlyStore early(buffer);
      if (!analysis::isConstantBuffer(buffer) || !early.isPossible())
        continue;
      if (!room)
        room.emplace(block);
      room->use(early, buffer);
    }
  }
};

} // namespace

} // namespace triton::ttg
