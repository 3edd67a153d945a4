#include "compiler/PipelineRunner.h"

#include "base/Errors.h"
#include "base/OptionalPass.h"
#include "base/PassName.h"
#include "base/UserErrors.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <chrono>

using namespace triton;
using namespace triton::base;
using namespace triton::compiler;

namespace {

/// Remembers the pass that runs, and the one that failed first: the innermost one reports before those that run it.
class PassTracker : public mlir::PassInstrumentation {
public:
  PassTracker(std::string &running, std::string &failed) : running(running), failed(failed) {}
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override { running = passName(*pass); }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *) override {
    if (failed.empty())
      failed = passName(*pass);
  }

private:
  std::string &running, &failed;
};

/// What a crash report says beside the stack.
class CrashNote : public llvm::PrettyStackTraceEntry {
public:
  CrashNote(llvm::StringRef kernel, llvm::StringRef stage, const std::string &running)
      : kernel(kernel), stage(stage), running(running) {}
  void print(llvm::raw_ostream &stream) const override {
    stream << "compiling kernel `" << kernel << "`, stage `" << stage << "`, `" << running << "`\n";
  }

private:
  llvm::StringRef kernel, stage;
  const std::string &running;
};

} // namespace

PipelineRunner::PipelineRunner(mlir::MLIRContext &context, const Environment &environment, std::string kernel,
                               const std::atomic<bool> *isAbandoned)
    : context(context), environment(environment), kernel(std::move(kernel)), isAbandoned(isAbandoned),
      diagnostics(context, environment.mlirDiagnostics), selection(environment) {
  if (environment.mlirTiming) {
    timing.emplace();
    timing->setEnabled(true);
    rootScope = timing->getRootScope();
  }
  selection.attach(context, isAbandoned);
  if (printsRemarks())
    listener.emplace(context, /*missedOnly=*/true, [this](const OptimizationRemark &remark) { print(remark); });
  if (environment.llvmTiming)
    llvm::TimePassesIsEnabled = true;
}

PipelineRunner::~PipelineRunner() {
  if (environment.llvmTiming)
    llvm::reportAndResetTimings(&llvm::errs());
}

void PipelineRunner::setSource(const Source *known) {
  source = known;
  diagnostics.setSource(known);
}

bool PipelineRunner::printsRemarks() const {
  return environment.remarks || llvm::StringRef(environment.mlirDiagnostics).contains("remarks");
}

void PipelineRunner::print(const OptimizationRemark &remark) {
  std::string text = renderMessage(DiagnosticClass::Remark, remark.message(), remark.suggestion, source);
  if (printedRemarks.insert(text).second)
    llvm::errs() << text;
}

void PipelineRunner::keepRemarks() {
  listener.reset(); // A context has one.
  listener.emplace(context, /*missedOnly=*/false, [this](OptimizationRemark remark) {
    if (remark.kind == OptimizationRemark::Kind::Missed && printsRemarks())
      print(remark);
    remarks.push_back(std::move(remark));
  });
}

void PipelineRunner::recordInto(CompilationRecord *target) {
  record = target;
  if (record && record->edit)
    selection.attach(context, isAbandoned, &record->edit);
}

void PipelineRunner::throwIfAbandoned() const {
  if (isAbandoned && isAbandoned->load(std::memory_order_relaxed))
    throw CompilationAbandoned();
}

void PipelineRunner::beginStage(const std::string &inputText, llvm::StringRef inputStage, std::string symbol,
                                std::string target) {
  stageInput = &inputText;
  stageInputName = inputStage.str();
  kernelSymbol = std::move(symbol);
  targetText = std::move(target);
  stagePipelines.clear();
}

/// For a step that is not a pass: writes the input of its stage, and returns the command that runs the stage on it.
std::string PipelineRunner::writeStageInput(llvm::StringRef stage) {
  llvm::SmallString<128> path;
  std::string input = stageInputName == "source" ? "ttir" : stageInputName; // tritonc reads both as TTIR.
  if (!stageInput || stageInput->empty() || llvm::sys::fs::createTemporaryFile(kernel + "." + stage.str(), input, path))
    return "";
  appendDump(path, *stageInput);
  return "tritonc show " + std::string(path) + ":" + kernelSymbol + " --stage " + stage.str() + " --target " +
         targetText;
}

/// Writes what runs the stage's pipelines so far on its input, and returns the command; empty when it cannot.
std::string PipelineRunner::writeReproducer(llvm::StringRef stage) {
  if (!stageInput || stageInput->empty() || stagePipelines.empty())
    return "";
  std::string pipeline = "builtin.module(" + stagePipelines + ")";
  std::string text = "// triton-opt --pass-pipeline='" + pipeline + "' %s\n" + *stageInput;
  if (environment.reproducerPath == "-") {
    llvm::errs() << text;
    return "the reproducer printed above";
  }
  llvm::SmallString<128> path(environment.reproducerPath);
  if (path.empty()) {
    if (llvm::sys::fs::createTemporaryFile(kernel + "." + stage.str(), "repro.mlir", path))
      return "";
  } else {
    path += "." + stage.str() + ".repro.mlir";
    llvm::sys::fs::remove(path);
  }
  appendDump(path, text);
  return "triton-opt --pass-pipeline='" + pipeline + "' " + std::string(path);
}

void PipelineRunner::list(llvm::StringRef stage, llvm::StringRef what) {
  if (listedStage != stage)
    passListing += (passListing.empty() ? "" : "\n") + stage.str() + ": ";
  else
    passListing += ", ";
  listedStage = stage.str();
  passListing += what;
}

llvm::Error PipelineRunner::fail(llvm::StringRef stage, llvm::StringRef pass, std::vector<StageMessage> messages,
                                 bool isStep) {
  if (messages.empty())
    messages.push_back({"failed without a message", {}, {}, {}});
  auto error = std::make_unique<StageError>(stage.str(), pass.str(), std::move(messages));
  if (!isUserError(error->messages.front().text))
    error->reproducer = isStep ? writeStageInput(stage) : writeReproducer(stage);
  return llvm::Error(std::move(error));
}

void PipelineRunner::noteOptional(llvm::StringRef flag) {
  if (!llvm::is_contained(optionalFlags, flag))
    optionalFlags.push_back(flag.str());
}

void PipelineRunner::noteStep(llvm::StringRef stage, StepInfo step, double seconds) {
  if (const llvm::Module *module = llvmModule ? llvmModule() : nullptr)
    recordStep(*record, stage, step.name, seconds, [&] { return linkText(*module, record->sourcePath); }, step.summary);
  else
    record->passes.push_back({stage.str(), step.name.str(), step.summary.str(), seconds, /*changes=*/false, {}});
  record->passes.back().isOptional = step.isOptional;
}

llvm::Error PipelineRunner::run(mlir::ModuleOp module, llvm::StringRef stage,
                                llvm::function_ref<void(mlir::OpPassManager &)> build) {
  throwIfAbandoned();
  std::string runningPass, failedPass;
  CrashNote crashNote(kernel, stage, runningPass);
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  manager.addInstrumentation(std::make_unique<PassTracker>(runningPass, failedPass));
  addPassDumps(manager, environment, kernel, stage, dumps);
  if (record)
    addPassRecorder(manager, stage, *record);
  if (environment.checkPassChanges)
    addPassChangeCheck(manager);
  bool verifiesEach = verifiesEachPass || environment.checkPassChanges || environment.verifyPasses;
  manager.enableVerifier(verifiesEach);
  mlir::TimingScope scope = rootScope.nest(stage);
  if (environment.mlirTiming)
    manager.enableTiming(scope);
  build(manager);

  for (mlir::Pass &pass : manager.getPasses()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    pass.printAsTextualPipeline(stream);
    stagePipelines += (stagePipelines.empty() ? "" : ",") + text;
    list(stage, text);
    if (isOptional(pass))
      noteOptional(pass.getArgument());
  }
  if (!environment.reproducerPath.empty())
    writeReproducer(stage);
  bool succeeded = false;
  if (llvm::Error fatal = backends::catchFatalErrors([&] {
        succeeded = mlir::succeeded(manager.run(module));
        return llvm::Error::success();
      }))
    return fail(stage, runningPass, {{llvm::toString(std::move(fatal)), {}, {}, {}}}, /*isStep=*/false);
  throwIfAbandoned(); // before the failure, which may be that a pass was left out
  if (!succeeded || diagnostics.hasErrors())
    return fail(stage, failedPass, diagnostics.take(), /*isStep=*/false);
  if (!verifiesEach && mlir::failed(mlir::verify(module)))
    return fail(stage, "verify", diagnostics.take(), /*isStep=*/false);
  return llvm::Error::success();
}

/// The text of a module; empty if there is none.
static std::string printModule(const llvm::Module *module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (module)
    module->print(stream, nullptr);
  return text;
}

/// The inline assembly of which the code generator reports the error; null if that is not known. What LLVM adds for an
/// instruction, it gives the instruction's place. Where that leads to none, as without line information, an error that
/// assembly causes is of the kernel's assembly if there is just one.
static const llvm::CallBase *findAssembly(const llvm::Module &module, const backends::CodeGenerationError &error) {
  const llvm::CallBase *only = nullptr;
  bool hasOthers = false;
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly || assembly->getConstraintString().empty())
        continue;
      const llvm::DILocation *place = call->getDebugLoc().get();
      if (error.line && place && place->getFilename() == error.file && place->getLine() == error.line &&
          place->getColumn() == error.column)
        return call;
      hasOthers |= only && only->getCalledOperand() != assembly;
      only = call;
    }
  bool isOfSome = error.isOfAssembly || llvm::StringRef(error.text).contains("illegal VGPR to SGPR copy");
  return hasOthers || !isOfSome ? nullptr : only;
}

/// What the code generator's error means to the author of the inline assembly that it is of, if it is of some. Where
/// LLVM gives values their registers, it finds constraints that leave no way to do so late, by other checks.
static std::optional<StageMessage> blameAssembly(const llvm::Module *module,
                                                 const backends::CodeGenerationError &error) {
  bool isOnAmd = module && module->getTargetTriple().isAMDGCN();
  const llvm::CallBase *call = isOnAmd ? findAssembly(*module, error) : nullptr;
  if (!call)
    return std::nullopt;
  llvm::StringRef constraints = llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getConstraintString();
  StageMessage blame{llvm::formatv("{0}AMD GPUs: inline assembly with the constraints `{1}`, where `v` is a vector "
                                   "register, with a value for each thread, and `s` and `r` are scalar ones: {2}",
                                   unsupportedPrefix, constraints, llvm::StringRef(error.text).split('\n').first),
                     {},
                     {},
                     {}};
  if (const llvm::DILocation *place = call->getDebugLoc().get()) {
    llvm::SmallString<128> path(place->getDirectory());
    llvm::sys::path::append(path, place->getFilename());
    blame.place = {std::string(path), place->getLine(), place->getColumn()};
  }
  return blame;
}

llvm::Error PipelineRunner::checkStep(llvm::StringRef stage, llvm::StringRef name) {
  if (diagnostics.hasErrors())
    return fail(stage, name, diagnostics.take(), /*isStep=*/true);
  const llvm::Module *module = llvmModule ? llvmModule() : nullptr;
  if (!llvmErrors.empty())
    if (std::optional<StageMessage> blame = blameAssembly(module, llvmErrors.front()))
      return fail(stage, name, {*blame}, /*isStep=*/true);
  for (const backends::CodeGenerationError &found : llvmErrors)
    if (found.isOfAssembly)
      return llvm::make_error<ToolchainError>("LLVM refuses the inline assembly of this kernel: " + found.text);
  if (!llvmErrors.empty())
    return fail(stage, name, {{"LLVM: " + llvmErrors.front().text, {}, {}, {}}}, /*isStep=*/true);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if ((verifiesEachPass || environment.verifyPasses) && module && llvm::verifyModule(*module, &stream))
    return fail(stage, name, {{"leaves LLVM IR that is not valid: " + broken, {}, {}, {}}}, /*isStep=*/true);
  return llvm::Error::success();
}

llvm::Error PipelineRunner::step(llvm::StringRef stage, StepInfo step, llvm::function_ref<llvm::Error()> body) {
  throwIfAbandoned();
  std::string runningStep = step.name.str();
  CrashNote crashNote(kernel, stage, runningStep);
  list(stage, step.name);
  if (step.isOptional)
    noteOptional(step.name);
  if (!selection.shouldRunStep(step.name, step.isOptional))
    return llvm::Error::success();
  auto currentModule = [&] { return llvmModule ? llvmModule() : nullptr; };
  llvmErrors.clear();
  if (const llvm::Module *module = currentModule())
    backends::collectErrors(module->getContext(), llvmErrors);
  std::string before = environment.passDumpDir.empty() ? "" : printModule(currentModule());
  auto begin = std::chrono::steady_clock::now();
  llvm::Error error = backends::catchFatalErrors([&] {
    mlir::TimingScope scope = rootScope.nest((stage + ": " + step.name).str());
    return body();
  });
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (error) {
    if (error.isA<StageError>() || error.isA<ToolchainError>())
      return error;
    backends::CodeGenerationError fatal{llvm::toString(std::move(error))};
    StageMessage ours{fatal.text, {}, {}, {}};
    return fail(stage, step.name, {blameAssembly(currentModule(), fatal).value_or(ours)}, /*isStep=*/true);
  }
  if (llvm::Error wrong = checkStep(stage, step.name))
    return wrong;
  if (record)
    noteStep(stage, step, time.count());
  if (const llvm::Module *module = currentModule())
    dumpStep(stage, step.name, *module, before);
  return llvm::Error::success();
}

void PipelineRunner::dumpStep(llvm::StringRef stage, llvm::StringRef name, const llvm::Module &module,
                              llvm::StringRef before) {
  bool prints = isSelected(environment.llvmIrDump, kernel);
  if (!prints && environment.passDumpDir.empty())
    return;
  std::string title = llvm::formatv("; ----- LLVM IR after {0} (stage {1}) -----\n", name, stage).str();
  std::string text = printModule(&module);
  if (prints)
    appendDump(environment.mlirDumpPath, title + text);
  if (!environment.passDumpDir.empty())
    writeNumberedDump(environment, kernel, stage, name, /*changed=*/text != before, "ll", title + text, dumps);
}
