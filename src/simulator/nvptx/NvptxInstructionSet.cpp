#include "simulator/nvptx/NvptxInstructionSet.h"

#include "simulator/nvptx/Decode.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::simulator {

namespace {

class NvptxInstructionSet final : public InstructionSet {
public:
  bool isKernel(const llvm::Function &function) const override {
    return function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
  }

  unsigned requiredThreads(const llvm::Function &kernel) const override {
    unsigned threads = 0;
    if (kernel.hasFnAttribute("nvvm.reqntid"))
      kernel.getFnAttribute("nvvm.reqntid").getValueAsString().split(',').first.getAsInteger(10, threads);
    return threads;
  }

  std::optional<std::array<uint32_t, 3>> requiredCluster(const llvm::Function &kernel) const override {
    if (!kernel.hasFnAttribute("nvvm.cluster_dim"))
      return std::nullopt;
    std::array<uint32_t, 3> extents{1, 1, 1};
    llvm::SmallVector<llvm::StringRef, 3> parts;
    kernel.getFnAttribute("nvvm.cluster_dim").getValueAsString().split(parts, ',');
    for (auto [extent, part] : llvm::zip(extents, parts))
      part.trim().getAsInteger(10, extent);
    return llvm::is_contained(extents, 0u) ? std::nullopt : std::optional(extents);
  }

  Scope scope(llvm::StringRef name) const override {
    return name == "block" ? Scope::Program : name.empty() ? Scope::System : Scope::Device;
  }

  unsigned laneCount(const llvm::Function &) const override { return nvptx::warpSize; }

  llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef callee) const override {
    auto known = [](llvm::Error error) -> llvm::Expected<bool> {
      if (error)
        return std::move(error);
      return true;
    };
    if (callee.consume_front("llvm.nvvm."))
      return known(nvptx::decodeNvvm(decoder, call, callee));
    if (callee == "__assertfail")
      return known(decoder.decodeWithList(call, nvptx::assertFailHandler()));
    if (callee.starts_with("llvm.readcyclecounter")) {
      decoder.emit(timeHandler(), decoder.defineNew(&call).front());
      return true;
    }
    if (callee == "vprintf")
      return known(decoder.decodeWithList(call, nvptx::printHandler()));
    if (callee.consume_front("__nv_"))
      return known(nvptx::decodeLibdevice(decoder, call, callee));
    if (callee != "__nvvm_reflect")
      return false;
    // Subnormal numbers are not flushed, unless the module was specialized for that before.
    decoder.define(&call, {decoder.constantRegister(0, 4)});
    return true;
  }

  bool isAsynchronousProduct(const llvm::CallInst &call) const override {
    auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
    return assembly && !call.getType()->isVoidTy() && assembly->getAsmString().contains("wgmma.");
  }

  llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call,
                             const llvm::InlineAsm &assembly) const override {
    return nvptx::decodeAssembly(decoder, call, assembly);
  }
};

} // namespace

const InstructionSet &nvptxInstructionSet() {
  static const NvptxInstructionSet instructionSet;
  return instructionSet;
}

} // namespace triton::simulator
