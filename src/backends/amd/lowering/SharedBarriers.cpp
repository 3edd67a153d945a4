// Barriers in LDS, which gfx1250 has. One is a word of 64 bits: bits 0 to 28 are the arrivals that the phase lacks,
// less one, and bits 32 to 60 those that each phase takes, less one. Bits 29 to 31 count phases downwards, so that bit
// 29 is the parity of the phase.
#include "backends/amd/lowering/AmdEmitter.h"

using namespace mlir;

namespace triton::amd {

constexpr unsigned phaseBit = 29, initialBit = 32;

// The simulator knows the accesses of a barrier's word by their comments.

void LdsBarriers::emitInitBarrier(Emitter &emitter, Value barrier, unsigned count) const {
  int64_t missing = int64_t(count) - 1;
  emitter.assembly("ds_store_b64 $0, $1 ; barrier\ns_wait_dscnt 0x0", "v,v,~{memory}", {},
                   {barrier, emitter.i64(missing << initialBit | missing)}, /*hasSideEffects=*/true);
}

/// The low half of the word before. What the thread has accessed is accessed before.
static Value emitArrival(Emitter &emitter, Value barrier, unsigned count) {
  auto &b = emitter.b;
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, "workgroup");
  Value word = emitter.intrinsic("amdgcn.ds.atomic.barrier.arrive.rtn.b64", b.getI64Type(),
                                 {barrier, emitter.i64(int64_t(count))});
  return LLVM::TruncOp::create(b, b.getI32Type(), word);
}

void LdsBarriers::emitArrive(Emitter &emitter, Value barrier, unsigned count, Value condition) const {
  emitter.emitIf(condition, [&] { emitArrival(emitter, barrier, count); });
}

Value LdsBarriers::emitEachArrive(Emitter &emitter, Value barrier, unsigned count) const {
  return emitter.bitAnd(emitter.shiftRight(emitArrival(emitter, barrier, count), phaseBit), 1);
}

/// Threads have moved the elements of their copies themselves.
void LdsBarriers::emitCopyArrival(Emitter &emitter, Value barrier, bool) const {
  emitArrival(emitter, barrier, /*count=*/1);
}

Value LdsBarriers::emitTryWait(Emitter &emitter, Value barrier, Value parity, bool) const {
  auto &b = emitter.b;
  Value awaited = emitter.shiftLeft(emitter.bitAnd(parity, 1), phaseBit);
  Value word =
      emitter.assembly("s_sleep 1\nds_load_b32 $0, $1 ; barrier, whose phase is not to be that of $2\ns_wait_dscnt 0x0",
                       "=v,v,v,~{memory}", b.getI32Type(), {barrier, awaited}, /*hasSideEffects=*/true);
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, "workgroup");
  Value phase = LLVM::AndOp::create(b, word, emitter.i32(1 << phaseBit));
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, phase, awaited);
}

} // namespace triton::amd
