// The stages of the backend "hip", in order, each with its passes.
#include "backends/amd/AmdBackend.h"

#include "backends/LaunchFacts.h"
#include "backends/amd/AmdOptions.h"
#include "backends/amd/Hsaco.h"
#include "backends/amd/driver/HipDevices.h"
#include "backends/amd/driver/HipKernel.h"
#include "backends/amd/library/DeviceLibrary.h"
#include "backends/amd/llvm/Passes.h"
#include "backends/amd/lowering/MatrixInstructions.h"
#include "backends/amd/target/AmdTarget.h"
#include "backends/gpu/GpuStages.h"
#include "backends/gpu/llvm/Passes.h"
#include "base/PassDumps.h"
#include "gpu/target/ReservedSymbols.h"
#include "ir/Remarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"

namespace triton::amd {
namespace {

using backends::Compilation;
using backends::Stage;
using backends::StageForm;
using base::PassRunner;

const AmdOptions &optionsOf(const Compilation &compilation) {
  return static_cast<const AmdOptions &>(compilation.backendOptions);
}

/// Whether accesses go through buffer resources: see `AMDGCN_USE_BUFFER_OPS`.
bool usesBuffers(const Compilation &compilation) {
  return !base::Environment::isSwitchedOff(compilation.environment.bufferOps);
}

std::string machineOf(const Compilation &compilation) {
  llvm::SmallVector<std::string> options;
  if (unsigned extent = optionsOf(compilation).matrixExtent)
    options.push_back("matrix=" + std::to_string(extent));
  // Copies that are masked need the buffers' check of offsets.
  if (!usesBuffers(compilation) || base::Environment::isSwitchedOff(compilation.environment.hipAsyncCopy))
    options.push_back("copies=0");
  return "hip:" + compilation.target.arch + (options.empty() ? "" : ":") + llvm::join(options, ",");
}

gpu::BufferUse bufferUse(const Compilation &compilation) {
  if (!usesBuffers(compilation))
    return gpu::BufferUse::None;
  bool hasAtomics = !base::Environment::isSwitchedOff(compilation.environment.bufferAtomics);
  return hasAtomics ? gpu::BufferUse::All : gpu::BufferUse::Accesses;
}

llvm::Error runTtir(Compilation &compilation, PassRunner &runner) {
  Architecture architecture = llvm::cantFail(parseArchitecture(compilation.target.arch)); // readOptions has parsed it.
  backends::TtirMachine machine;
  machine.name = machineOf(compilation);
  machine.hasBases = usesBuffers(compilation);
  machine.scalingDepths = findScaledDepths(architecture, optionsOf(compilation).matrixExtent);
  return backends::runGpuTtir(compilation, runner, machine);
}

llvm::Error runTtgir(Compilation &compilation, PassRunner &runner) {
  // Who asks for so many waves on a scheduler has counted with the warps asked for.
  bool keepsWarps = optionsOf(compilation).code.wavesOfScheduler != 0;
  return backends::runGpuTtgir(compilation, runner, machineOf(compilation), keepsWarps);
}

mlir::Location placeOf(const llvm::DebugLoc &place, mlir::MLIRContext &context) {
  const llvm::DILocation *location = place.get();
  if (!location)
    return mlir::UnknownLoc::get(&context);
  std::string path = location->getDirectory().empty() ? "" : (location->getDirectory() + "/").str();
  return mlir::FileLineColLoc::get(&context, path + location->getFilename().str(), location->getLine(),
                                   location->getColumn());
}

void report(const TurnDecision &decision, mlir::MLIRContext &context) {
  mlir::Location place = placeOf(decision.place, context);
  auto percent = [](double share) { return int(100 * share); };
  if (decision.turns != 0) {
    auto remark = remarks::decided(place, remarks::loop, "Turns");
    if (remark)
      remark << remarks::add("the two waves of a scheduler take turns at its matrix unit, {0} in an iteration: it is "
                             "expected to work {1} % of the time, and {2} % without turns",
                             decision.turns, percent(decision.share), percent(decision.usualShare))
             << remarks::metric("turns", decision.turns);
    return;
  }
  auto remark = remarks::missed(place, remarks::loop, "Turns");
  if (!remark)
    return;
  remark << "the waves of a scheduler take no turns at its matrix unit" << remarks::reason("{0}", decision.reason);
  if (!decision.suggestion.empty())
    remark << remarks::suggest("{0}", decision.suggestion);
}

/// Lets waves take turns at matrix units: see `TRITON_HIP_USE_BLOCK_PINGPONG`.
llvm::Error runTurns(Compilation &compilation, PassRunner &runner) {
  const Architecture &architecture = optionsOf(compilation).code.architecture;
  const base::Environment::Text &setting = compilation.environment.hipBlockPingpong;
  if (architecture.isRdna() || base::Environment::isSwitchedOff(setting))
    return llvm::Error::success();
  TurnOptions options{architecture, uint64_t(compilation.results.sharedBytes), !setting.empty(),
                      [&](const TurnDecision &decision) { report(decision, compilation.context); }};
  return base::runLlvmPass(runner, "llir", *compilation.llvmModule, AlternateWavesPass(options));
}

llvm::Error runLlir(Compilation &compilation, PassRunner &runner) {
  const AmdgcnOptions &options = optionsOf(compilation).code;
  llvm::Error error = backends::lowerGpuModule(compilation, runner, machineOf(compilation), options.flushDenormals,
                                               {.buffers = bufferUse(compilation)});
  if (!error)
    error = runner.step("llir", "translate", [&]() -> llvm::Error {
      if (llvm::Error failed = backends::translateGpuModule(compilation))
        return failed;
      return prepareModule(*compilation.llvmModule, options);
    });
  if (!error)
    error = runner.step("llir", "link", [&] { return linkDeviceLibrary(*compilation.llvmModule); });
  if (!error)
    error = optimizeModule(*compilation.llvmModule, options, runner);
  if (!error)
    error = base::runLlvmPass(runner, "llir", *compilation.llvmModule, CarryBasesPass());
  if (!error)
    error = base::runLlvmPass(runner, "llir", *compilation.llvmModule, SeparateCopiesPass());
  if (!error) // The order of instructions is that of the clusters from here on.
    error = runTurns(compilation, runner);
  if (!error) // after it, because loops whose waves take turns have their order
    error = base::runLlvmPass(runner, "llir", *compilation.llvmModule, ScheduleHintsPass(optionsOf(compilation).hint));
  if (!error)
    error = base::runLlvmPass(runner, "llir", *compilation.llvmModule, backends::VerifyLlirPass());
  return error;
}

llvm::Error runAmdgcn(Compilation &compilation, PassRunner &runner) {
  std::unique_ptr<llvm::Module> unplaced = keepForOtherStrategies(*compilation.llvmModule);
  if (llvm::Error error = base::runLlvmPass(runner, "amdgcn", *compilation.llvmModule, PlaceSharedMemoryPass()))
    return error;
  return runner.step("amdgcn", "codegen", [&]() -> llvm::Error {
    llvm::Expected<std::string> assembly =
        generateAmdgcn(*compilation.llvmModule, optionsOf(compilation).code, unplaced.get());
    if (!assembly)
      return assembly.takeError();
    if (base::isSelected(compilation.environment.amdgcnDump, compilation.kernelName))
      base::appendDump(compilation.environment.mlirDumpPath, *assembly);
    compilation.binary = *assembly + backends::launchFactsLine(";", compilation.results);
    return llvm::Error::success();
  });
}

/// The compute units over which the warps of a program may be spread: on RDNA two, unless programs stay on one.
unsigned countComputeUnits(const Compilation &compilation) {
  const AmdgcnOptions &code = optionsOf(compilation).code;
  return code.architecture.isRdna() && !code.architecture.isGfx1250() && !code.isolatesComputeUnits ? 2 : 1;
}

/// The warps that a scheduler holds at a time.
int countResidentWarps(const Compilation &compilation) {
  return int(backends::countResidentWarps(compilation, machineOf(compilation), countComputeUnits(compilation)));
}

/// What users see of a kernel's resources: docs/amd.md describes them.
void recordResources(Compilation &compilation, const CodeObjectResources &resources) {
  base::StageResults &results = compilation.results;
  results.registers = resources.vectorRegisters;
  results.spillBytes = resources.scratchBytes;
  results.resources = {
      {"vgprs", resources.vectorRegisters},      {"agprs", resources.accumulators},
      {"sgprs", resources.scalarRegisters},      {"vgpr_spills", resources.vectorSpills},
      {"sgpr_spills", resources.scalarSpills},   {"lds_bytes", resources.sharedBytes + int(results.sharedBytes)},
      {"scratch_bytes", resources.scratchBytes}, {"waves_per_simd", countResidentWarps(compilation)},
  };
}

llvm::Error runHsaco(Compilation &compilation, PassRunner &runner) {
  return runner.step("hsaco", "link", [&]() -> llvm::Error {
    llvm::Expected<CodeObject> object = makeCodeObject(compilation.binary, optionsOf(compilation).code);
    if (!object)
      return object.takeError();
    compilation.binary = std::move(object->hsaco);
    recordResources(compilation, object->resources);
    return llvm::Error::success();
  });
}

constexpr Stage stageTable[] = {
    {"ttir", runTtir, StageForm::Mlir},       // tensors, target independent
    {"ttgir", runTtgir, StageForm::Mlir},     // tensors spread over threads
    {"llir", runLlir, StageForm::Llvm},       // LLVM IR of one thread
    {"amdgcn", runAmdgcn, StageForm::Binary}, // AMD's assembly
    {"hsaco", runHsaco, StageForm::Binary},   // a code object, an ELF file
};

class AmdBackend final : public backends::Backend {
public:
  llvm::StringRef name() const override { return "hip"; }
  llvm::ArrayRef<Stage> stages() const override { return stageTable; }

  std::string usualArch() const override { return "gfx942"; }

  int warpSize(const std::string &arch) const override {
    llvm::Expected<Architecture> architecture = parseArchitecture(arch);
    if (architecture)
      return int(architecture->lanes);
    llvm::consumeError(architecture.takeError()); // readOptions reports it
    return 0;
  }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    backends::registerGpuDialects(registry);
    registerAmdTargets(registry);
  }

  llvm::Expected<std::unique_ptr<const backends::BackendOptions>>
  readOptions(const base::Target &target, const base::Options &options, const base::Environment &) const override {
    return amd::readOptions(target, options);
  }

  base::LanguageOptions languageOptions(const base::Target &target) const override {
    base::LanguageOptions language{.target = target};
    // Where no unit rounds to tf32, f32 is multiplied as it is.
    language.inputPrecisions = {"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"};
    return language;
  }

  bool reservesSymbol(llvm::StringRef name) const override { return gpu::reservesSymbol(name); }

  llvm::Error adopt(llvm::Module &module, const Compilation &compilation) const override {
    return adoptModule(module, optionsOf(compilation).code);
  }

  std::optional<base::StageMessage> findRefusal(const std::string &refusal) const override {
    return findAssemblerError(refusal);
  }

  llvm::json::Object describeResources(const Compilation &compilation) const override {
    return backends::describeGpuResources(compilation, machineOf(compilation), countComputeUnits(compilation));
  }

  base::ArgumentRanges argumentRanges(const std::string &) const override { return {.arrays = true, .integers = true}; }

  /// LLVM is part of this program, AMD's library is not.
  std::string fingerprint(const backends::BackendOptions &) const override { return deviceLibraryFingerprint(); }

  backends::DeviceLimits limits(const base::Target &target) const override {
    Architecture architecture = llvm::cantFail(parseArchitecture(target.arch));
    return {{INT32_MAX, UINT16_MAX, UINT16_MAX}, architecture.sharedBytes};
  }

  llvm::Expected<std::shared_ptr<const base::LoadedKernel>> load(const base::CompiledKernel &kernel,
                                                                 const llvm::Module *) const override {
    return makeHipKernel(kernel, unsigned(warpSize(kernel.target.arch)));
  }

  const base::DeviceDriver *driver() const override { return &hipDevices(); }
  void addToolkitDirectory(const std::string &path) const override { addHipDirectory(path); }
};

} // namespace

const backends::Backend &amdBackend() {
  static const AmdBackend backend;
  return backend;
}

} // namespace triton::amd
