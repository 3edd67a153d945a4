#include "compiler/StageDriver.h"

#include "analysis/DisjointArguments.h"
#include "analysis/StoredArguments.h"
#include "backends/KernelSignature.h"
#include "backends/LaunchFacts.h"
#include "base/Diagnostics.h"
#include "base/FileStem.h"
#include "base/LlvmText.h"
#include "base/MlirText.h"
#include "compiler/BackendRegistry.h"
#include "compiler/Cache.h"
#include "compiler/Devices.h"
#include "compiler/Explanation.h"
#include "compiler/KernelMetadata.h"
#include "compiler/ProfileScopes.h"
#include "frontend/lowering/LowerKernel.h"
#include "ir/AttributeNames.h"
#include "ir/Dialect.h"
#include "passes/tt/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace triton;
using namespace triton::compiler;
using backends::Stage;
using backends::StageForm;
using base::ElementType;

std::string compiler::requestedName(const CompileRequest &request) {
  if (!request.kernelName.empty())
    return request.kernelName;
  if (request.function)
    return request.function->name;
  // The first function of the text that is not private.
  llvm::StringRef text = request.irText;
  for (llvm::StringRef keyword :
       {"tt.func public @", "tt.func @", "func.func @", "llvm.func @", "define ", ".entry "}) {
    std::size_t at = text.find(keyword);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef rest = text.substr(at + keyword.size());
    if (keyword == "define ")
      rest = rest.substr(rest.find('@') + 1);
    return rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }).str();
  }
  return llvm::sys::path::stem(request.irPath).str();
}

std::string compiler::requestedSymbol(const CompileRequest &request) {
  std::string name = requestedName(request);
  bool isReserved = request.function && requireBackend(request.target).reservesSymbol(name);
  return isReserved ? "kernel_" + name : name;
}

StageDriver::StageDriver(const CompileRequest &request, const Options &options, const backends::Backend &backend,
                         const backends::BackendOptions &backendOptions, const Environment &environment,
                         const CacheKey &key, bool isQuick)
    : request(request), options(options), backend(backend), environment(environment), key(key), borrowed(backend),
      context(borrowed.get()), compilation{.options = options,
                                           .backendOptions = backendOptions,
                                           .target = request.target,
                                           .environment = environment,
                                           .kernelName = requestedName(request),
                                           .symbol = requestedSymbol(request),
                                           .context = context,
                                           .processes = request.processes,
                                           .isGluon = request.function && request.function->isGluon,
                                           .isQuick = isQuick},
      runner(context, environment, compilation.kernelName, request.isAbandoned) {
  kernel->name = compilation.symbol;
  kernel->hash = key.hash;
  kernel->target = request.target;
  kernel->options = options;
  source = request.function ? request.function->source : base::Source::create(request.irPath, request.irText);
  runner.setSource(source.get());
  if (request.explains)
    runner.keepRemarks();
  if (request.record)
    request.record->sourcePath = source->fileName();
  runner.recordInto(request.record);
  runner.setLlvmModule([this] { return compilation.llvmModule.get(); });
}

static CompilationError toCompilationError(const base::DiagnosticError &error) {
  using Kind = CompilationError::Kind;
  const base::Diagnostic &first = error.first();
  Kind kind = first.info->diagnosticClass == base::DiagnosticClass::UnsupportedConstruct ? Kind::UnsupportedConstruct
              : first.info->diagnosticClass == base::DiagnosticClass::StaticAssertion    ? Kind::StaticAssertion
                                                                                         : Kind::General;
  base::Location location = first.source ? first.source->location(first.range) : base::Location();
  return CompilationError(kind, error.str(), first.message, location.line, location.column);
}

void StageDriver::lowerSource() {
  frontend::LoweringOptions lowering;
  lowering.language = languageOptions(request.target, environment);
  lowering.numWarps = options.numWarps;
  lowering.numCtas = options.numCtas;
  lowering.debug = options.debug;
  lowering.sanitizeOverflow = options.sanitizeOverflow;
  lowering.isAbandoned = request.isAbandoned;
  if (isQuiet)
    lowering.print = lowering.warn = [](const std::string &) {};
  auto begin = std::chrono::steady_clock::now();
  try {
    compilation.module = frontend::lowerKernel(context, *request.function, request.arguments, lowering, kernel->name);
  } catch (const base::DiagnosticError &error) {
    throw toCompilationError(error);
  }
  if (request.record) {
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    recordStep(*request.record, sourceStage, "lower", time.count(),
               [&] { return linkText(*compilation.module, request.record->sourcePath); });
  }
  llvm::Error error = runner.step(sourceStage, "verify", [&]() -> llvm::Error {
    if (mlir::failed(mlir::verify(*compilation.module)))
      return runner.takeDiagnostics(sourceStage, "verify");
    return llvm::Error::success();
  });
  if (error)
    throwStageError(std::move(error), source.get(), compilation.kernelName, sourceStage);
  kernel->arguments = flattenRuntimeArguments(request.arguments);
  auto refuse = [&](const base::StageMessage &mistake) { throwUserError(mistake, source.get()); };
  if (llvm::Error failure = instrumentScopes(*compilation.module, kernel->name, request.target.backend != "cpu",
                                             options, runner, kernel->arguments, refuse))
    throwStageError(std::move(failure), source.get(), compilation.kernelName, sourceStage);
  recordEnd(sourceStage);
  keepArtifact(sourceStage, printArtifact(compilation, StageForm::Mlir));
}

void StageDriver::recordEnd(llvm::StringRef stage) {
  if (!request.record || (!compilation.module && !compilation.llvmModule))
    return;
  recordStageEnd(*request.record, stage, [&] {
    const std::string &path = request.record->sourcePath;
    return compilation.llvmModule ? linkText(*compilation.llvmModule, path) : linkText(*compilation.module, path);
  });
}

void StageDriver::adoptText(llvm::StringRef stage, const std::string &text, const std::string &path) {
  givenStage = stage.str();
  givenPath = path;
  compilation.keepsRules = false;
  StageForm form = StageForm::Mlir; // the source stage
  for (const Stage &known : backend.stages())
    if (known.name == stage)
      form = known.form;
  givenForm = form;
  auto refuse = [&](llvm::Error error) {
    if (error)
      throwUserError({llvm::toString(std::move(error)), {path, 0, 0}, {}, {}}, source.get());
  };
  if (form == StageForm::Binary) {
    compilation.binary = text;
    return refuse(backends::readLaunchFacts(text, backend.unsizedSharedMemory(), compilation.results));
  }
  if (form == StageForm::Llvm) {
    llvm::SMDiagnostic diagnostic;
    compilation.module = nullptr;
    compilation.llvmModule = nullptr; // before its context is destroyed
    compilation.llvmContext = std::make_unique<llvm::LLVMContext>();
    compilation.llvmModule = parseLlvmText(text, path, options.lineInfo, *compilation.llvmContext, diagnostic);
    if (!compilation.llvmModule)
      throwUserError({diagnostic.getMessage().str(),
                      {path, unsigned(std::max(0, diagnostic.getLineNo())), unsigned(diagnostic.getColumnNo() + 1)},
                      {},
                      {}},
                     source.get());
    refuse(backend.adopt(*compilation.llvmModule, compilation));
    refuse(backends::readLaunchFacts(*compilation.llvmModule, compilation.results));
    compilation.results.llirPath = path;
    return;
  }
  if (std::optional<std::size_t> at = findUnparsableArray(text)) {
    base::Location place = base::Source::create(path, text)->location(uint32_t(*at));
    throwUserError({unparsableArrayMessage.str(), {path, place.line, place.column}, {}, {}}, source.get());
  }
  llvm::Error error = runner.step(stage, "parse", [&]() -> llvm::Error {
    compilation.module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), path);
    return compilation.module ? llvm::Error::success() : runner.takeDiagnostics(stage, "parse");
  });
  llvm::handleAllErrors(std::move(error),
                        [&](const StageError &failure) { throwUserError(failure.messages.front(), source.get()); });
  verifyGiven(stage);
  refuse(backends::readLaunchAttributes(*compilation.module, kernel->name, compilation.results));
}

void StageDriver::verifyGiven(llvm::StringRef stage) {
  bool isTtir = stage == "ttir" || stage == sourceStage;
  // What replaces the result of the stage ttir does not go through it again.
  bool isResult = stage == "ttir" && request.function;
  llvm::Error error = runner.run(*compilation.module, stage, [&](mlir::OpPassManager &passes) {
    backend.addVerifiers(stage, passes);
    if (isTtir)
      passes.addPass(tt::createTritonVerifyTtir({/*isGiven=*/true}));
    if (isResult)
      passes.addPass(tt::createTritonVerifyTtir());
  });
  llvm::handleAllErrors(std::move(error),
                        [&](const StageError &failure) { throwUserError(failure.messages.front(), source.get()); });
}

llvm::StringRef StageDriver::stageBefore(const Stage &stage) const {
  llvm::StringRef previous = sourceStage;
  for (const Stage &other : backend.stages()) {
    if (other.name == stage.name)
      break;
    previous = other.name;
  }
  return previous;
}

bool StageDriver::followsGiven(const Stage &stage) const {
  return !givenStage.empty() && stageBefore(stage) == givenStage;
}

void StageDriver::throwIfGiven(const Stage &stage, const StageError &failure) const {
  if (!followsGiven(stage))
    return;
  base::StageMessage message = failure.messages.front();
  // No pass of ours has run before the check in the stage llir, and none on LLVM IR that LLVM refuses. What the rules
  // of TTGIR refuse in the stage ttgir, our passes have made of a text that nobody but its author has seen.
  bool isChecked = failure.pass == "tritongpu-verify-ttgir";
  if (!isChecked && givenForm == StageForm::Mlir)
    return;
  if (message.place.line == 0)
    message.place = {givenPath, 0, 0};
  throwUserError(message, source.get());
}

/// ": `xor.b32 0, %r1, %r2;`"; empty when there is no such line.
static std::string quoteLine(llvm::StringRef text, unsigned line) {
  for (; line > 1 && !text.empty(); --line)
    text = text.split('\n').second;
  llvm::StringRef found = text.split('\n').first.trim();
  return found.empty() ? "" : (": `" + found + "`").str();
}

void StageDriver::throwRefusal(const Stage &stage, const std::string &refusal) const {
  std::optional<base::StageMessage> message = backend.findRefusal(refusal);
  if (!message)
    return;
  auto assembly = kernel->artifacts.find(stageBefore(stage).str());
  if (followsGiven(stage)) {
    message->place.file = givenPath;
  } else if (assembly != kernel->artifacts.end()) { // as a rule, inline assembly that only the assembler reads
    message->text += quoteLine(assembly->second, message->place.line);
    message->place = base::findAssemblyPlace(assembly->second, message->place.line);
  }
  if (message->place.file.empty())
    return;
  std::string rendered = base::renderUserError(*message, "", source.get());
  // Python shows the text without position: what the assembler said follows it.
  throw CompilationError(CompilationError::Kind::Toolchain, rendered, rendered + "\n" + refusal, message->place.line,
                         message->place.column);
}

void StageDriver::parseInput() {
  bool isKnown = request.irStage == "ttir";
  for (const Stage &stage : backend.stages())
    isKnown |= stage.name == request.irStage;
  if (!isKnown) {
    std::string message = "`" + request.irStage + "` is not a stage of the backend `" + backend.name().str() + "`";
    throw CompilationError(CompilationError::Kind::General, "error: " + message, message, 0, 0);
  }
  adoptText(request.irStage, request.irText, request.irPath);
  requireKernel();
  if (compilation.module)
    readSignature();
}

/// The input's function must exist, and in TTIR it must be a tt.func, because later stages and the linker look for it.
void StageDriver::requireKernel() {
  bool exists = true;
  if (!compilation.binary.empty())
    return; // Its stage refuses what it cannot use.
  if (compilation.llvmModule)
    exists = compilation.llvmModule->getFunction(kernel->name) != nullptr;
  else if (request.irStage == "ttir")
    exists = compilation.module->lookupSymbol<tt::FuncOp>(kernel->name) != nullptr;
  else if (compilation.module)
    exists = compilation.module->lookupSymbol(kernel->name) != nullptr;
  if (exists)
    return;
  std::string message =
      "`" + request.irPath + "` holds no kernel `" + kernel->name + "`; in TTIR a kernel is a public `tt.func`";
  throw CompilationError(CompilationError::Kind::General, "error: " + message, message, 0, 0);
}

void StageDriver::readSignature() {
  auto function = compilation.module->lookupSymbol<tt::FuncOp>(kernel->name);
  if (!function)
    return;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (backends::isTensorMap(function, unsigned(index)))
      return; // What launches make themselves is behind all that callers pass.
    std::optional<ElementType> element = backends::elementTypeOf(type);
    // A descriptor in a text of Triton becomes the address of its array.
    if (auto descriptor = mlir::dyn_cast<tt::TensorDescType>(type); descriptor && request.irStage == "ttgir")
      element = backends::elementTypeOf(tt::PointerType::get(descriptor.getSignlessBlockType().getElementType(), 1));
    if (!element) {
      std::string text;
      llvm::raw_string_ostream(text) << unsupportedPrefix << backend.name() << " yet: a kernel argument of type `"
                                     << type << "`";
      throwUserError({text, findPlace(function.getLoc()), {}, {}}, source.get());
    }
    RuntimeArgument argument;
    argument.name = "arg" + std::to_string(index);
    argument.type = *element;
    if (auto divisibility = function.getArgAttrOfType<mlir::IntegerAttr>(unsigned(index), tt::divisibilityAttribute))
      argument.divisibility = divisibility.getInt();
    kernel->arguments.push_back(std::move(argument));
  }
}

void StageDriver::keepArtifact(const std::string &stage, std::string bytes) {
  if (environment.kernelDump)
    writeFolderFile(environment.dumpDirectory(), cacheFolderName(key.sourceHash),
                    fileStem(compilation.kernelName) + "." + stage, bytes);
  kernel->artifacts[stage] = std::move(bytes);
  replaceByOverride(stage);
}

void StageDriver::replaceByOverride(const std::string &stage) {
  if (!environment.kernelOverride)
    return;
  std::string fileName = fileStem(compilation.kernelName) + "." + stage;
  std::string folder = cacheFolderName(key.sourceHash);
  std::optional<std::string> replacement = readFolderFile(environment.overrideDirectory(), folder, fileName);
  if (!replacement)
    return;
  llvm::errs() << "note: overriding `" << fileName << "` of kernel `" << compilation.kernelName << "`\n";
  adoptText(stage, *replacement, environment.overrideDirectory() + "/" + folder + "/" + fileName);
  kernel->artifacts[stage] = std::move(*replacement);
}

/// Records the pointers that the kernel stores through, for which launches refuse read-only arrays, and which arguments
/// later stages may take to be disjoint.
void StageDriver::noteArguments() {
  auto function = compilation.module->lookupSymbol<tt::FuncOp>(kernel->name);
  if (!function || function.getNumArguments() != kernel->arguments.size())
    return;
  llvm::BitVector stored = analysis::findStoredArguments(function);
  for (auto [index, argument] : llvm::enumerate(kernel->arguments))
    argument.isStored = argument.type.isPointer() && stored.test(unsigned(index));
  auto pairs = analysis::disjointPairs(function);
  compilation.results.disjointPairs.assign(pairs.begin(), pairs.end());
}

bool StageDriver::runStage(const Stage &stage) {
  if (llvm::Error error = stage.run(compilation, runner)) {
    if (request.explains && error.isA<ToolchainError>()) { // All but registers can be explained.
      assemblerError = llvm::toString(std::move(error));
      return false;
    }
    llvm::handleAllErrors(
        std::move(error),
        [&](const StageError &failure) {
          throwIfGiven(stage, failure);
          throwStageError(llvm::make_error<StageError>(failure), source.get(), compilation.kernelName,
                          stage.name.str());
        },
        [&](std::unique_ptr<llvm::ErrorInfoBase> other) {
          throwRefusal(stage, other->message());
          throwStageError(llvm::Error(std::move(other)), source.get(), compilation.kernelName, stage.name.str());
        });
  }
  recordEnd(stage.name);
  keepArtifact(stage.name.str(), printArtifact(compilation, stage.form));
  if (stage.name == (compilation.isGluon ? "ttgir" : "ttir")) // from here on, all stores are stores through pointers
    noteArguments();
  return true;
}

/// The target as the command line of tritonc spells it.
static std::string targetText(const Target &target, const Options &options) {
  std::string arch = target.backend == "cpu" ? options.arch : target.arch;
  return arch.empty() ? target.backend : target.backend + ":" + arch;
}

std::shared_ptr<CompiledKernel> StageDriver::run() {
  bool started = true;
  std::string previous, finished;
  if (request.lastStage.empty() || request.lastStage == backend.stages().back().name)
    backend.begin(compilation);
  if (request.function) {
    lowerSource();
    previous = finished = sourceStage;
  } else {
    parseInput();
    // TTIR may come from anywhere, so it goes through the first stage again. The IR of a later stage is used as it is.
    started = request.irStage == "ttir";
    previous = request.irStage;
    finished = started ? sourceStage : previous;
    kernel->artifacts[previous] = request.irText;
  }
  for (const Stage &stage : backend.stages()) {
    if (compilation.isGluon && stage.name == "ttir")
      continue;
    if (!request.lastStage.empty() && finished == request.lastStage)
      break;
    if (started) {
      runner.beginStage(kernel->artifacts[previous], previous, compilation.symbol, targetText(request.target, options));
      if (!runStage(stage))
        break;
      previous = finished = stage.name.str();
    }
    started |= stage.name == request.irStage;
  }
  if (compilation.results.numWarps == 0)
    compilation.results.numWarps = options.numWarps;
  if (request.explains)
    kernel->artifacts["explain"] =
        writeExplanation(*kernel, runner.takeRemarks(), backend.describeResources(compilation), assemblerError);
  kernel->results = std::move(compilation.results);
  kernel->metadata = writeMetadata(*kernel, environment);
  borrowed.giveBack();
  return kernel;
}
