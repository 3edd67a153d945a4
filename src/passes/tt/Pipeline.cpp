// The stage ttir, one line for each pass with the reason for its place.
#include "passes/tt/Pipeline.h"

#include "passes/ptx/Passes.h"
#include "passes/tt/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::tt {

void buildTtirPipeline(OpPassManager &pm, const TtirOptions &options) {
  pm.addPass(createTritonInlineCalls({options.inlinesEveryCall})); // First: the following passes see whole kernels.
  pm.addPass(createSymbolDCEPass()); // Removes inlined functions before passes spend time on them.
  if (options.translatesPtx)
    pm.addPass(createTritonTranslatePtx());       // Early, so that what it writes is simplified with the rest.
  pm.addPass(createTritonRewriteTensorPointer()); // No later pass needs to know block pointers.
  pm.addPass(createTritonDropUnitDimensions());   // Descriptors have all their accesses still, and these their shapes.
  if (options.addBlockPasses)
    options.addBlockPasses(pm); // They take their share of descriptors before the others become pointers.
  if (options.rewriteTensorDescriptors)
    pm.addPass(createTritonRewriteTensorDescriptorToPointer({options.bulkCopyObstacle}));
  // Before the patterns that look for conversions and transpositions.
  pm.addPass(createTritonDecomposeScaledDot({options.scalingDepths, options.takesPtx}));
  pm.addPass(createCanonicalizerPass()); // Also drops the loop-invariant parts that the rewrites carry through loops.
  pm.addPass(createCSEPass());           // The patterns below compare values by identity.
  // Before combine, which moves the scalar offsets into the base.
  if (options.scalarizeInductions || options.scalarizesBuffers)
    pm.addPass(createTritonScalarizeInductions({/*onlyBuffers=*/!options.scalarizeInductions}));
  pm.addPass(createTritonCombine());
  pm.addPass(createTritonFoldAssumptions());  // After the merge of equal conditions, before the last clean-up.
  pm.addPass(createTritonReorderBroadcast()); // After combine, whose product pattern looks for broadcasts.
  if (options.addAddressPasses)
    options.addAddressPasses(pm); // After the passes that move uniform values together.
  pm.addPass(createCSEPass());    // Before motion: equal values then move once.
  pm.addPass(createTritonLicm());
  pm.addPass(createTritonLoopUnroll()); // After motion, which then runs on one copy of the body.
  pm.addPass(createCanonicalizerPass());
  if (options.findsDisjointArguments)
    pm.addPass(createTritonFindDisjointArguments()); // Last: what was simplified away needs no pairs.
  pm.addPass(createTritonVerifyTtir());
}

} // namespace triton::tt
