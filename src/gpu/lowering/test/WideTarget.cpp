#include "WideTarget.h"

#include "gpu/lowering/TargetEmitter.h"
#include "simulator/core/Decoder.h"
#include "simulator/core/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace triton::gpu {

namespace {

//===--- The machine --------------------------------------------------------------------------------------------===//

class WideCopies final : public AsyncCopyEmitter {
public:
  void emitCopy(Emitter &emitter, Value shared, const AccessPlace &global, unsigned bytes, Value mask) const override {
    Value read = mask ? emitter.select(mask, emitter.i32(bytes), emitter.i32(0)) : emitter.i32(bytes);
    emitter.call("copy." + std::to_string(bytes), {}, {shared, global.pointer, read});
  }
  void emitCommit(Emitter &emitter) const override { emitter.call("copy.commit", {}, {}); }
  void emitWait(Emitter &emitter, unsigned groups) const override {
    emitter.call("copy.wait", {}, emitter.i32(groups));
  }
};

class WideEmitter final : public TargetEmitter {
public:
  void finishKernel(Emitter &, LLVM::LLVMFuncOp) const override {}
  Value emitThreadId(Emitter &emitter) const override { return callWord(emitter, "thread"); }
  Value emitProgramId(Emitter &emitter, tt::ProgramDim axis) const override {
    return callWord(emitter, "program." + std::to_string(unsigned(axis)));
  }
  Value emitProgramCount(Emitter &emitter, tt::ProgramDim axis) const override {
    return callWord(emitter, "programs." + std::to_string(unsigned(axis)));
  }
  Value emitTime(Emitter &emitter) const override { return emitter.call("time", emitter.b.getI64Type(), {}); }
  Value emitMultiprocessorId(Emitter &emitter) const override { return callWord(emitter, "multiprocessor"); }
  void emitBarrier(Emitter &emitter, bool) const override { emitter.call("barrier", {}, {}); }
  Value emitShuffleXor(Emitter &emitter, Value word, unsigned mask) const override {
    return callWord(emitter, "shuffle.xor", {word, emitter.i32(mask)});
  }
  Value emitShuffleIndex(Emitter &emitter, Value word, Value lane) const override {
    return callWord(emitter, "shuffle.index", {word, lane});
  }
  bool reducesWarps(Operation &combination) const override {
    return isa<arith::AddIOp>(combination) && combination.getResult(0).getType().isInteger(32);
  }
  Value emitWarpReduction(Emitter &emitter, Operation &, Value value) const override {
    return callWord(emitter, "reduce.add", value);
  }
  llvm::StringRef scopeName(tt::MemSyncScope) const override { return ""; }
  const AsyncCopyEmitter *asyncCopies() const override { return &copies; }
  Value emitMath(Emitter &emitter, MathFunction function, ValueRange operands, FloatType type) const override {
    switch (function) {
    case MathFunction::Exp2:
      return emitter.intrinsic("exp2", type, operands);
    case MathFunction::Sqrt:
    case MathFunction::PreciseSqrt:
      return emitter.intrinsic("sqrt", type, operands);
    default: // The tests need no more, and the simulator refuses the call.
      return emitter.call("function." + std::to_string(unsigned(function)), type, operands);
    }
  }
  void emitPrint(Emitter &emitter, const std::string &format, ValueRange) const override {
    emitter.call("print", {}, emitter.stringConstant(format));
  }
  void emitAssertFailure(Emitter &emitter, llvm::StringRef message, const AssertionPlace &) const override {
    emitter.call("fail", {}, emitter.stringConstant(message));
  }

private:
  WideCopies copies;

  static Value callWord(Emitter &emitter, const std::string &name, ValueRange arguments = {}) {
    return emitter.call(name, emitter.b.getI32Type(), arguments);
  }
};

class WideTarget final : public TargetInfo {
public:
  WideTarget() : TargetInfo(makeMachine()) {}

  std::unique_ptr<TargetEmitter> createEmitter(const EmitterOptions &) const override {
    return std::make_unique<WideEmitter>();
  }

private:
  static Machine makeMachine() {
    Machine machine;
    machine.name = "wide:64";
    machine.family = "the wide machine";
    machine.lanes = 64;
    machine.schedulers = 4;
    machine.registers = 65536;
    machine.registersOfThread = 256;
    machine.accessBytes = 16;
    machine.sharedBytes = 65536;
    machine.banks = 64;
    machine.bankBytes = 4;
    machine.exchangeClocks = 100;
    machine.fewestAsyncBytes = 4;
    return machine;
  }
};

struct Family {
  static constexpr llvm::StringLiteral name{"wide"};
  static llvm::Expected<std::unique_ptr<TargetInfo>> create(llvm::StringRef architecture) {
    if (architecture != "64")
      return llvm::createStringError("there is 64 alone");
    return std::make_unique<WideTarget>();
  }
};

//===--- Its instructions ---------------------------------------------------------------------------------------===//

using namespace simulator;

template <bool isDistance> void shuffle(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *values = warp.read<uint32_t>(list.inputs[0]), *places = warp.read<uint32_t>(list.inputs[1]);
  std::vector<uint32_t> moved(warp.program.laneCount);
  for (unsigned lane = 0; lane < moved.size(); ++lane)
    moved[lane] = values[(isDistance ? lane ^ places[lane] : places[lane]) % moved.size()];
  warp.forEachLane<uint32_t>(list.outputs[0], [&](unsigned lane) { return moved[lane]; });
}

void reduceAdd(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *values = warp.read<uint32_t>(list.inputs[0]);
  uint32_t sum = 0;
  for (unsigned lane = 0; lane < warp.program.laneCount; ++lane)
    sum += warp.active >> lane & 1 ? values[lane] : 0;
  warp.forEachLane<uint32_t>(list.outputs[0], [&](unsigned) { return sum; });
}

class WideInstructionSet final : public InstructionSet {
public:
  bool isKernel(const llvm::Function &function) const override { return !function.hasLocalLinkage(); }
  unsigned requiredThreads(const llvm::Function &) const override { return 0; }
  unsigned laneCount(const llvm::Function &) const override { return 64; }
  AddressSpace addressSpace(unsigned number) const override {
    return number == globalSpace   ? AddressSpace::Global
           : number == sharedSpace ? AddressSpace::Shared
                                   : AddressSpace::Generic;
  }

  llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef callee) const override {
    if (callee.starts_with("copy.")) {
      if (llvm::Error error = decodeCopy(decoder, call, callee.drop_front(5)))
        return std::move(error);
      return true;
    }
    if (callee == "barrier") {
      decoder.emit(barrierHandler());
      return true;
    }
    if (Handler handler = llvm::StringSwitch<Handler>(callee)
                              .Case("shuffle.xor", &shuffle<true>)
                              .Case("shuffle.index", &shuffle<false>)
                              .Case("reduce.add", &reduceAdd)
                              .Default(nullptr)) {
      if (llvm::Error error = decoder.decodeWithList(call, handler))
        return std::move(error);
      return true;
    }
    Handler handler = llvm::StringSwitch<Handler>(callee)
                          .Case("thread", threadIdHandler())
                          .Case("program.0", programIdHandler(0))
                          .Case("program.1", programIdHandler(1))
                          .Case("program.2", programIdHandler(2))
                          .Case("programs.0", programCountHandler(0))
                          .Default(nullptr);
    if (handler)
      decoder.emit(handler, decoder.defineNew(&call).front());
    return handler != nullptr;
  }

  llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &) const override {
    return decoder.unsupported(call);
  }

private:
  /// Decodes asynchronous copies, the commit of a group, and the wait.
  static llvm::Error decodeCopy(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef form) {
    if (form == "commit") {
      decoder.emit(commitCopyGroup());
      return llvm::Error::success();
    }
    if (form == "wait") {
      decoder.emit(waitCopyGroup()).immediate = cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
      return llvm::Error::success();
    }
    SmallVector<RegisterOffset, 3> operands;
    for (const llvm::Value *argument : call.args()) {
      llvm::Expected<RegisterOffset> value = decoder.readScalar(argument);
      if (!value)
        return value.takeError();
      operands.push_back(*value);
    }
    DecodedInstruction &copy = decoder.emit(asynchronousCopy(), 0, operands);
    form.getAsInteger(10, copy.immediate);
    copy.detail = &decoder.program; // the third operand counts
    return llvm::Error::success();
  }
};

} // namespace

void registerWideTarget(DialectRegistry &registry) { registerTargets<Family>(registry); }

const InstructionSet &wideInstructionSet() {
  static const WideInstructionSet set;
  return set;
}

} // namespace triton::gpu
