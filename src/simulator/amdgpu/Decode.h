// The parts of the instruction set of AMD's GPUs. Each function decodes one family of calls and says whether the call
// belongs to it; `name` follows "llvm.amdgcn.".
#pragma once

#include "simulator/amdgpu/Architecture.h"
#include "simulator/core/Decoder.h"

namespace triton::simulator::amdgpu {

/// A call of an intrinsic.
struct Intrinsic {
  Decoder &decoder;
  const llvm::CallInst &call;
  llvm::StringRef name;
  Architecture architecture;

  const llvm::Value *argument(unsigned index) const { return call.getArgOperand(index); }
  /// The value of an argument that is a constant, otherwise none.
  std::optional<int64_t> constant(unsigned index) const {
    auto *integer = llvm::dyn_cast<llvm::ConstantInt>(argument(index));
    return integer ? std::optional(integer->getSExtValue()) : std::nullopt;
  }
  /// Refuses an instruction that the kernel's processor does not have.
  llvm::Error missing() const {
    return decoder.unsupported(call, "an instruction that the kernel's GPU does not have");
  }
  /// Emits one instruction on whole operand lists.
  llvm::Expected<bool> withList(Handler handler) const { return known(decoder.decodeWithList(call, handler)); }
  /// Emits an instruction without operands that defines the call's single result.
  bool withoutOperands(Handler handler) const {
    decoder.emit(handler, decoder.defineNew(&call).front());
    return true;
  }
  static llvm::Expected<bool> known(llvm::Error error) {
    if (error)
      return std::move(error);
    return true;
  }
};

/// Any call; `callee` is the whole name of the function.
llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef callee);

llvm::Expected<bool> decodeIds(const Intrinsic &intrinsic);        ///< numbers of threads and programs, clocks
llvm::Expected<bool> decodeScheduling(const Intrinsic &intrinsic); ///< barriers, waits, hints
llvm::Expected<bool> decodeLanes(const Intrinsic &intrinsic);      ///< values of other lanes
llvm::Expected<bool> decodeBuffer(const Intrinsic &intrinsic);     ///< buffer resources and accesses through them
llvm::Expected<bool> decodeLds(const Intrinsic &intrinsic);        ///< copies to LDS and transposing reads of it
llvm::Expected<bool> decodeBarrier(const Intrinsic &intrinsic);    ///< barriers in LDS
llvm::Expected<bool> decodeMath(const Intrinsic &intrinsic);       ///< arithmetic on one lane
llvm::Expected<bool> decodeConversion(const Intrinsic &intrinsic); ///< of narrow floats
llvm::Expected<bool> decodeMatrix(const Intrinsic &intrinsic);     ///< matrix products
/// The copies to LDS that s_waitcnt leaves in flight, whose counter is split: bits 3:0 and 15:14. 63 is any number.
inline unsigned copiesLeft(unsigned counts) { return (counts & 15) | ((counts >> 14 & 3) << 4); }
llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &assembly);
/// A mathematical function that LLVM lowers itself; `name` follows "llvm.".
llvm::Expected<bool> decodeLibrary(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name);

} // namespace triton::simulator::amdgpu
