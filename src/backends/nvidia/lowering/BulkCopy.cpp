// mbarriers and bulk copies of tensors. The source is the PTX ISA, sections on mbarrier and on cp.async.bulk.tensor.
#include "backends/nvidia/lowering/Capabilities.h"

#include "gpu/lowering/TargetEmitter.h"

using namespace mlir;

namespace triton::nvidia {

bool limitsSpecialized(Emitter &emitter, Operation *inKernel, unsigned maxRegisters) {
  unsigned threads = emitter.launchThreadCount() * ttg::getResidentPrograms(inKernel);
  return maxRegisters != 0 && maxRegisters < emitter.machine().registers / threads;
}

/// Who limits the registers of all threads leaves none to hand over.
void BulkCopies::emitSetRegisters(Emitter &emitter, unsigned count, bool raises) const {
  if (!limitsSpecialized(emitter, emitter.b.getInsertionBlock()->getParentOp(), maxRegisters))
    emitter.intrinsic(raises ? "nvvm.setmaxnreg.inc.sync.aligned.u32" : "nvvm.setmaxnreg.dec.sync.aligned.u32", {},
                      emitter.i32(count));
}

/// The first of the program's barriers that stand for turns; 0 is that of all warps, 1 of those that compute.
constexpr unsigned firstTurn = 2;
/// One group waits, another one arrives.
constexpr unsigned threadsOfTurn = 256;

void BulkCopies::emitWaitTurn(Emitter &emitter, Value group, Value after) const {
  Value number = emitter.add(group, emitter.i32(firstTurn));
  if (after) {
    // LLVM and ptxas move arithmetic across barriers. That the upper bits of a multiprocessor's number are zeros is
    // something that they do not know, so that the number of the barrier depends on `after`.
    Value zero = emitter.shiftRight(emitter.target().emitMultiprocessorId(emitter), 20);
    number = emitter.add(number, LLVM::AndOp::create(emitter.b, after, zero));
  }
  emitter.intrinsic("nvvm.barrier.cta.sync.aligned.count", {}, {number, emitter.i32(threadsOfTurn)});
}

void BulkCopies::emitPassTurn(Emitter &emitter, Value group) const {
  emitter.intrinsic("nvvm.barrier.cta.arrive.aligned.count", {},
                    {emitter.add(group, emitter.i32(firstTurn)), emitter.i32(threadsOfTurn)});
}

void BulkCopies::emitInitBarrier(Emitter &emitter, Value barrier, unsigned count) const {
  emitter.intrinsic("nvvm.mbarrier.init.shared", {}, {barrier, emitter.i32(count)});
}

void BulkCopies::emitInvalidateBarrier(Emitter &emitter, Value barrier) const {
  emitter.intrinsic("nvvm.mbarrier.inval.shared", {}, {barrier});
}

void BulkCopies::emitInitBarrierFence(Emitter &emitter) const {
  emitter.intrinsic("nvvm.fence.mbarrier_init.release.cluster", {}, {});
}

void BulkCopies::emitArrive(Emitter &emitter, Value barrier, unsigned count, Value condition) const {
  // What all lanes have read is read before the one arrives.
  emitter.intrinsic("nvvm.bar.warp.sync", {}, emitter.i32(-1));
  emitter.assembly("@$1 mbarrier.arrive.shared::cta.b64 _, [$0], " + std::to_string(count) + ";", "r,b,~{memory}", {},
                   {LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), barrier), condition},
                   /*hasSideEffects=*/true);
}

void BulkCopies::emitCopyArrival(Emitter &emitter, Value barrier, bool isCounted) const {
  emitter.intrinsic(isCounted ? "nvvm.cp.async.mbarrier.arrive.noinc.shared" : "nvvm.cp.async.mbarrier.arrive.shared",
                    {}, {barrier});
}

void BulkCopies::emitRemoteArrive(Emitter &emitter, Value barrier, Value rank, Value condition) const {
  emitter.intrinsic("nvvm.bar.warp.sync", {}, emitter.i32(-1));
  Type word = emitter.b.getI32Type();
  Value address = LLVM::PtrToIntOp::create(emitter.b, word, barrier);
  Value remote = emitter.assembly("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", word, {address, rank},
                                  /*hasSideEffects=*/false);
  // The arrival says that reads have ended. Other blocks read nothing that this thread has written, so it need not be
  // released to the cluster, which costs a fence of all memory.
  emitter.assembly("@$1 mbarrier.arrive.shared::cluster.b64 _, [$0];", "r,b,~{memory}", {}, {remote, condition},
                   /*hasSideEffects=*/true);
}

void BulkCopies::emitClusterBarrier(Emitter &emitter) const {
  emitter.intrinsic("nvvm.barrier.cluster.arrive", {}, {});
  emitter.intrinsic("nvvm.barrier.cluster.wait", {}, {});
}

void BulkCopies::emitExpectBytes(Emitter &emitter, Value barrier, unsigned bytes) const {
  emitter.intrinsic("nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta", emitter.b.getI64Type(),
                    {barrier, emitter.i32(bytes)});
}

Value BulkCopies::emitTryWait(Emitter &emitter, Value barrier, Value parity) const {
  return emitter.intrinsic("nvvm.mbarrier.try.wait.parity.scope.cta.space.cta", emitter.b.getI1Type(),
                           {barrier, parity});
}

void BulkCopies::emitLoad(Emitter &emitter, const gpu::TensorLoad &load) const {
  if (load.fourRows) {
    Registers arguments{load.shared, load.barrier, load.map};
    llvm::append_range(arguments, load.coordinates);
    arguments.append({emitter.i64(0), emitter.i1(false)});
    emitter.intrinsic("nvvm.cp.async.bulk.tensor.g2s.cta.tile.gather4.2d", {}, arguments);
    return;
  }
  constexpr unsigned clusterSpace = 7;
  auto clusterPointer = LLVM::LLVMPointerType::get(emitter.context(), clusterSpace);
  Registers arguments{LLVM::AddrSpaceCastOp::create(emitter.b, clusterPointer, load.shared), load.barrier, load.map};
  llvm::append_range(arguments, load.coordinates);
  Value all = emitter.integer(emitter.b.getI16Type(), load.blocks > 1 ? (1 << load.blocks) - 1 : 0);
  arguments.append({all, emitter.i64(0), emitter.i1(load.blocks > 1), emitter.i1(false), emitter.i32(0)});
  emitter.intrinsic("nvvm.cp.async.bulk.tensor.g2s.tile." + std::to_string(load.coordinates.size()) + "d", {},
                    arguments);
}

void BulkCopies::emitStore(Emitter &emitter, const gpu::TensorStore &store) const {
  Registers arguments{store.shared, store.map};
  llvm::append_range(arguments, store.coordinates);
  Value noPolicy = emitter.i64(0), no = emitter.i1(false);
  arguments.append({noPolicy, no});
  std::string form = store.kind ? ("reduce." + tt::stringifyDescriptorReduceKind(*store.kind)).str() : "s2g";
  std::string box = store.fourRows ? "scatter4.2d" : std::to_string(store.coordinates.size()) + "d";
  emitter.intrinsic("nvvm.cp.async.bulk.tensor." + form + ".tile." + box, {}, arguments);
}

void BulkCopies::emitCommit(Emitter &emitter) const { emitter.intrinsic("nvvm.cp.async.bulk.commit.group", {}, {}); }

void BulkCopies::emitWait(Emitter &emitter, unsigned groups, bool onlyReads) const {
  emitter.intrinsic(onlyReads ? "nvvm.cp.async.bulk.wait.group.read" : "nvvm.cp.async.bulk.wait.group", {},
                    emitter.i32(groups));
}

void BulkCopies::emitProxyFence(Emitter &emitter, bool allMemory) const {
  emitter.assembly(allMemory ? "fence.proxy.async;" : "fence.proxy.async.shared::cta;", "~{memory}", {}, {},
                   /*hasSideEffects=*/true);
}

} // namespace triton::nvidia
