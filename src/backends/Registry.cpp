#include "backends/Backend.h"
#include "backends/SimulatedBackend.h"
#include "backends/cpu/CpuBackend.h"
#include "backends/nvidia/NvidiaBackend.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::backends {

static llvm::ArrayRef<const Backend *> allBackends() {
  static const SimulatedBackend simulatedNvidia("sim:cuda", nvidia::nvidiaBackend());
  static const Backend *const all[] = {&cpu::cpuBackend(), &nvidia::nvidiaBackend(), &simulatedNvidia};
  return all;
}

const Backend *findBackend(llvm::StringRef name) {
  for (const Backend *backend : allBackends())
    if (backend->name() == name)
      return backend;
  return nullptr;
}

llvm::SmallVector<llvm::StringRef> backendNames() {
  return llvm::map_to_vector(allBackends(), [](const Backend *backend) { return backend->name(); });
}

std::string printArtifact(const Compilation &compilation, StageForm form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  switch (form) {
  case StageForm::Mlir:
    compilation.module.get()->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
    return text;
  case StageForm::Llvm:
    compilation.llvmModule->print(stream, nullptr);
    return text;
  case StageForm::Binary:
    return compilation.binary;
  }
  llvm_unreachable("all forms are listed");
}

} // namespace triton::backends
