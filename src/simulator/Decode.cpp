#include "simulator/Decode.h"

#include "simulator/amdgpu/AmdgpuInstructionSet.h"
#include "simulator/nvptx/NvptxInstructionSet.h"

namespace triton::simulator {

llvm::Expected<std::unique_ptr<Program>> decodeKernel(const llvm::Module &module, llvm::StringRef kernelName) {
  const llvm::Triple &triple = module.getTargetTriple();
  if (triple.isNVPTX())
    return Program::decode(module, kernelName, nvptxInstructionSet());
  if (triple.isAMDGCN())
    return Program::decode(module, kernelName, amdgpuInstructionSet());
  return llvm::make_error<UnsupportedError>(SourceLocation{{module.getSourceFileName()}, {}},
                                            triple.empty() ? "a module that names no target"
                                                           : "the target `" + triple.str() + "`");
}

} // namespace triton::simulator
