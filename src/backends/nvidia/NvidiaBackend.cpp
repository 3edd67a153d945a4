// The stages of the backend "cuda", in order, each with its passes.
#include "backends/nvidia/NvidiaBackend.h"

#include "backends/nvidia/CudaKernel.h"
#include "backends/nvidia/Libdevice.h"
#include "backends/nvidia/NvidiaOptions.h"
#include "compiler/PassDumps.h"
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
using compiler::PassRunner;

llvm::Error runTtir(Compilation &compilation, PassRunner &runner) {
  return runner.run(*compilation.module, "ttir", [](mlir::OpPassManager &passes) {
    tt::TtirOptions options;
    options.scalarizeInductions = false; // Tiles live in registers: carried pointers cost additions alone.
    tt::buildTtirPipeline(passes, options);
  });
}

/// What a launch must know: the compiler decides how many warps of those asked for a program runs on.
void recordResources(Compilation &compilation) {
  auto record = [&](llvm::StringRef attribute, const char *field) {
    if (auto value = (*compilation.module)->getAttrOfType<mlir::IntegerAttr>(attribute))
      compilation.metadata[field] = value.getInt();
  };
  record(ttg::sharedBytesAttribute, "shared");
  record(ttg::numWarpsAttribute, "num_warps");
}

llvm::Error runTtgir(Compilation &compilation, PassRunner &runner) {
  llvm::Expected<NvidiaOptions> read = readOptions(compilation);
  if (!read)
    return read.takeError();
  ttg::TtgirOptions options;
  options.keepsWarps = read->maxRegisters != 0; // Who limits registers has counted with the warps asked for.
  options.target = "cuda:" + compilation.target.arch;
  options.numWarps = unsigned(compilation.options.numWarps);
  options.numStages = unsigned(compilation.options.numStages);
  options.sharedCapacity = read->ptx.architecture.maxSharedBytes;
  if (llvm::Error error = runner.run(*compilation.module, "ttgir",
                                     [&](mlir::OpPassManager &passes) { ttg::buildTtgirPipeline(passes, options); }))
    return error;
  recordResources(compilation);
  return llvm::Error::success();
}

llvm::Error translate(Compilation &compilation, const NvidiaOptions &options) {
  compilation.llvmContext = std::make_unique<llvm::LLVMContext>();
  compilation.llvmModule = mlir::translateModuleToLLVMIR(*compilation.module, *compilation.llvmContext, "kernel",
                                                         /*disableVerification=*/!compiler::verifiesEachPass);
  if (!compilation.llvmModule)
    return llvm::createStringError("the llvm dialect of this kernel has no translation to LLVM IR");
  compilation.module = nullptr;
  return prepareModule(*compilation.llvmModule, options.ptx);
}

llvm::Error runLlir(Compilation &compilation, PassRunner &runner) {
  llvm::Expected<NvidiaOptions> options = readOptions(compilation);
  if (!options)
    return options.takeError();
  // TTGIR that a user wrote may leave the places in shared memory, and the barriers, to the compiler.
  bool isAllocated = (*compilation.module)->hasAttr(ttg::sharedBytesAttribute);
  llvm::Error error = runner.run(*compilation.module, "llir", [&](mlir::OpPassManager &passes) {
    if (!isAllocated) {
      passes.addPass(ttg::createAllocateSharedMemory());
      passes.addPass(ttg::createTritonGPUInsertBarriers());
    }
    passes.addPass(
        gpu::createConvertTritonGPUToLLVM({options->maxRegisters, options->ptx.flushDenormals,
                                           /*checkAssertions=*/compilation.options.debug, options->ptx.version}));
    passes.addPass(mlir::createCSEPass()); // Cheap here, and LLVM then reads less. It folds constants itself.
    if (compilation.options.lineInfo) // Functions are final. More than directives would tell ptxas not to optimize.
      passes.addPass(createTritonAttachDebugScopes({/*directivesOnly=*/true}));
  });
  if (!error)
    recordResources(compilation);
  if (!error)
    error = runner.step("llir", "translate", [&] { return translate(compilation, *options); });
  if (!error)
    error = runner.step("llir", "link-libdevice", [&] { return linkLibdevice(*compilation.llvmModule); });
  if (!error)
    error = runner.step("llir", "optimize", [&] { return optimizeModule(*compilation.llvmModule, options->ptx); });
  return error;
}

llvm::Error runPtx(Compilation &compilation, PassRunner &runner) {
  llvm::Expected<NvidiaOptions> options = readOptions(compilation);
  if (!options)
    return options.takeError();
  return runner.step("ptx", "codegen", [&]() -> llvm::Error {
    if (options->ptx.version == 0)
      options->ptx.version = supportedPtxVersion(options->ptx.architecture);
    llvm::Expected<std::string> ptx = generatePtx(*compilation.llvmModule, options->ptx);
    if (!ptx)
      return ptx.takeError();
    if (compiler::isSelected(compilation.environment.nvptxDump, compilation.kernelName))
      compiler::appendDump(compilation.environment.mlirDumpPath, *ptx);
    compilation.binary = std::move(*ptx);
    return llvm::Error::success();
  });
}

llvm::Error runCubin(Compilation &compilation, PassRunner &runner) {
  llvm::Expected<NvidiaOptions> options = readOptions(compilation);
  if (!options)
    return options.takeError();
  return runner.step("cubin", "ptxas", [&]() -> llvm::Error {
    llvm::Expected<Assembly> assembly =
        assemble(compilation.binary, options->assembly, static_cast<AssemblerProcess *>(compilation.ahead.get()));
    if (!assembly)
      return assembly.takeError();
    compilation.binary = std::move(assembly->cubin);
    compilation.metadata["n_regs"] = assembly->registers;
    compilation.metadata["n_spills"] = assembly->spillBytes;
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

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                    mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                    mlir::ub::UBDialect, ttg::TritonGPUDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
    mlir::registerNVVMDialectTranslation(registry);
  }

  llvm::Error check(const compiler::Target &target, const compiler::Options &options) const override {
    return readOptions(target, options).takeError();
  }

  /// The assembler decides the code, and which PTX is written.
  std::string fingerprint(const compiler::Target &target, const compiler::Options &) const override {
    llvm::Expected<Architecture> architecture = parseArchitecture(target.arch);
    if (!architecture) {
      llvm::consumeError(architecture.takeError()); // `check` reports it.
      return "";
    }
    return ptxasFingerprint(*architecture);
  }

  void begin(Compilation &compilation) const override {
    llvm::Expected<NvidiaOptions> options = readOptions(compilation);
    if (!options) {
      llvm::consumeError(options.takeError()); // The first stage reports it.
      return;
    }
    compilation.ahead = startAssembler(options->assembly);
  }

  backends::DeviceLimits limits(const compiler::Target &target) const override {
    Architecture architecture = llvm::cantFail(parseArchitecture(target.arch));
    return {{INT32_MAX, maxGridYZ, maxGridYZ}, architecture.maxSharedBytes};
  }

  llvm::Error load(compiler::CompiledKernel &kernel) const override {
    llvm::Expected<std::shared_ptr<const compiler::DeviceKernel>> device = makeCudaKernel(kernel);
    if (!device)
      return device.takeError();
    kernel.device = std::move(*device);
    return llvm::Error::success();
  }
};

} // namespace

const backends::Backend &nvidiaBackend() {
  static const NvidiaBackend backend;
  return backend;
}

} // namespace triton::nvidia
