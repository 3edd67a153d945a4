// Leaves operands in shared memory until products need them, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/Allocation.h"
#include "gpu/analysis/LiveRegisters.h"
#include "gpu/analysis/LoopSchedule.h"
#include "gpu/analysis/Occupancy.h"
#include "gpu/analysis/WarpGroupDots.h"
#include "gpu/ir/Dialect.h"
#include "gpu/products/FirstUser.h"
#include "gpu/products/Passes.h"
#include "gpu/target/TargetInfo.h"
#include "ir/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

/// The bytes that rings for the loads of `loop` take beside the buffers that there are, if as many iterations are in
/// flight as asked for.
std::size_t countRingBytes(scf::ForOp loop, unsigned numStages) {
  int64_t stages = std::max<int64_t>(1, analysis::getStages(loop, numStages));
  std::size_t bytes = 0;
  loop.walk([&](LocalAllocOp buffer) {
    if (buffer.getSrc() && buffer.getSrc().getDefiningOp<tt::LoadOp>())
      bytes += std::size_t(stages - 1) * analysis::getBufferBytes(buffer.getType());
  });
  return bytes;
}

/// Registers of data that `op` needs inside of it, beside its results. What it reads inside and others read after it
/// counts there as well.
unsigned countInnerRegisters(Operation *op) {
  unsigned inner = 0, results = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      inner = std::max(inner, countLiveRegisters(block));
  for (Value result : op->getResults())
    results += countRegistersOfData(result);
  return inner - std::min(inner, results);
}

/// Operands of one block that wait in shared memory.
class WaitingOperands {
public:
  WaitingOperands(Block &block, unsigned stages)
      : block(block), limit(registersOfData(&block.front())), room(findRoom(stages)) {}

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
      live[op] = registers + countInnerRegisters(op);
      most = std::max(most, live[op]);
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

  /// Whether data does not fit into registers at an operation between two others.
  bool isCrowded(Operation *first, Operation *last) {
    for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
      if (live.at(op) > limit)
        return true;
    return false;
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

  /// The bytes that buffers may take longer than now without keeping another program from its place, where the
  /// registers of a thread are all taken, nor rings from theirs.
  std::size_t findRoom(unsigned stages) {
    const gpu::Machine &machine = gpu::getTarget(&block.front()).machine();
    unsigned programs =
        analysis::computeOccupancy({getNumWarps(&block.front()), machine.registersOfThread, 0}, machine).programs();
    std::size_t share = machine.sharedBytes / std::max(1u, programs), rings = 0;
    block.front().getParentOfType<FunctionOpInterface>().walk(
        [&](scf::ForOp loop) { rings = std::max(rings, countRingBytes(loop, stages)); });
    std::size_t used = analysis::countSharedBytes(&block.front()) + rings;
    return share > used ? share - used : 0;
  }

  Block &block;
  unsigned limit, most = 0; ///< registers of a thread
  std::size_t room;         ///< bytes of shared memory that are left
  llvm::SmallPtrSet<Operation *, 8> kept;
  llvm::DenseMap<Operation *, unsigned> live; ///< registers of data after an operation
};

struct TritonGPUParkOperands : impl::TritonGPUParkOperandsBase<TritonGPUParkOperands>, base::OptionalPass {
  using TritonGPUParkOperandsBase::TritonGPUParkOperandsBase;

  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](LocalLoadOp load) { blocks.insert(load->getBlock()); });
    for (Block *block : blocks)
      WaitingOperands(*block, numStages).run();
  }
};

} // namespace

} // namespace triton::ttg
