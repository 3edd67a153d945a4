// Leaves operands in shared memory until products need them, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/products/FirstUser.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUPARKOPERANDS
#include "gpu/products/Passes.h.inc"

namespace {

/// The buffer that `load` reads, if there is but one and it is constant; else null.
LocalAllocOp findConstantBuffer(LocalLoadOp load) {
  SmallVector<Operation *> allocations = analysis::findAllocations(load.getSrc());
  auto buffer = allocations.size() == 1 ? dyn_cast<LocalAllocOp>(allocations.front()) : LocalAllocOp();
  return buffer && analysis::isConstantBuffer(buffer) ? buffer : LocalAllocOp();
}

/// Whether loads of a loop in `op` may get rings later, which take the shared memory that is left.
bool mayGetRings(Operation &op) {
  auto holdsLoads = [](scf::ForOp loop) {
    return loop.walk([](tt::LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  return op.walk([&](scf::ForOp loop) { return holdsLoads(loop) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Operands of one block that wait in shared memory.
class WaitingOperands {
public:
  explicit WaitingOperands(Block &block) : block(block), limit(registersOfData(&block.front())), room(findRoom()) {}

  void run() {
    count();
    if (most <= limit)
      return;
    shareBuffers();
    count();
    park();
  }

private:
  struct Read {
    LocalLoadOp load;
    LocalAllocOp buffer;
    Operation *user;   ///< the first
    unsigned distance; ///< operations up to it
    unsigned number;   ///< in the block, so that the order is always the same
  };

  void count() {
    most = 0;
    forEachLiveCount(block, [&](Operation *op, unsigned registers) {
      live[op] = registers;
      most = std::max(most, registers);
    });
  }

  /// What goes to two buffers of one kind is read from the first one, so that registers need not hold it until then.
  void shareBuffers() {
    llvm::DenseMap<std::pair<Value, Type>, LocalAllocOp> buffers;
    for (LocalAllocOp buffer : llvm::make_early_inc_range(block.getOps<LocalAllocOp>())) {
      if (!analysis::isConstantBuffer(buffer))
        continue;
      auto [position, isFirst] = buffers.try_emplace({buffer.getSrc(), buffer.getType()}, buffer);
      LocalAllocOp first = position->second;
      if (isFirst || !isCrowded(first, buffer) || !keep(first))
        continue;
      buffer.replaceAllUsesWith(first.getResult());
      buffer.erase();
    }
  }

  void park() {
    SmallVector<Read> reads = findReads();
    // What is needed last relieves the most operations.
    llvm::sort(reads, [](const Read &a, const Read &b) {
      return std::pair(a.distance, a.number) > std::pair(b.distance, b.number);
    });
    for (Read &read : reads) {
      if (!isCrowded(read.load, read.user) || !keep(read.buffer))
        continue;
      unsigned registers = countRegistersOfData(read.load.getResult());
      for (Operation *op = read.load; op != read.user; op = op->getNextNode())
        live[op] -= registers;
      live[read.load] = live.at(read.user->getPrevNode()) + registers;
      remarks::decided(read.load, remarks::product, "Park")
          << "the operand stays in shared memory until it is used: other data needs the registers before";
      read.load->moveBefore(read.user);
    }
  }

  SmallVector<Read> findReads() {
    SmallVector<Read> reads;
    for (LocalLoadOp load : block.getOps<LocalLoadOp>()) {
      LocalAllocOp buffer = findConstantBuffer(load);
      Operation *user = findFirstUser(load.getResult(), block);
      if (!buffer || !user)
        continue;
      auto distance = unsigned(std::distance(std::next(load->getIterator()), user->getIterator()));
      reads.push_back({load, buffer, user, distance, unsigned(reads.size())});
    }
    return reads;
  }

  /// Whether data does not fit into registers at an operation between two others, of which none may get rings.
  bool isCrowded(Operation *first, Operation *last) {
    bool isCrowded = false;
    for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode()) {
      if (mayGetRings(*op))
        return false;
      isCrowded |= live.at(op) > limit;
    }
    return isCrowded;
  }

  /// Takes the room that a buffer needs to live longer; false if there is not enough.
  bool keep(LocalAllocOp buffer) {
    std::size_t bytes = kept.contains(buffer) ? 0 : analysis::getBufferBytes(buffer.getType());
    if (bytes > room)
      return false;
    room -= bytes;
    kept.insert(buffer);
    return true;
  }

  /// The bytes that buffers may take longer than now without keeping another program from its place: the registers of
  /// a thread are all taken.
  std::size_t findRoom() {
    const gpu::Machine &machine = gpu::getTarget(&block.front()).machine();
    unsigned programs =
        analysis::computeOccupancy({getNumWarps(&block.front()), machine.registersOfThread, 0}, machine).programs();
    std::size_t share = machine.sharedBytes / std::max(1u, programs), used = analysis::countSharedBytes(&block.front());
    return share > used ? share - used : 0;
  }

  Block &block;
  unsigned limit, most = 0; ///< registers of a thread
  std::size_t room;         ///< bytes of shared memory that are left
  llvm::SmallPtrSet<Operation *, 8> kept;
  llvm::DenseMap<Operation *, unsigned> live; ///< registers of data after an operation
};

struct TritonGPUParkOperands : impl::TritonGPUParkOperandsBase<TritonGPUParkOperands>, base::OptionalPass {
  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](LocalLoadOp load) { blocks.insert(load->getBlock()); });
    for (Block *block : blocks)
      WaitingOperands(*block).run();
  }
};

} // namespace

} // namespace triton::ttg
