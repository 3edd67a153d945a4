// Calls that LLVM IR for AMD's GPUs contains, by their names.
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

#include "llvm/ADT/StringSwitch.h"

namespace triton::simulator::amdgpu {

/// The steady counter counts with 100 MHz.
static void readSteadyCounter(Decoder &decoder, const llvm::CallInst &call) {
  RegisterOffset nanoseconds = decoder.allocateRegister(8);
  decoder.emit(timeHandler(), nanoseconds);
  decoder.emit(findIntegerBinary(llvm::Instruction::UDiv, 8), decoder.defineNew(&call).front(),
               {nanoseconds, decoder.constantRegister(10, 8)});
}

llvm::Expected<bool> decodeIds(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  llvm::StringRef name = intrinsic.name;
  auto handler = llvm::StringSwitch<Handler>(name)
                     .Case("workitem.id.x", threadIdHandler())
                     .Case("workgroup.id.x", programIdHandler(0))
                     .Case("workgroup.id.y", programIdHandler(1))
                     .Case("workgroup.id.z", programIdHandler(2))
                     .Case("s.memtime", timeHandler())
                     .Default(nullptr);
  if (handler)
    return intrinsic.withoutOperands(handler);
  if (name == "workitem.id.y" || name == "workitem.id.z") {
    decoder.define(&intrinsic.call, {decoder.constantRegister(0, 4)});
    return true;
  }
  if (name == "wave.id") {
    if (intrinsic.architecture.generation < 12)
      return intrinsic.missing();
    return intrinsic.withoutOperands(warpIdHandler());
  }
  if (name == "wavefrontsize") {
    decoder.define(&intrinsic.call, {decoder.constantRegister(decoder.program.laneCount, 4)});
    return true;
  }
  if (name == "s.memrealtime") {
    readSteadyCounter(decoder, intrinsic.call);
    return true;
  }
  if (name == "s.getreg") {
    std::optional<int64_t> field = intrinsic.constant(0);
    Handler reader = field ? findHardwareRegister(unsigned(*field) & 63) : nullptr;
    if (!reader)
      return decoder.unsupported(intrinsic.call);
    decoder.emit(reader, decoder.defineNew(&intrinsic.call).front()).immediate = *field;
    return true;
  }
  if (name == "implicitarg.ptr") {
    decoder.program.hiddenArguments = &makeHiddenArguments;
    return intrinsic.withoutOperands(hiddenArgumentsHandler());
  }
  return false;
}

llvm::Expected<bool> decodeScheduling(const Intrinsic &intrinsic) {
  Decoder &decoder = intrinsic.decoder;
  llvm::StringRef name = intrinsic.name;
  bool ofAllWaves = name.starts_with("s.barrier") && (name == "s.barrier" || intrinsic.constant(0) == -1);
  if (ofAllWaves) {
    if (name != "s.barrier" && intrinsic.architecture.generation < 12)
      return intrinsic.missing();
    auto handler = llvm::StringSwitch<Handler>(name)
                       .Case("s.barrier", bareBarrierHandler())
                       .Case("s.barrier.signal", bareArriveHandler())
                       .Case("s.barrier.wait", bareWaitHandler())
                       .Default(nullptr);
    if (handler)
      decoder.emit(handler);
    return handler != nullptr;
  }
  if (name == "s.waitcnt") {
    std::optional<int64_t> counts = intrinsic.constant(0);
    if (intrinsic.architecture.generation >= 12 || !counts)
      return intrinsic.missing();
    if (!intrinsic.architecture.copiesToLds())
      return true;
    unsigned left = copiesLeft(unsigned(*counts));
    if (left != 63)
      decoder.emit(waitCopyGroup()).immediate = left;
    return true;
  }
  if (name == "endpgm") { // where an assertion has failed, whose text lies in the memory for messages
    decoder.emit(failedAssertionHandler());
    return true;
  }
  // What orders or delays instructions without changing what they compute. Loads have ended when they have run.
  return name == "wave.barrier" || name.starts_with("sched.") || name.starts_with("s.wait.") ||
         llvm::StringSwitch<bool>(name)
             .Cases({"s.setprio", "s.sleep", "iglp.opt", "s.nop", "s.dcache.inv", "s.dcache.wb"}, true)
             .Cases({"buffer.wbinvl1", "s.prefetch.data", "s.prefetch.inst", "s.ttracedata", "s.setprio.inc.wg"}, true)
             .Default(false);
}

llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef callee) {
  if (!callee.consume_front("llvm."))
    return false;
  if (callee.starts_with("readsteadycounter")) {
    readSteadyCounter(decoder, call);
    return true;
  }
  if (callee.starts_with("readcyclecounter")) {
    decoder.emit(timeHandler(), decoder.defineNew(&call).front());
    return true;
  }
  if (!callee.starts_with("amdgcn."))
    return decodeLibrary(decoder, call, callee);
  if (call.getIntrinsicID() == llvm::Intrinsic::not_intrinsic)
    return false;
  // Without the types of overloaded intrinsics.
  llvm::StringRef name = llvm::Intrinsic::getBaseName(call.getIntrinsicID());
  name.consume_front("llvm.amdgcn.");
  Intrinsic intrinsic{decoder, call, name, Architecture::of(decoder.kernel)};
  for (auto *decode : {&decodeIds, &decodeScheduling, &decodeLanes, &decodeBuffer, &decodeLds, &decodeBarrier,
                       &decodeMath, &decodeConversion, &decodeMatrix}) {
    llvm::Expected<bool> isKnown = decode(intrinsic);
    if (!isKnown || *isKnown)
      return isKnown;
  }
  return decoder.unsupported(call);
}

} // namespace triton::simulator::amdgpu
