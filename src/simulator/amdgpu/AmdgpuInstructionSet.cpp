#include "simulator/amdgpu/AmdgpuInstructionSet.h"

#include "simulator/amdgpu/Architecture.h"
#include "simulator/amdgpu/Decode.h"

namespace triton::simulator {

namespace {

class AmdgpuInstructionSet final : public InstructionSet {
public:
  bool isKernel(const llvm::Function &function) const override {
    return function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
  }

  unsigned requiredThreads(const llvm::Function &kernel) const override {
    auto [least, most] = kernel.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString().split(',');
    unsigned threads = 0;
    return least == most && !most.getAsInteger(10, threads) ? threads : 0;
  }

  /// "-one-as" restricts an operation to the address space of its access; ordering more than that misses races, but
  /// invents none.
  Scope scope(llvm::StringRef name) const override {
    name.consume_back("-one-as");
    return name == "workgroup" ? Scope::Program : name.empty() ? Scope::System : Scope::Device;
  }
  bool isWithinWarp(llvm::StringRef name) const override {
    name.consume_back("-one-as");
    return name == "wavefront" || name == "singlethread";
  }

  SharedBanks sharedBanks(const llvm::Function &kernel) const override {
    amdgpu::Architecture architecture = amdgpu::Architecture::of(kernel);
    constexpr unsigned many = 64;
    return {architecture.isGfx1250() ? many : SharedBanks().narrow,
            architecture.isGfx1250() || architecture.isGfx950() ? many : SharedBanks().wide};
  }
  unsigned laneCount(const llvm::Function &kernel) const override {
    return amdgpu::Architecture::of(kernel).laneCount();
  }

  llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef callee) const override {
    return amdgpu::decodeCall(decoder, call, callee);
  }

  llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call,
                             const llvm::InlineAsm &assembly) const override {
    return amdgpu::decodeAssembly(decoder, call, assembly);
  }
};

} // namespace

const InstructionSet &amdgpuInstructionSet() {
  static const AmdgpuInstructionSet instructionSet;
  return instructionSet;
}

} // namespace triton::simulator
