#include "backends/gpu/GpuStages.h"

#include "backends/KernelSignature.h"
#include "backends/LaunchFacts.h"
#include "base/PassDumps.h"
#include "gpu/Passes.h"
#include "gpu/Pipeline.h"
#include "gpu/ir/Dialect.h"
#include "gpu/lowering/Passes.h"
#include "passes/llvm/Passes.h"
#include "passes/tt/Passes.h"
#include "passes/tt/Pipeline.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

namespace triton::backends {

void registerGpuDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
              mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect, ttg::TritonGPUDialect>();
  ttg::registerTtgirModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

llvm::Error runGpuTtir(Compilation &compilation, base::PassRunner &runner, const TtirMachine &machine) {
  return runner.run(*compilation.module, "ttir", [&](mlir::OpPassManager &passes) {
    tt::TtirOptions options;
    ttg::BlockOptions blockOptions;
    blockOptions.target = machine.name;
    blockOptions.numWarps = unsigned(compilation.options.numWarps);
    blockOptions.numStages = unsigned(compilation.options.numStages);
    blockOptions.blocks = unsigned(compilation.options.numCtas);
    if (!compilation.environment.disableWarpSpecialization)
      blockOptions.copiedBytes = machine.copiedBytes;
    options.translatesPtx = !machine.takesPtx;
    options.takesPtx = machine.takesPtx;
    options.scalingDepths = machine.scalingDepths;
    options.scalarizeInductions = false; // Tiles live in registers: carried pointers cost additions alone.
    options.scalarizesBuffers = machine.hasBases;
    if (machine.hasBases)
      options.addAddressPasses = ttg::addAddressPasses;
    options.findsDisjointArguments = true; // Loops keep loads in flight, beyond stores of earlier iterations.
    if (machine.copiedBytes == 0)
      options.bulkCopyObstacle = "the target has no bulk copies of blocks";
    else if (compilation.environment.disableWarpSpecialization)
      options.bulkCopyObstacle = "bulk copies are switched off (TRITON_DISABLE_WARP_SPECIALIZATION)";
    if (!machine.copiesOfPointers)
      blockOptions.pointerCopyObstacle = "the option `pointer_copies` is off";
    else if (compilation.options.numStages < 2)
      blockOptions.pointerCopyObstacle = "with `num_stages` below 2 nothing is loaded ahead";
    else if (compilation.environment.disableMmaV3)
      blockOptions.pointerCopyObstacle =
          "units that would multiply what copies bring are switched off (DISABLE_MMA_V3)";
    options.addBlockPasses = [&](mlir::OpPassManager &pm) { ttg::addBlockPasses(pm, blockOptions); };
    tt::buildTtirPipeline(passes, options);
  });
}

/// What a launch must know: the compiler decides how many warps of those asked for a program runs on, and which tensor
/// maps it takes.
static llvm::Error recordResources(Compilation &compilation) {
  mlir::ModuleOp module = *compilation.module;
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(ttg::sharedBytesAttribute))
    compilation.results.sharedBytes = bytes.getInt();
  if (auto warps = module->getAttrOfType<mlir::IntegerAttr>(ttg::numWarpsAttribute))
    compilation.results.numWarps = int(warps.getInt());
  return readLaunchAttributes(module, compilation.symbol, compilation.results);
}

llvm::Error runGpuTtgir(Compilation &compilation, base::PassRunner &runner, llvm::StringRef machine, bool keepsWarps) {
  if (compilation.isGluon)
    (*compilation.module)->setAttr(ttg::targetAttribute, mlir::StringAttr::get(&compilation.context, machine));
  ttg::TtgirOptions options;
  options.target = machine.str();
  options.keepsWarps = keepsWarps;
  options.numWarps = unsigned(compilation.options.numWarps);
  options.numStages = unsigned(compilation.options.numStages);
  options.disablesWarpGroupDots = compilation.environment.disableMmaV3;
  options.reportsWork = compilation.context.getRemarkEngine() != nullptr;
  options.verifiesEachPass = base::verifiesEachPass || compilation.environment.verifyPasses;
  if (llvm::Error error = runner.run(*compilation.module, "ttgir", [&](mlir::OpPassManager &passes) {
        if (!compilation.isGluon)
          return ttg::buildTtgirPipeline(passes, options);
        passes.addPass(tt::createTritonInlineCalls({/*everyCall=*/true}));
        passes.addPass(mlir::createSymbolDCEPass());
        ttg::buildGluonPipeline(passes, options);
      }))
    return error;
  compilation.keepsRules = true;
  return recordResources(compilation);
}

bool isSimulated(const base::Target &target) { return llvm::StringRef(target.backend).starts_with("sim:"); }

/// TTGIR that a user wrote may hold what Triton alone makes, such as maps that launches make here, and break the rules
/// on which the passes rest.
static llvm::Error verifyGivenTtgir(Compilation &compilation, base::PassRunner &runner, llvm::StringRef machine) {
  if (llvm::Error error = runner.run(*compilation.module, "llir", [&](mlir::OpPassManager &passes) {
        ttg::addForeignPasses(passes);
        passes.addPass(ttg::createTritonGPUVerifyTTGIR({/*isSpecialized=*/true, /*hasNewRings=*/false,
                                                        /*isPipelined=*/true, /*hasBarriers=*/false, machine.str()}));
      }))
    return error;
  return recordResources(compilation);
}

llvm::Error lowerGpuModule(Compilation &compilation, base::PassRunner &runner, llvm::StringRef machine,
                           bool flushDenormals, const gpu::EmitterOptions &options) {
  if (!compilation.keepsRules)
    if (llvm::Error error = verifyGivenTtgir(compilation, runner, machine))
      return error;
  // What a user wrote may leave the allocation of shared memory and the barriers to the compiler.
  bool isAllocated = (*compilation.module)->hasAttr(ttg::sharedBytesAttribute);
  if (llvm::Error error = runner.run(*compilation.module, "llir", [&](mlir::OpPassManager &passes) {
        if (!isAllocated)
          ttg::buildGivenPipeline(passes);
        passes.addPass(gpu::createConvertTritonGPUToLLVM({flushDenormals, /*checkAssertions=*/compilation.options.debug,
                                                          options.maxRegisters, options.ptxVersion, options.buffers,
                                                          /*definesAll=*/isSimulated(compilation.target)}));
        passes.addPass(mlir::createCSEPass()); // Cheap, and it leaves LLVM less to read. LLVM folds constants itself.
        if (compilation.options.lineInfo)      // The functions are final. Assemblers do not optimize with more.
          passes.addPass(createTritonAttachDebugScopes({/*directivesOnly=*/true}));
      }))
    return error;
  return recordResources(compilation);
}

llvm::Error translateGpuModule(Compilation &compilation) {
  compilation.llvmContext = std::make_unique<llvm::LLVMContext>();
  compilation.llvmModule = mlir::translateModuleToLLVMIR(*compilation.module, *compilation.llvmContext, "kernel",
                                                         /*disableVerification=*/!base::verifiesEachPass);
  if (!compilation.llvmModule)
    return llvm::createStringError("the llvm dialect of this kernel has no translation to LLVM IR");
  compilation.module = nullptr;
  writeLaunchFacts(*compilation.llvmModule, compilation.results);
  return llvm::Error::success();
}

} // namespace triton::backends
