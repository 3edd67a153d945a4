// Kernels, programs and their threads.
#include "backends/amd/lowering/AmdEmitter.h"

using namespace mlir;

namespace triton::amd {

std::unique_ptr<gpu::TargetEmitter> createAmdEmitter(const Architecture &architecture,
                                                     const gpu::EmitterOptions &options) {
  return std::make_unique<AmdEmitter>(architecture, options.buffers);
}

void AmdEmitter::finishKernel(Emitter &emitter, LLVM::LLVMFuncOp kernel) const {
  auto &b = emitter.b;
  kernel.setCConv(LLVM::CConv::AMDGPU_KERNEL);
  // Without the exact number, LLVM allows for 1024 threads and gives each a quarter of the registers.
  std::string threads = std::to_string(emitter.launchThreadCount());
  kernel.setPassthroughAttr(b.getArrayAttr({b.getStrArrayAttr({"amdgpu-flat-work-group-size", threads + "," + threads}),
                                            b.getStrArrayAttr({"uniform-work-group-size", "true"})}));
}

//===--- Programs and threads -----------------------------------------------------------------------------------===//

Value AmdEmitter::emitThreadId(Emitter &emitter) const {
  return emitter.intrinsic("amdgcn.workitem.id.x", emitter.b.getI32Type(), {});
}

Value AmdEmitter::emitProgramId(Emitter &emitter, tt::ProgramDim axis) const {
  constexpr llvm::StringLiteral names[] = {"amdgcn.workgroup.id.x", "amdgcn.workgroup.id.y", "amdgcn.workgroup.id.z"};
  return emitter.intrinsic(names[unsigned(axis)], emitter.b.getI32Type(), {});
}

/// The launch passes the counts behind the arguments (code object version 5, "hidden_block_count_x" and the following).
Value AmdEmitter::emitProgramCount(Emitter &emitter, tt::ProgramDim axis) const {
  constexpr unsigned constantSpace = 4, bytes = 4;
  auto pointer = LLVM::LLVMPointerType::get(emitter.context(), constantSpace);
  Value hidden = emitter.intrinsic("amdgcn.implicitarg.ptr", pointer, {});
  Value place = emitter.offsetPointer(hidden, int64_t(bytes) * unsigned(axis));
  return LLVM::LoadOp::create(emitter.b, emitter.b.getI32Type(), place, bytes, /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/true);
}

/// The clock counts 100 million times a second on every architecture of the table.
Value AmdEmitter::emitTime(Emitter &emitter) const {
  constexpr int64_t nanosecondsOfTick = 10;
  Value ticks = emitter.intrinsic("readsteadycounter", emitter.b.getI64Type(), {});
  return LLVM::MulOp::create(emitter.b, ticks, emitter.i64(nanosecondsOfTick));
}

/// Reads `bits` bits of a hardware register from bit `offset` on (s_getreg_b32; the ISA documents list the registers).
static Value readHardwareRegister(Emitter &emitter, unsigned id, unsigned offset, unsigned bits) {
  return emitter.intrinsic("amdgcn.s.getreg", emitter.b.getI32Type(), emitter.i32(id | offset << 6 | (bits - 1) << 11));
}

Value AmdEmitter::emitMultiprocessorId(Emitter &emitter) const {
  if (architecture.isRdna()) { // HW_ID1: work-group processor, shader array, shader engine
    constexpr unsigned hardwareId1 = 23;
    return readHardwareRegister(emitter, hardwareId1, 10, 11);
  }
  constexpr unsigned hardwareId = 4, dieId = 20;
  Value unit = readHardwareRegister(emitter, hardwareId, 8, 8); // compute unit, shader array, shader engine
  if (llvm::StringRef(architecture.processor) == "gfx90a")
    return unit;
  Value die = emitter.shiftLeft(readHardwareRegister(emitter, dieId, 0, 4), 8);
  return LLVM::OrOp::create(emitter.b, die, unit);
}

/// The named barrier of a group of warps, of which gfx1250 has 16.
static Value namedBarrier(Emitter &emitter, unsigned number) {
  auto &b = emitter.b;
  std::string name = "barrier." + std::to_string(number);
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMTargetExtType::get(emitter.context(), "amdgcn.named.barrier", {}, {0});
    auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
                                         /*value=*/Attribute(), /*alignment=*/0, gpu::sharedSpace);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, LLVM::PoisonOp::create(b, type));
  }
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(emitter.context(), gpu::sharedSpace), name);
}

/// s_barrier alone does not order accesses of memory. The lanes of one warp need none.
void AmdEmitter::emitBarrier(Emitter &emitter, bool allWarps) const {
  constexpr int64_t joined = 1; // the barrier that the warp has joined
  LLVM::FenceOp::create(emitter.b, LLVM::AtomicOrdering::release, "workgroup");
  if (allWarps || emitter.threadCount() == emitter.launchThreadCount()) {
    emitter.intrinsic("amdgcn.s.barrier", {}, {});
  } else if (emitter.warpSet().count == 1) {
    emitter.intrinsic("amdgcn.wave.barrier", {}, {});
  } else {
    Value barrier = namedBarrier(emitter, emitter.warpSet().barrier);
    emitter.intrinsic("amdgcn.s.barrier.join", {}, {barrier});
    emitter.intrinsic("amdgcn.s.barrier.signal.var", {}, {barrier, emitter.i32(emitter.warpSet().count)});
    emitter.intrinsic("amdgcn.s.barrier.wait", {}, {emitter.integer(emitter.b.getI16Type(), joined)});
  }
  LLVM::FenceOp::create(emitter.b, LLVM::AtomicOrdering::acquire, "workgroup");
}

llvm::StringRef AmdEmitter::scopeName(tt::MemSyncScope scope) const {
  switch (scope) {
  case tt::MemSyncScope::GPU:
    return "agent";
  case tt::MemSyncScope::CTA:
    return "workgroup";
  case tt::MemSyncScope::System:
    return "";
  }
  llvm_unreachable("every scope is handled above");
}

} // namespace triton::amd
