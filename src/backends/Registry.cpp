#include "backends/Backend.h"
#include "backends/cpu/CpuBackend.h"

namespace triton::backends {

const Backend *findBackend(llvm::StringRef name) {
  const Backend *all[] = {&cpu::cpuBackend()};
  for (const Backend *backend : all)
    if (backend->name() == name)
      return backend;
  return nullptr;
}

} // namespace triton::backends
