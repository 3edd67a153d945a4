#include "aot/Generate.h"

#include "aot/CTypes.h"
#include "aot/CpuSource.h"
#include "aot/Errors.h"
#include "aot/GpuSource.h"

using namespace triton;
using namespace triton::aot;

std::vector<GeneratedFile> aot::generateC(const Specification &specification, const base::CompiledKernel &kernel) {
  const AotBackend *words = findAotBackend(kernel.target.backend);
  if (!words)
    throw Error("kernels for `" + kernel.target.backend + "` are not written as C; the targets are cpu, cuda and hip");
  std::string source =
      words->isGpu() ? writeGpuSource(specification, kernel, *words) : writeCpuSource(specification, kernel, *words);
  return {{".h", writeHeader(specification, *words)}, {".c", std::move(source)}};
}
