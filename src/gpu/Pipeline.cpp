// The stage ttgir, one line a pass with the reason for its place. The passes of a part are in the folder of its name;
// where one of another folder is due, its comment says of which.
#include "gpu/Pipeline.h"

#include "gpu/Passes.h"
#include "gpu/analysis/Scratch.h"
#include "gpu/copies/Passes.h"
#include "gpu/ir/ForeignDialects.h"
#include "gpu/layouts/Passes.h"
#include "gpu/loops/Passes.h"
#include "gpu/memory/Passes.h"
#include "gpu/products/Passes.h"
#include "gpu/tiles/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace triton::ttg {

void registerTtgirPasses() {
  registerTritonGPUTilesPasses();
  registerTritonGPULayoutsPasses();
  registerTritonGPUProductsPasses();
  registerTritonGPUCopiesPasses();
  registerTritonGPULoopsPasses();
  registerTritonGPUMemoryPasses();
  registerTritonGPUVerificationPasses();
}

void registerTtgirModels(DialectRegistry &registry) {
  registry.insert<AmdgDialect, TtngDialect>(); // A text may begin with what these have.
  analysis::registerScratchModels(registry);
}

void addBlockPasses(OpPassManager &pm, const BlockOptions &options) {
  if (options.blocks > 1)
    pm.addPass(createTritonSplitPrograms({options.blocks, options.target})); // Before what depends on sizes of tiles.
  if (options.copiedBytes == 0)
    return;
  // The next decides for descriptors, or pointers.
  pm.addPass(createTritonDescribeLoads({options.target, options.numWarps, options.pointerCopyObstacle}));
  pm.addPass(createTritonSelectMappedLoads({options.copiedBytes, options.target, options.numWarps, options.numStages}));
  pm.addPass(createTritonSelectMappedStores({options.copiedBytes})); // Where loads have warps of their own.
}

void addAddressPasses(OpPassManager &pm) { pm.addPass(createTritonSeparateBases()); }

namespace {

/// Adds passes in parts, and a check of the rules at the end of each part; if requested, after each pass.
class PassList {
public:
  PassList(OpPassManager &pm, bool verifiesEach) : pm(pm), verifiesEach(verifiesEach) {}

  void addPass(std::unique_ptr<Pass> pass) {
    if (pass->getArgument() == "tritongpu-specialize-warps")
      isSpecialized = hasNewRings = true;
    if (pass->getArgument() == "tritongpu-flatten-loops")
      hasNewRings = false;
    isPipelined |= pass->getArgument() == "tritongpu-pipeline";
    hasBarriers |= pass->getArgument() == "tritongpu-insert-barriers";
    pm.addPass(std::move(pass));
    if (verifiesEach)
      addVerifier();
  }

  void endPart() {
    if (!verifiesEach)
      addVerifier();
  }

private:
  void addVerifier() {
    pm.addPass(createTritonGPUVerifyTTGIR({isSpecialized, hasNewRings, isPipelined, hasBarriers, /*machine=*/""}));
  }

  OpPassManager &pm;
  bool verifiesEach, isSpecialized = false, hasNewRings = false, isPipelined = false, hasBarriers = false;
};

void addMemoryPasses(PassList &pm) {
  pm.addPass(createTritonGPUFenceAsyncProxy()); // Before barriers, which stand behind the fences.
  pm.addPass(createAllocateSharedMemory());     // Nothing later adds or moves shared memory.
  pm.addPass(createTritonGPUInsertBarriers());  // After the allocation, which decides what overlaps.
  pm.addPass(createTritonGPURemoveBarriers());  // Inserting is simple and safe; what can be proved needless goes here.
}

} // namespace

void buildTtgirPipeline(OpPassManager &manager, const TtgirOptions &options) {
  PassList pm(manager, options.verifiesEachPass);

  // ===== Tiles: how many there are of what, before threads matter. =====
  pm.addPass(createTritonGPUWidenFloat8()); // First: what follows counts the registers of all types.
  if (!options.keepsWarps)
    pm.addPass(createTritonGPULimitWarps({options.target, options.numWarps})); // Layouts are over these.
  pm.endPart();

  // ===== Layouts: those of memory accesses matter most and are decided first. =====
  pm.addPass(createConvertTritonToTritonGPU({options.target, options.numWarps, options.numCtas}));
  pm.addPass(createTritonGPUCoalesce({options.numStages}));
  pm.endPart();

  // ===== Products: the other anchors of layouts; then all other layouts follow, and operands get buffers. =====
  pm.addPass(createTritonGPUSplitF32Dots()); // Makes products that matrix units can do.
  pm.addPass(createTritonGPUAccelerateMatmul({!options.disablesWarpGroupDots}));
  pm.addPass(createTritonGPUCarryTransposed());    // The layouts of what loops carry are not decided yet.
  pm.addPass(createTritonGPUTransposeInThreads()); // Units say which neighbours they need; loads are anchors, too.
  pm.addPass(createTritonGPUOrderCopies());        // The same for machines that copy in the order of lanes.
  pm.addPass(createTritonGPURemoveLayoutConversions({options.numStages})); // Of layouts: all anchors are decided.
  pm.addPass(createTritonGPUOptimizeThreadLocality()); // Of layouts: they say what a thread holds of an axis.
  pm.addPass(createTritonGPUOptimizeDotOperands());    // Now a conversion to an operand stands beside what it converts.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());                           // Equal loads become one before they get buffers.
  pm.addPass(createTritonGPUCombineTensorSelectAndIf()); // Of loops: selections are free where a branch is beside.
  pm.addPass(createTritonGPUShareGatheredTiles());       // Of loops: the pipeline takes the shared memory that is left.
  pm.addPass(createTritonGPUReorderInstructions());      // Decides how much shared memory is left for the pipeline.
  pm.addPass(createTritonGPUParkOperands({options.numStages})); // Conversions stand where registers want them.
  if (options.reportsWork)
    pm.addPass(createTritonGPUReportWork()); // Of layouts: they are chosen, and each access stands there once.
  pm.endPart();

  // ===== Copies: what engines move beside the program. =====
  pm.addPass(createTritonGPUBufferMappedStores({options.numStages})); // Rings of loads take what is left.
  pm.addPass(createTritonGPUSpecializeWarps({options.numStages}));    // Takes its loads from the pipeline.
  pm.endPart();

  // ===== Loops: what iterations do beside one another. =====
  pm.addPass(createTritonGPUFlattenLoops({options.numStages})); // Layouts and buffers are those of loops as written.
  pm.addPass(createTritonGPUStageLoads({options.numStages}));   // Loads run ahead as copies to buffers.
  pm.addPass(createTritonGPUAssignLatencies({options.numStages}));
  pm.addPass(createTritonGPUScheduleLoops());
  pm.addPass(createTritonGPUPipeline());
  pm.addPass(createTritonGPUMoveInvariants()); // The bounds up to which stages run are the same in all iterations.
  pm.addPass(createCanonicalizerPass());       // Drops what loops carry without need.
  pm.addPass(createCSEPass());
  pm.addPass(createTritonGPUCombineTensorSelectAndIf()); // Sums start anew where a flattened loop stores its results.
  pm.addPass(createTritonGPUStoreOperandsEarly());       // Of products: what no copy brings ahead.
  pm.addPass(createTritonGPUDoubleBufferOperands());     // With the shared memory that the loads have left.
  pm.addPass(createTritonGPUReadOperandBuffers());       // Of products: it is decided which buffers are rings.
  pm.addPass(createTritonGPURotateLoops());              // Before others decide what runs beside what.
  pm.addPass(createTritonGPUHoistDots());                // What is issued together overlaps.
  pm.addPass(createTritonGPUSplitDots());                // Before it is decided what products run beside.
  pm.addPass(createTritonGPUOverlapDots());              // The rings that products read from are there now.
  pm.endPart();

  // ===== Memory: places, and what waits for what. =====
  addMemoryPasses(pm);
  pm.addPass(createTritonGPUDelayWaits());      // Barriers stand where they are needed.
  pm.addPass(createTritonGPUAlternateGroups()); // Of loops, but must know that no barrier is in the way.
  pm.endPart();
}

void buildGluonPipeline(OpPassManager &manager, const TtgirOptions &options) {
  PassList pm(manager, options.verifiesEachPass);
  pm.addPass(createTritonGPUResolveLayouts());        // First: without layouts there are no rules.
  pm.addPass(createTritonGPUMapDescriptors());        // Launches know no choice between groups of warps.
  pm.addPass(createTritonGPUDivideAmongBlocks());     // Of tiles: what follows knows one block, and its maps are there.
  pm.addPass(createTritonGPUCheckAsynchronousUses()); // Of what the kernel says, before anything changes it.
  pm.addPass(createTritonGPUSharePartitions());       // Before constants are folded.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createTritonGPUMoveInvariants());
  if (options.reportsWork)
    pm.addPass(createTritonGPUReportWork()); // Before warps part: it counts what stands in one function.
  pm.endPart();
  pm.addPass(createTritonGPUPlaceTensorMemory()); // Before fences and barriers, which products need.
  addMemoryPasses(pm);
  pm.addPass(createTritonGPUOutlinePartitions()); // Of copies: places and barriers are those of the whole program.
  pm.endPart();
}

void addForeignPasses(OpPassManager &pm) {
  pm.addPass(createTritonGPUExpandForeign());
  pm.addPass(createTritonGPUDivideAmongBlocks()); // Of tiles: Triton's copies are ours now.
}

void buildGivenPipeline(OpPassManager &pm) {
  pm.addPass(createTritonGPUPlaceTensorMemory());
  pm.addPass(createTritonGPUFenceAsyncProxy());
  pm.addPass(createAllocateSharedMemory());
  pm.addPass(createTritonGPUInsertBarriers());
  pm.addPass(createTritonGPUOutlinePartitions()); // Of copies: places and barriers are those of the whole program.
}

} // namespace triton::ttg
