// The stage ttir, one line a pass with the reason for its place.
#include "passes/tt/Pipeline.h"

#include "passes/tt/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::tt {

void buildTtirPipeline(OpPassManager &pm, const TtirOptions &options) {
  pm.addPass(createTritonInlineCalls()); // First: all that follows sees whole kernels.
  pm.addPass(createSymbolDCEPass());     // Inlined functions are gone before anything spends time on them.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

} // namespace triton::tt
