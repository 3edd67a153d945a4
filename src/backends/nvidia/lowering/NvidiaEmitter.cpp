// Threads, lanes and the calls of the driver.
#include "backends/nvidia/lowering/NvidiaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::nvidia {

std::unique_ptr<gpu::TargetEmitter> createNvidiaEmitter(unsigned capability, const gpu::EmitterOptions &options) {
  return std::make_unique<NvidiaEmitter>(capability, options.maxRegisters, options.ptxVersion);
}

/// An attribute of the LLVM function for which the MLIR dialect has no name.
static Attribute functionAttribute(Builder &builder, llvm::StringRef key, unsigned value) {
  return builder.getStrArrayAttr({key, std::to_string(value)});
}

void NvidiaEmitter::finishKernel(Emitter &emitter, LLVM::LLVMFuncOp kernel) const {
  kernel.setCConv(LLVM::CConv::PTX_Kernel);
  SmallVector<Attribute> attributes{functionAttribute(emitter.b, "nvvm.reqntid", emitter.launchThreadCount())};
  if (emitter.blockCount() > 1)
    attributes.push_back(functionAttribute(emitter.b, "nvvm.cluster_dim", emitter.blockCount()));
  bool isSpecialized = emitter.launchThreadCount() != emitter.threadCount();
  if (isSpecialized ? limitsSpecialized(emitter, kernel, maxRegisters) : maxRegisters != 0)
    attributes.push_back(functionAttribute(emitter.b, "nvvm.maxnreg", maxRegisters));
  else if (isSpecialized) // Else ptxas ignores setmaxnreg (note C7508).
    attributes.push_back(functionAttribute(emitter.b, "nvvm.minctasm", ttg::getResidentPrograms(kernel)));
  kernel.setPassthroughAttr(emitter.b.getArrayAttr(attributes));
}

//===--- Threads and lanes --------------------------------------------------------------------------------------===//

Value NvidiaEmitter::emitThreadId(Emitter &emitter) const {
  return emitter.intrinsic("nvvm.read.ptx.sreg.tid.x", emitter.b.getI32Type(), {});
}

static Value readSpecial(Emitter &emitter, llvm::StringRef name, tt::ProgramDim axis) {
  constexpr llvm::StringLiteral axes[] = {"x", "y", "z"};
  std::string full = ("nvvm.read.ptx.sreg." + name + "." + axes[unsigned(axis)]).str();
  return emitter.intrinsic(full, emitter.b.getI32Type(), {});
}

Value NvidiaEmitter::emitProgramId(Emitter &emitter, tt::ProgramDim axis) const {
  return readSpecial(emitter, "ctaid", axis);
}

Value NvidiaEmitter::emitProgramCount(Emitter &emitter, tt::ProgramDim axis) const {
  return readSpecial(emitter, "nctaid", axis);
}

Value NvidiaEmitter::emitTime(Emitter &emitter) const {
  return emitter.intrinsic("nvvm.read.ptx.sreg.globaltimer", emitter.b.getI64Type(), {});
}

Value NvidiaEmitter::emitMultiprocessorId(Emitter &emitter) const {
  return emitter.intrinsic("nvvm.read.ptx.sreg.smid", emitter.b.getI32Type(), {});
}

// Where launches do not overlap, the language refuses both.
void NvidiaEmitter::emitWaitForPriorLaunch(Emitter &emitter) const {
  if (overlapsLaunches(capability))
    emitter.intrinsic("nvvm.griddepcontrol.wait", {}, {});
}

void NvidiaEmitter::emitAllowNextLaunch(Emitter &emitter) const {
  if (overlapsLaunches(capability))
    emitter.intrinsic("nvvm.griddepcontrol.launch.dependents", {}, {});
}

/// That of the warps that run this function together.
static Value numberOfBarrier(Emitter &emitter) {
  const gpu::WarpSet &warps = emitter.warpSet();
  Value first = emitter.i32(warps.barrier);
  if (warps.groups == 1)
    return first;
  Value thread = emitter.target().emitThreadId(emitter);
  return emitter.add(first, emitter.shiftRight(thread, llvm::Log2_32(emitter.threadCount())));
}

void NvidiaEmitter::emitBarrier(Emitter &emitter, bool allWarps) const {
  // The lanes of one warp need no barrier of the program, which takes longer.
  if ((allWarps ? emitter.launchThreadCount() : emitter.threadCount()) == 1u << emitter.laneBits())
    emitter.intrinsic("nvvm.bar.warp.sync", {}, emitter.i32(-1));
  else if (allWarps || emitter.threadCount() == emitter.launchThreadCount())
    emitter.intrinsic("nvvm.barrier.cta.sync.aligned.all", {}, emitter.i32(0));
  else
    emitter.intrinsic("nvvm.barrier.cta.sync.aligned.count", {},
                      {numberOfBarrier(emitter), emitter.i32(emitter.threadCount())});
}

Value NvidiaEmitter::emitShuffleXor(Emitter &emitter, Value word, unsigned mask) const {
  return emitter.intrinsic("nvvm.shfl.sync.bfly.i32", emitter.b.getI32Type(),
                           {emitter.i32(-1), word, emitter.i32(mask), emitter.i32(31)});
}

Value NvidiaEmitter::emitShuffleIndex(Emitter &emitter, Value word, Value lane) const {
  return emitter.intrinsic("nvvm.shfl.sync.idx.i32", emitter.b.getI32Type(),
                           {emitter.i32(-1), word, lane, emitter.i32(31)});
}

Value NvidiaEmitter::emitEarlierLane(Emitter &emitter, Value word, int distance) const {
  bool isEarlier = distance > 0;
  return emitter.intrinsic(isEarlier ? "nvvm.shfl.sync.up.i32" : "nvvm.shfl.sync.down.i32", emitter.b.getI32Type(),
                           {emitter.i32(-1), word, emitter.i32(std::abs(distance)), emitter.i32(isEarlier ? 0 : 31)});
}

namespace {

/// An instruction `redux.sync`.
struct WarpReduction {
  llvm::StringRef name;
  bool isSigned = false; ///< narrower integers keep their sign in 32 bits
};

std::optional<WarpReduction> findWarpReduction(Operation &combination) {
  return llvm::TypeSwitch<Operation *, std::optional<WarpReduction>>(&combination)
      .Case([](arith::AddIOp) { return WarpReduction{"add"}; })
      .Case([](arith::AndIOp) { return WarpReduction{"and"}; })
      .Case([](arith::OrIOp) { return WarpReduction{"or"}; })
      .Case([](arith::XOrIOp) { return WarpReduction{"xor"}; })
      .Case([](arith::MinSIOp) { return WarpReduction{"min", /*isSigned=*/true}; })
      .Case([](arith::MaxSIOp) { return WarpReduction{"max", /*isSigned=*/true}; })
      .Case([](arith::MinUIOp) { return WarpReduction{"umin"}; })
      .Case([](arith::MaxUIOp) { return WarpReduction{"umax"}; })
      .Default(std::nullopt);
}

} // namespace

bool NvidiaEmitter::reducesWarps(Operation &combination) const {
  return capability >= 80 && combination.getResult(0).getType().getIntOrFloatBitWidth() <= 32 &&
         findWarpReduction(combination);
}

Value NvidiaEmitter::emitWarpReduction(Emitter &emitter, Operation &combination, Value value) const {
  auto &b = emitter.b;
  WarpReduction reduction = *findWarpReduction(combination);
  Type word = b.getI32Type(), type = value.getType();
  if (type != word)
    value = reduction.isSigned ? LLVM::SExtOp::create(b, word, value).getResult()
                               : LLVM::ZExtOp::create(b, word, value).getResult();
  value = emitter.intrinsic(("nvvm.redux.sync." + reduction.name).str(), word, {value, emitter.i32(-1)});
  return type == word ? value : LLVM::TruncOp::create(b, type, value).getResult();
}

//===--- Calls of the driver ------------------------------------------------------------------------------------===//

void NvidiaEmitter::emitPrint(Emitter &emitter, const std::string &format, ValueRange values) const {
  auto &b = emitter.b;
  Value packed = emitter.pack(values);
  Value one = emitter.i32(1);
  Value buffer = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(emitter.context()), packed.getType(), one);
  for (auto [index, value] : llvm::enumerate(values)) {
    Value place = LLVM::GEPOp::create(b, buffer.getType(), packed.getType(), buffer,
                                      llvm::ArrayRef<LLVM::GEPArg>{0, int32_t(index)});
    LLVM::StoreOp::create(b, value, place);
  }
  emitter.call("vprintf", b.getI32Type(), {emitter.stringConstant(format), buffer});
}

void NvidiaEmitter::emitAssertFailure(Emitter &emitter, llvm::StringRef message,
                                      const gpu::AssertionPlace &place) const {
  emitter.call("__assertfail", {},
               {emitter.stringConstant(message), emitter.stringConstant(place.file), emitter.i32(place.line),
                emitter.stringConstant(place.function), emitter.i64(1)});
}

} // namespace triton::nvidia
