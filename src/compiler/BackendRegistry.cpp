#include "compiler/BackendRegistry.h"

#include "backends/amd/AmdBackend.h"
#include "backends/cpu/CpuBackend.h"
#include "backends/nvidia/NvidiaBackend.h"
#include "backends/simulated/SimulatedBackend.h"
#include "base/Errors.h"

using namespace triton;
using namespace triton::compiler;
using backends::Backend;
using backends::SimulatedBackend;

static llvm::ArrayRef<const Backend *> allBackends() {
  static const SimulatedBackend simulatedNvidia("sim:cuda", nvidia::nvidiaBackend());
  static const SimulatedBackend simulatedAmd("sim:hip", amd::amdBackend());
  static const Backend *const all[] = {&cpu::cpuBackend(), &nvidia::nvidiaBackend(), &amd::amdBackend(),
                                       &simulatedNvidia, &simulatedAmd};
  return all;
}

const Backend *compiler::findBackend(llvm::StringRef name) {
  for (const Backend *backend : allBackends())
    if (backend->name() == name)
      return backend;
  return nullptr;
}

llvm::SmallVector<llvm::StringRef> compiler::backendNames() {
  return llvm::map_to_vector(allBackends(), [](const Backend *backend) { return backend->name(); });
}

const Backend &compiler::requireBackend(const base::Target &target) {
  if (const Backend *backend = findBackend(target.backend))
    return *backend;
  std::string message = "no backend `" + target.backend + "`; this build has";
  for (llvm::StringRef name : backendNames())
    message += " `" + name.str() + "`";
  throw base::CompilationError(base::CompilationError::Kind::General, "error: " + message, message, 0, 0);
}
