// The stages of the backend "cuda", in order, each with its passes.
#include "backends/nvidia/NvidiaBackend.h"

#include "backends/nvidia/CudaDevices.h"
#include "backends/nvidia/CudaKernel.h"
#include "backends/nvidia/Libdevice.h"
#include "backends/nvidia/NvidiaOptions.h"
#include "backends/nvidia/Toolkit.h"
#include "backends/nvidia/target/NvidiaTarget.h"
#include "base/PassDumps.h"
#include "gpu/ir/Dialect.h"
#include "gpu/lowering/Passes.h"
#include "gpu/passes/Passes.h"
#include "gpu/passes/Pipeline.h"
#include "passes/llvm/Passes.h"
#include "passes/tt/Pipeline.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

namespace triton::nvidia {
namespace {

using backends::Compilation;
using backends::Stage;
using backends::StageForm;
using base::PassRunner;

llvm::Error runTtir(Compilation &compilation, PassRunner &runner) {
  return runner.run(*compilation.module, "ttir", [](mlir::OpPassManager &passes) {
    tt::TtirOptions options;
    options.scalarizeInductions = false; // Tiles live in registers: carried pointers cost additions alone.
    tt::buildTtirPipeline(passes, options);
  });
}

const NvidiaOptions &optionsOf(const Compilation &compilation) {
  return static_cast<const NvidiaOptions &>(compilation.backendOptions);
}

/// What a launch must know: the compiler decides how many warps of those asked for a program runs on.
void recordResources(Compilation &compilation) {
  mlir::ModuleOp module = *compilation.module;
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(ttg::sharedBytesAttribute))
    compilation.results.sharedBytes = bytes.getInt();
  if (auto warps = module->getAttrOfType<mlir::IntegerAttr>(ttg::numWarpsAttribute))
    compilation.results.numWarps = int(warps.getInt());
}

llvm::Error runTtgir(Compilation &compilation, PassRunner &runner) {
  ttg::TtgirOptions options;
  options.keepsWarps =
      optionsOf(compilation).maxRegisters != 0; // Who limits registers has counted with the warps asked for.
  options.target = "cuda:" + compilation.target.arch;
  options.numWarps = unsigned(compilation.options.numWarps);
  options.numStages = unsigned(compilation.options.numStages);
  options.verifiesEachPass = base::verifiesEachPass || compilation.environment.verifyPasses;
  if (llvm::Error error = runner.run(*compilation.module, "ttgir",
                                     [&](mlir::OpPassManager &passes) { ttg::buildTtgirPipeline(passes, options); }))
    return error;
  recordResources(compilation);
  return llvm::Error::success();
}

llvm::Error translate(Compilation &compilation, const NvidiaOptions &options) {
  compilation.llvmContext = std::make_unique<llvm::LLVMContext>();
  compilation.llvmModule = mlir::translateModuleToLLVMIR(*compilation.module, *compilation.llvmContext, "kernel",
                                                         /*disableVerification=*/!base::verifiesEachPass);
  if (!compilation.llvmModule)
    return llvm::createStringError("the llvm dialect of this kernel has no translation to LLVM IR");
  compilation.module = nullptr;
  return prepareModule(*compilation.llvmModule, options.ptx);
}

/// What the lowering's own options do not say.
llvm::SmallVector<std::string> emitterOptions(const NvidiaOptions &options) {
  llvm::SmallVector<std::string> result;
  if (options.maxRegisters != 0)
    result.push_back("max-registers=" + std::to_string(options.maxRegisters));
  if (options.ptx.version != 0)
    result.push_back("ptx-version=" + std::to_string(options.ptx.version));
  return result;
}

llvm::Error runLlir(Compilation &compilation, PassRunner &runner) {
  const NvidiaOptions &options = optionsOf(compilation);
  // TTGIR that a user wrote may leave the places in shared memory, and the barriers, to the compiler.
  bool isAllocated = (*compilation.module)->hasAttr(ttg::sharedBytesAttribute);
  llvm::Error error = runner.run(*compilation.module, "llir", [&](mlir::OpPassManager &passes) {
    if (!isAllocated) {
      passes.addPass(ttg::createAllocateSharedMemory());
      passes.addPass(ttg::createTritonGPUInsertBarriers());
    }
    passes.addPass(gpu::createConvertTritonGPUToLLVM(
        {options.ptx.flushDenormals, /*checkAssertions=*/compilation.options.debug, emitterOptions(options)}));
    passes.addPass(mlir::createCSEPass()); // Cheap here, and LLVM then reads less. It folds constants itself.
    if (compilation.options.lineInfo) // Functions are final. More than directives would tell ptxas not to optimize.
      passes.addPass(createTritonAttachDebugScopes({/*directivesOnly=*/true}));
  });
  if (!error)
    recordResources(compilation);
  if (!error)
    error = runner.step("llir", "translate", [&] { return translate(compilation, options); });
  bool isSimulated = llvm::StringRef(compilation.target.backend).starts_with("sim:");
  if (!error)
    error = runner.step("llir", "link-libdevice",
                        [&] { return linkLibdevice(*compilation.llvmModule, /*mayBeMissing=*/isSimulated); });
  if (!error)
    error = runner.step("llir", "optimize", [&] { return optimizeModule(*compilation.llvmModule, options.ptx); });
  return error;
}

llvm::Error runPtx(Compilation &compilation, PassRunner &runner) {
  const NvidiaOptions &options = optionsOf(compilation);
  return runner.step("ptx", "codegen", [&]() -> llvm::Error {
    PtxOptions ptxOptions = options.ptx;
    if (ptxOptions.version == 0)
      ptxOptions.version = supportedPtxVersion(ptxOptions.architecture);
    llvm::Expected<std::string> ptx = generatePtx(*compilation.llvmModule, ptxOptions);
    if (!ptx)
      return ptx.takeError();
    if (base::isSelected(compilation.environment.nvptxDump, compilation.kernelName))
      base::appendDump(compilation.environment.mlirDumpPath, *ptx);
    compilation.binary = std::move(*ptx);
    return llvm::Error::success();
  });
}

llvm::Error runCubin(Compilation &compilation, PassRunner &runner) {
  const NvidiaOptions &options = optionsOf(compilation);
  return runner.step("cubin", "ptxas", [&]() -> llvm::Error {
    llvm::Expected<Assembly> assembly = assemble(compilation.binary, compilation.kernelName, options.assembly,
                                                 static_cast<AssemblerProcess *>(compilation.startedWork.get()));
    if (!assembly)
      return assembly.takeError();
    compilation.binary = std::move(assembly->cubin);
    compilation.results.registers = assembly->registers;
    compilation.results.spillBytes = assembly->spillBytes;
    return llvm::Error::success();
  });
}

constexpr Stage stageTable[] = {
    {"ttir", runTtir, StageForm::Mlir},     // tensors, target independent
    {"ttgir", runTtgir, StageForm::Mlir},   // tensors spread over threads
    {"llir", runLlir, StageForm::Llvm},     // LLVM IR of one thread
    {"ptx", runPtx, StageForm::Binary},     // NVIDIA's portable assembly
    {"cubin", runCubin, StageForm::Binary}, // machine code, an ELF file
};

class NvidiaBackend final : public backends::Backend {
public:
  llvm::StringRef name() const override { return "cuda"; }
  llvm::ArrayRef<Stage> stages() const override { return stageTable; }
  int warpSize(const std::string &) const override { return 32; }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                    mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                    mlir::ub::UBDialect, ttg::TritonGPUDialect>();
    registerNvidiaTargets(registry);
    ttg::registerTtgirModels(registry);
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
    mlir::registerNVVMDialectTranslation(registry);
  }

  llvm::Expected<std::unique_ptr<const backends::BackendOptions>>
  readOptions(const base::Target &target, const base::Options &options,
              const base::Environment &environment) const override {
    return nvidia::readOptions(target, options, environment);
  }

  base::LanguageOptions languageOptions(const base::Target &target) const override {
    base::LanguageOptions language{.target = target};
    language.inputPrecisions = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"};
    language.defaultInputPrecision = "tf32";
    llvm::Expected<Architecture> architecture = parseArchitecture(target.arch);
    if (!architecture)
      llvm::consumeError(architecture.takeError()); // readOptions reports it
    else if (architecture->capability < 89)
      llvm::erase(language.float8Types, base::ScalarType::Float8E4NV);
    return language;
  }

  llvm::Error adopt(llvm::Module &module, const Compilation &compilation) const override {
    return adoptModule(module, optionsOf(compilation).ptx);
  }

  /// The assembler and the library decide the code, the assembler also which PTX is written.
  std::string fingerprint(const backends::BackendOptions &options) const override {
    return ptxasFingerprint(static_cast<const NvidiaOptions &>(options).ptx.architecture) + "\n" +
           libdeviceFingerprint();
  }

  void begin(Compilation &compilation) const override {
    compilation.startedWork = startAssembler(compilation.kernelName, optionsOf(compilation).assembly);
  }

  backends::DeviceLimits limits(const base::Target &target) const override {
    Architecture architecture = llvm::cantFail(parseArchitecture(target.arch));
    return {{INT32_MAX, maxGridYZ, maxGridYZ}, architecture.maxSharedBytes};
  }

  llvm::Expected<std::shared_ptr<const base::LoadedKernel>> load(const base::CompiledKernel &kernel,
                                                                 const llvm::Module *) const override {
    return makeCudaKernel(kernel);
  }

  const base::DeviceDriver *driver() const override { return &cudaDevices(); }
  void addToolkitDirectory(const std::string &path) const override { nvidia::addToolkitDirectory(path); }
};

} // namespace

const backends::Backend &nvidiaBackend() {
  static const NvidiaBackend backend;
  return backend;
}

} // namespace triton::nvidia
