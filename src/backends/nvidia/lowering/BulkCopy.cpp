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

/// The address in block `rank` of what lies at `shared` in this one.
static Value emitRemoteAddress(Emitter &emitter, Value shared, Value rank) {
  Type word = emitter.b.getI32Type();
  Value address = LLVM::PtrToIntOp::create(emitter.b, word, shared);
  return emitter.assembly("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", word, {address, rank},
                          /*hasSideEffects=*/false);
}

void BulkCopies::emitRemoteArrive(Emitter &emitter, Value barrier, Value rank, Value condition) const {
  emitter.intrinsic("nvvm.bar.warp.sync", {}, emitter.i32(-1));
  Value remote = emitRemoteAddress(emitter, barrier, rank);
  // The arrival says that reads have ended. Other blocks read nothing that this thread has written, so it need not be
  // released to the cluster, which costs a fence of all memory.
  emitter.assembly("@$1 mbarrier.arrive.shared::cluster.b64 _, [$0];", "r,b,~{memory}", {}, {remote, condition},
                   /*hasSideEffects=*/true);
}

void BulkCopies::emitRemoteRelease(Emitter &emitter, Value barrier, Value rank, unsigned count,
                                   std::optional<unsigned> bytes) const {
  std::string form = bytes ? ".expect_tx" : "";
  emitter.assembly("mbarrier.arrive" + form + ".release.cluster.shared::cluster.b64 _, [$0], $1;", "r,r,~{memory}", {},
                   {emitRemoteAddress(emitter, barrier, rank), emitter.i32(bytes.value_or(count))},
                   /*hasSideEffects=*/true);
}

void BulkCopies::emitRemoteStore(Emitter &emitter, Value place, Value barrier, Value rank, ValueRange words) const {
  Registers arguments{emitRemoteAddress(emitter, place, rank), emitRemoteAddress(emitter, barrier, rank)};
  std::string form = words.size() == 1 ? "" : ".v" + std::to_string(words.size()), list, constraints = "r,r";
  for (Value word : words) {
    list += (list.empty() ? "$" : ", $") + std::to_string(arguments.size());
    constraints += ",r";
    arguments.push_back(word);
  }
  if (words.size() > 1)
    list = "{" + list + "}";
  emitter.assembly("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" + form + ".b32 [$0], " + list +
                       ", [$1];",
                   constraints + ",~{memory}", {}, arguments, /*hasSideEffects=*/true);
}

void BulkCopies::emitClusterBarrier(Emitter &emitter, bool relaxed) const {
  emitter.intrinsic(relaxed ? "nvvm.barrier.cluster.arrive.relaxed" : "nvvm.barrier.cluster.arrive", {}, {});
  emitter.intrinsic("nvvm.barrier.cluster.wait", {}, {});
}

void BulkCopies::emitExpectBytes(Emitter &emitter, Value barrier, unsigned bytes) const {
  emitter.intrinsic("nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta", emitter.b.getI64Type(),
                    {barrier, emitter.i32(bytes)});
}

Value BulkCopies::emitTryWait(Emitter &emitter, Value barrier, Value parity, bool ofCluster) const {
  std::string scope = ofCluster ? "cluster" : "cta";
  return emitter.intrinsic("nvvm.mbarrier.try.wait.parity.scope." + scope + ".space.cta", emitter.b.getI1Type(),
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
  constexpr int64_t pair = 2; // in the operand with the number of blocks that copy together; 0: not said
  Value barrier = load.barrier;
  if (load.atLeader) { // The number of the block is in bits 24 and higher of an address.
    Value address = LLVM::PtrToIntOp::create(emitter.b, emitter.b.getI32Type(), barrier);
    barrier = LLVM::IntToPtrOp::create(emitter.b, barrier.getType(), emitter.bitAnd(address, int32_t(0xfeffffff)));
  }
  Registers arguments{LLVM::AddrSpaceCastOp::create(emitter.b, clusterPointer, load.shared), barrier, load.map};
  llvm::append_range(arguments, load.coordinates);
  Value blocks = load.blocks ? load.blocks : emitter.integer(emitter.b.getI16Type(), 0);
  arguments.append({blocks, emitter.i64(0), emitter.i1(bool(load.blocks)), emitter.i1(false),
                    emitter.i32(load.atLeader ? pair : 0)});
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

void BulkCopies::emitProxyFence(Emitter &emitter, Written written) const {
  std::string memory = written == Written::Shared            ? ".shared::cta"
                       : written == Written::SharedOfCluster ? ".shared::cluster"
                                                             : "";
  emitter.assembly("fence.proxy.async" + memory + ";", "~{memory}", {}, {},
                   /*hasSideEffects=*/true);
}

} // namespace triton::nvidia
