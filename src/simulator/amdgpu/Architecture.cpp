#include "simulator/amdgpu/Architecture.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::simulator::amdgpu {

Architecture Architecture::of(const llvm::Function &kernel) {
  Architecture architecture;
  llvm::StringRef name = kernel.getFnAttribute("target-cpu").getValueAsString();
  if (name.consume_front("gfx") && name.size() >= 3) {
    architecture.stepping = llvm::hexDigitValue(name.back());
    architecture.minor = llvm::hexDigitValue(name[name.size() - 2]);
    name.drop_back(2).getAsInteger(10, architecture.generation);
  }
  llvm::StringRef features = kernel.getFnAttribute("target-features").getValueAsString();
  architecture.hasWave64 = architecture.generation < 10 || features.contains("+wavefrontsize64");
  return architecture;
}

} // namespace triton::simulator::amdgpu
