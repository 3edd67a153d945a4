// The stages of the backend "cpu", in order, each with its passes.
#include "backends/cpu/CpuBackend.h"

#include "backends/cpu/CodeGeneration.h"
#include "backends/cpu/CodeImage.h"
#include "backends/cpu/CpuKernel.h"
#include "backends/cpu/ObjectLinker.h"
#include "backends/cpu/Passes.h"
#include "backends/cpu/codegen/Codegen.h"
#include "backends/cpu/emitters/DotEmitter.h"
#include "backends/cpu/emitters/ReservedSymbols.h"
#include "backends/cpu/emitters/TargetDescription.h"
#include "passes/llvm/Passes.h"
#include "passes/tt/Passes.h"
#include "passes/tt/Pipeline.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <gnu/libc-version.h>

namespace triton::cpu {
namespace {

using backends::Compilation;
using backends::Stage;
using backends::StageForm;
using base::PassRunner;

struct CpuOptions final : backends::BackendOptions {
  explicit CpuOptions(const TargetDescription &target) : target(target) {}
  const TargetDescription &target;
};

const TargetDescription &targetOf(const backends::BackendOptions &options) {
  return static_cast<const CpuOptions &>(options).target;
}

llvm::Error runTtir(Compilation &compilation, PassRunner &runner) {
  tt::TtirOptions options;
  options.translatesPtx = true;
  options.inlinesEveryCall = true;
  return runner.run(*compilation.module, "ttir",
                    [&](mlir::OpPassManager &passes) { tt::buildTtirPipeline(passes, options); });
}

llvm::Error runTtcir(Compilation &compilation, PassRunner &runner) {
  CpuCodegenOptions options{&targetOf(compilation.backendOptions), compilation.options.debug,
                            compilation.options.enableFpFusion};
  llvm::Error error = runner.run(*compilation.module, "ttcir", [&](mlir::OpPassManager &passes) {
    passes.addPass(createLowerTilesPass(options));
    passes.addPass(mlir::createCSEPass());  // Each tile operation computed its own addresses.
    passes.addPass(tt::createTritonLicm()); // After CSE, so that there is one of each to move.
    passes.addPass(createVerifyTtcir());    // Last: what the stage promises.
  });
  if (error)
    return error;
  if (auto bytes = (*compilation.module)->getAttrOfType<mlir::IntegerAttr>(scratchBytesAttrName))
    compilation.results.scratchBytes = bytes.getInt();
  return llvm::Error::success();
}

/// MLIR only verifies types of values. Its translation crashes if these element types are not LLVM's.
llvm::Error checkElementTypes(mlir::ModuleOp module) {
  mlir::Type wrong;
  module.walk([&](mlir::Operation *op) {
    mlir::Type element;
    if (auto address = llvm::dyn_cast<mlir::LLVM::GEPOp>(op))
      element = address.getElemType();
    else if (auto memory = llvm::dyn_cast<mlir::LLVM::AllocaOp>(op))
      element = memory.getElemType();
    if (element && !mlir::LLVM::isCompatibleType(element))
      wrong = element;
  });
  if (!wrong)
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text) << "addresses of elements of type " << wrong << ", which LLVM IR does not have";
  return llvm::createStringError(text);
}

llvm::Error translate(Compilation &compilation, const TargetDescription &target) {
  if (llvm::Error error = checkElementTypes(*compilation.module))
    return error;
  compilation.llvmContext = std::make_unique<llvm::LLVMContext>();
  compilation.llvmModule = mlir::translateModuleToLLVMIR(*compilation.module, *compilation.llvmContext, "kernel");
  if (!compilation.llvmModule)
    return llvm::createStringError("the llvm dialect of this kernel has no translation to LLVM IR");
  compilation.module = nullptr;
  return prepareModule(*compilation.llvmModule, target, compilation.options.enableFpFusion);
}

llvm::Error runLlir(Compilation &compilation, PassRunner &runner) {
  const TargetDescription &target = targetOf(compilation.backendOptions);
  llvm::Error error = runner.run(*compilation.module, "llir", [&](mlir::OpPassManager &passes) {
    passes.addPass(createCheckInlineAssembly({.arch = compilation.options.arch})); // First: it reports errors.
    passes.addPass(createConvertDivision()); // Only now: the passes of ttcir fold divisions.
    passes.addPass(createConvertMath({.arch = compilation.options.arch})); // Before math has only LLVM's intrinsics.
    passes.addPass(createConvertLoopsToLLVM());
    if (compilation.options.lineInfo)
      passes.addPass(createTritonAttachDebugScopes()); // Line tables need a scope; functions are final.
  });
  if (!error)
    error = runner.step("llir", "translate", [&] { return translate(compilation, target); });
  if (!error)
    error = runner.step("llir", {"early-cse", "merges equal computations", /*isOptional=*/true},
                        [&] { return optimizeModule(*compilation.llvmModule, target); });
  return error;
}

llvm::Error runObject(Compilation &compilation, PassRunner &runner) {
  const TargetDescription &target = targetOf(compilation.backendOptions);
  return runner.step("o", "codegen", [&]() -> llvm::Error {
    llvm::Expected<std::string> object =
        generateCode(*compilation.llvmModule, target, CodeForm::Object, compilation.isQuick);
    if (!object)
      return object.takeError();
    compilation.binary = std::move(*object);
    return llvm::Error::success();
  });
}

/// The code of a kernel, from the text of its "llir".
llvm::Expected<std::string> generateFromText(const base::CompiledKernel &kernel, CodeForm form) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(kernel.artifacts.at("llir"), diagnostic, context);
  if (!module)
    return llvm::createStringError("the llir of this kernel does not parse: " + diagnostic.getMessage());
  llvm::Expected<const TargetDescription &> target = describeTarget(kernel.options.arch);
  if (!target)
    return target.takeError();
  return generateCode(*module, *target, form);
}

constexpr Stage stageTable[] = {
    {"ttir", runTtir, StageForm::Mlir},   // tensors, target independent
    {"ttcir", runTtcir, StageForm::Mlir}, // loops over native vectors
    {"llir", runLlir, StageForm::Llvm},   // LLVM IR
    {"o", runObject, StageForm::Binary},  // an ELF object
};

class CpuBackend final : public backends::Backend {
public:
  llvm::StringRef name() const override { return "cpu"; }
  llvm::ArrayRef<Stage> stages() const override { return stageTable; }

  void registerDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                    mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                    mlir::ub::UBDialect, mlir::vector::VectorDialect>();
    mlir::registerBuiltinDialectTranslation(registry);
    mlir::registerLLVMDialectTranslation(registry);
  }

  llvm::Expected<std::unique_ptr<const backends::BackendOptions>>
  readOptions(const base::Target &, const base::Options &options, const base::Environment &) const override {
    llvm::Expected<const TargetDescription &> target = describeTarget(options.arch);
    if (!target)
      return target.takeError();
    return std::make_unique<const CpuOptions>(*target);
  }

  base::LanguageOptions languageOptions(const base::Target &target) const override { return {.target = target}; }

  bool reservesSymbol(llvm::StringRef name) const override { return cpu::reservesSymbol(name); }

  void addVerifiers(llvm::StringRef stage, mlir::OpPassManager &passes) const override {
    if (stage == "ttcir")
      passes.addPass(createVerifyTtcir());
  }

  llvm::Error adopt(llvm::Module &module, const Compilation &compilation) const override {
    return adoptModule(module, targetOf(compilation.backendOptions));
  }

  llvm::Expected<backends::OperandPacking> operandPacking(const std::string &arch, llvm::StringRef type,
                                                          std::array<int64_t, 3> mnk) const override {
    llvm::Expected<const TargetDescription &> target = describeTarget(arch);
    if (!target)
      return target.takeError();
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    mlir::Builder b(&context);
    mlir::Type element = llvm::StringSwitch<mlir::Type>(type)
                             .Case("fp32", b.getF32Type())
                             .Case("fp64", b.getF64Type())
                             .Case("fp16", b.getF16Type())
                             .Case("bf16", b.getBF16Type())
                             .Case("i8", b.getIntegerType(8))
                             .Default({});
    if (!element)
      return llvm::createStringError("operands of type `" + type + "` are not packed");
    mlir::Type result = type == "i8"     ? mlir::Type(b.getI32Type())
                        : type == "fp64" ? mlir::Type(b.getF64Type())
                                         : mlir::Type(b.getF32Type());
    DotPlan plan = planDot({mnk[0], mnk[1], mnk[2], element, element, result}, *target);
    return backends::OperandPacking{plan.panelColumns, groupSize(plan)};
  }

  /// The C library is included, because it decides which functions libmvec has.
  std::string fingerprint(const backends::BackendOptions &options) const override {
    const TargetDescription &target = targetOf(options);
    return target.triple + ";" + target.cpu + ";" + target.features + ";cache " +
           std::to_string(target.firstCacheBytes) + "," + std::to_string(target.lastCacheBytes) + ";glibc " +
           gnu_get_libc_version();
  }

  llvm::ArrayRef<llvm::StringRef> derivedArtifacts() const override {
    static constexpr llvm::StringRef names[] = {"asm"};
    return names;
  }

  /// Assembly costs as much as the object and is rarely wanted, so it is made from the llir on demand.
  llvm::Expected<std::string> deriveArtifact(const base::CompiledKernel &kernel, llvm::StringRef name) const override {
    if (name != "asm" || !kernel.artifacts.count("llir"))
      return Backend::deriveArtifact(kernel, name);
    return generateFromText(kernel, CodeForm::Assembly);
  }

  bool hasQuickCode() const override { return true; }
  llvm::Expected<std::string> betterBinary(const base::CompiledKernel &kernel) const override {
    return generateFromText(kernel, CodeForm::Object);
  }

  std::string loadingForm(const base::CompiledKernel &kernel) const override {
    llvm::Expected<std::string> image = makeCodeImage(kernel.artifacts.at("o"));
    if (image)
      return std::move(*image);
    llvm::consumeError(image.takeError()); // The object is linked where the kernel is loaded.
    return "";
  }

  llvm::Expected<std::shared_ptr<const base::LoadedKernel>> load(const base::CompiledKernel &kernel,
                                                                 const llvm::Module *) const override {
    llvm::Expected<const TargetDescription &> target = describeTarget(kernel.options.arch);
    if (!target)
      return target.takeError();
    // A kernel for another processor can still be used as a file.
    if (!findMissingHostFeature(*target).empty())
      return nullptr;
    llvm::Expected<std::shared_ptr<LinkedObject>> object = linked(kernel);
    if (!object)
      return object.takeError();
    auto entry = reinterpret_cast<CpuEntry>((*object)->find(kernel.name));
    if (!entry)
      return llvm::createStringError("the object code defines no kernel `" + kernel.name + "`");
    return std::make_shared<const CpuKernel>(kernel.name, std::move(*object), entry,
                                             std::size_t(kernel.results.scratchBytes));
  }

private:
  static llvm::Expected<std::shared_ptr<LinkedObject>> linked(const base::CompiledKernel &kernel) {
    const std::string &object = kernel.artifacts.at("o");
    auto image = kernel.artifacts.find(backends::loadingFormName);
    if (image != kernel.artifacts.end()) {
      llvm::Expected<std::shared_ptr<LinkedObject>> loaded = loadCodeImage(image->second, object);
      if (loaded)
        return loaded;
      llvm::consumeError(loaded.takeError()); // The object beside it does the same, or says what is wrong.
    }
    return linkObject(object);
  }
};

} // namespace

const backends::Backend &cpuBackend() {
  static const CpuBackend backend;
  return backend;
}

} // namespace triton::cpu
