// The parts of NVPTX's instruction set.
#pragma once

#include "simulator/core/Decoder.h"

namespace triton::simulator::nvptx {

/// An intrinsic; `name` follows "llvm.nvvm.".
llvm::Error decodeNvvm(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name);
/// A fence; `form` follows "membar." or "fence.".
void decodeFence(Decoder &decoder, llvm::StringRef form);
/// `llvm.nvvm.mbarrier.<name>` (DecodeMemoryBarrier.cpp).
llvm::Error decodeMemoryBarrier(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name);
/// `llvm.nvvm.cp.async.bulk.<name>` (DecodeBulkCopy.cpp).
llvm::Error decodeBulkCopy(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name);
/// cp.async.mbarrier.arrive; `isCounted`: the arrival is one of those for which the barrier waits.
void decodeCopyArrival(Decoder &decoder, RegisterOffset address, bool isCounted, RegisterOffset lanes);
/// A call of the function `__nv_<name>`, which is not linked (DecodeLibdevice.cpp).
llvm::Error decodeLibdevice(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name);
/// Whether `name` is a conversion of NVIDIA's library of functions (DecodeCasts.cpp).
llvm::Expected<bool> decodeLibraryCast(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef name);

llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &assembly);
/// Returns whether `text`, with its spaces squeezed, is a load or store (DecodeAccess.cpp).
llvm::Expected<bool> decodeAssemblyAccess(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef text);
/// Any text of instructions on registers (DecodePtx.cpp).
llvm::Error decodePtx(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &assembly);

} // namespace triton::simulator::nvptx
