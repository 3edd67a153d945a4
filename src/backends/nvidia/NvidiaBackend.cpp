// The stages of the backend "cuda", in order, each with its passes.
#include "backends/nvidia/NvidiaBackend.h"

#include "backends/LaunchFacts.h"
#include "backends/gpu/GpuStages.h"
#include "backends/gpu/library/BitcodeLibrary.h"
#include "backends/gpu/llvm/Passes.h"
#include "backends/nvidia/CudaDevices.h"
#include "backends/nvidia/CudaKernel.h"
#include "backends/nvidia/DefineNegation.h"
#include "backends/nvidia/Libdevice.h"
#include "backends/nvidia/Nvdisasm.h"
#include "backends/nvidia/NvidiaOptions.h"
#include "backends/nvidia/Toolkit.h"
#include "backends/nvidia/target/NvidiaTarget.h"
#include "base/PassDumps.h"
#include "gpu/target/ReservedSymbols.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

namespace triton::nvidia {
namespace {

using backends::Compilation;
using backends::Stage;
using backends::StageForm;
using base::PassRunner;

const NvidiaOptions &optionsOf(const Compilation &compilation) {
  return static_cast<const NvidiaOptions &>(compilation.backendOptions);
}

std::string machineOf(const Compilation &compilation) { return "cuda:" + compilation.target.arch; }

llvm::Error runTtgir(Compilation &compilation, PassRunner &runner) {
  bool keepsWarps =
      optionsOf(compilation).maxRegisters != 0; // Who limits registers has counted with the warps asked for.
  return backends::runGpuTtgir(compilation, runner, machineOf(compilation), keepsWarps);
}

llvm::Error runTtir(Compilation &compilation, PassRunner &runner) {
  const Architecture &architecture = optionsOf(compilation).ptx.architecture;
  backends::TtirMachine machine;
  machine.name = machineOf(compilation);
  machine.takesPtx = true;
  machine.copiesOfPointers = optionsOf(compilation).pointerCopies;
  machine.copiedBytes = architecture.multipliesCopies() ? architecture.maxSharedBytes : 0;
  return backends::runGpuTtir(compilation, runner, machine);
}

llvm::Error runLlir(Compilation &compilation, PassRunner &runner) {
  const NvidiaOptions &options = optionsOf(compilation);
  llvm::Error error =
      backends::lowerGpuModule(compilation, runner, machineOf(compilation), options.ptx.flushDenormals,
                               {.maxRegisters = options.maxRegisters, .ptxVersion = options.ptx.version});
  if (!error)
    error = runner.step("llir", "translate", [&]() -> llvm::Error {
      if (llvm::Error failed = backends::translateGpuModule(compilation))
        return failed;
      return prepareModule(*compilation.llvmModule, options.ptx);
    });
  for (const std::string &library : options.libraries)
    if (!error)
      error = runner.step("llir", "link-library", [&] { return linkLibrary(*compilation.llvmModule, library); });
  bool mayBeMissing = backends::isSimulated(compilation.target);
  if (!error)
    error = runner.step("llir", "link-libdevice", [&] { return linkLibdevice(*compilation.llvmModule, mayBeMissing); });
  if (!error)
    error = optimizeModule(*compilation.llvmModule, options.ptx, runner);
  if (!error)
    error = base::runLlvmPass(runner, "llir", *compilation.llvmModule, backends::VerifyLlirPass());
  return error;
}

llvm::Error runPtx(Compilation &compilation, PassRunner &runner) {
  const NvidiaOptions &options = optionsOf(compilation);
  if (llvm::Error error = runPassesBeforePtx(*compilation.llvmModule, runner))
    return error;
  llvm::Error error = runner.step("ptx", "codegen", [&]() -> llvm::Error {
    PtxOptions ptxOptions = options.ptx;
    if (ptxOptions.version == 0)
      ptxOptions.version = supportedPtxVersion(ptxOptions.architecture);
    llvm::Expected<std::string> ptx = generatePtx(*compilation.llvmModule, ptxOptions);
    if (!ptx)
      return ptx.takeError();
    compilation.binary = std::move(*ptx);
    return llvm::Error::success();
  });
  if (error)
    return error;
  return runner.step("ptx", defineNegationStep, [&]() -> llvm::Error {
    compilation.binary = defineNegation(compilation.binary);
    if (base::isSelected(compilation.environment.nvptxDump, compilation.kernelName))
      base::appendDump(compilation.environment.mlirDumpPath, compilation.binary);
    compilation.binary += backends::launchFactsLine("//", compilation.results);
    return llvm::Error::success();
  });
}

llvm::Error runCubin(Compilation &compilation, PassRunner &runner) {
  const NvidiaOptions &options = optionsOf(compilation);
  return runner.step("cubin", "ptxas", [&]() -> llvm::Error {
    llvm::Expected<Assembly> assembly =
        assemble(compilation.binary, compilation.kernelName, options.assembly,
                 static_cast<AssemblerProcess *>(compilation.startedWork.get()), [&](unsigned registers) {
                   return backends::findProgramsInReach(compilation, machineOf(compilation), registers);
                 });
    if (!assembly)
      return assembly.takeError();
    compilation.binary = std::move(assembly->cubin);
    compilation.results.registers = assembly->registers;
    compilation.results.spillBytes = assembly->spillBytes;
    compilation.results.resources = {{"local_bytes", assembly->localBytes}};
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
  std::string usualArch() const override { return "90"; }
  int warpSize(const std::string &) const override { return 32; }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    backends::registerGpuDialects(registry);
    registry.insert<mlir::NVVM::NVVMDialect>();
    registerNvidiaTargets(registry);
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
    else if (!convertsByteFloats(unsigned(architecture->capability)))
      llvm::erase(language.float8Types, base::ScalarType::Float8E4NV);
    language.hasBulkCopies = !architecture || hasBulkCopies(unsigned(architecture->capability));
    language.hasTensorMemory = !architecture || hasTensorMemory(unsigned(architecture->capability));
    language.overlapsLaunches = !architecture || overlapsLaunches(unsigned(architecture->capability));
    return language;
  }

  bool reservesSymbol(llvm::StringRef name) const override { return gpu::reservesSymbol(name); }

  llvm::Error adopt(llvm::Module &module, const Compilation &compilation) const override {
    return adoptModule(module, optionsOf(compilation).ptx);
  }

  std::optional<base::StageMessage> findRefusal(const std::string &refusal) const override {
    return findPtxasError(refusal);
  }

  llvm::StringRef unsizedSharedMemory() const override { return ".extern .shared"; }

  llvm::json::Object describeResources(const Compilation &compilation) const override {
    return backends::describeGpuResources(compilation, machineOf(compilation));
  }

  /// The assembler and the library decide the code, the assembler also which PTX is written.
  std::string fingerprint(const backends::BackendOptions &options) const override {
    const auto &own = static_cast<const NvidiaOptions &>(options);
    std::string result = ptxasFingerprint(own.ptx.architecture) + "\n" + libdeviceFingerprint();
    for (const std::string &library : own.libraries)
      result += "\n" + backends::fileFingerprint(library);
    return result;
  }

  void begin(Compilation &compilation) const override {
    compilation.startedWork =
        startAssembler(compilation.kernelName, optionsOf(compilation).assembly, compilation.processes);
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
  /// Bulk copies need strides and indices that are not negative.
  base::ArgumentRanges argumentRanges(const std::string &arch) const override {
    llvm::Expected<Architecture> architecture = parseArchitecture(arch);
    if (architecture)
      return {.integers = architecture->multipliesCopies()};
    llvm::consumeError(architecture.takeError()); // readOptions reports it
    return {};
  }
  void addToolkitDirectory(const std::string &path) const override { nvidia::addToolkitDirectory(path); }
  llvm::Expected<std::string> findTool(llvm::StringRef name) const override { return nvidia::findTool(name); }

  bool hasDisassembler() const override { return true; }
  llvm::Expected<std::string> disassemble(const base::CompiledKernel &kernel) const override {
    return nvidia::disassemble(kernel.artifacts.at("cubin"));
  }
};

} // namespace

const backends::Backend &nvidiaBackend() {
  static const NvidiaBackend backend;
  return backend;
}

} // namespace triton::nvidia
