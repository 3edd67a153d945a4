// tritonc explore: a page that shows one kernel through all stages of its compilation.
#include "ArgumentValues.h"
#include "KernelInput.h"
#include "LaunchGuess.h"

#include "aot/OutputFiles.h"
#include "api/KernelState.h"
#include "api/Recording.h"
#include "base/CompilationRecord.h"
#include "compiler/BackendRegistry.h"
#include "explorer/Exploration.h"
#include "explorer/Page.h"
#include "explorer/Server.h"
#include "language_server/SignatureGuess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;
using llvm::json::Object;
using llvm::json::Value;
using triton::explorer::CompileQuestion;
using triton::explorer::SimulationQuestion;
using triton::language_server::GuessedItem;

/// The last stage before the vendor's assembler; empty where the target has none.
static std::string_view stageBeforeAssembler(llvm::StringRef target) {
  const triton::backends::Backend *backend = triton::compiler::findBackend(target);
  if (!backend)
    backend = triton::compiler::findBackend(target.rsplit(':').first);
  bool isAssembled = backend && llvm::any_of(backend->stages(), [](const auto &stage) { return stage.name == "ptx"; });
  return isAssembled ? "ptx" : "";
}

namespace {

/// The texts that the kernel's are compared with, {"name", "text"} each.
llvm::json::Array readTexts(const std::vector<std::string> &files) {
  llvm::json::Array texts;
  for (const std::string &file : files) {
    std::string text = readFile(file);
    if (text.find('\0') != std::string::npos || !llvm::json::isUTF8(text))
      throw UsageError("`" + file +
                       "` is no text; `--beside` takes texts such as .ttir, .ttgir, .llir, .ptx and .amdgcn");
    texts.push_back(Object{{"name", llvm::json::fixUTF8(llvm::sys::path::filename(file))}, {"text", std::move(text)}});
  }
  return texts;
}

/// {"name", "value", "why"} for each.
llvm::json::Array describeGuess(llvm::ArrayRef<GuessedItem> items) {
  llvm::json::Array described;
  for (const GuessedItem &item : items)
    described.push_back(Object{{"name", item.parameter}, {"value", item.text}, {"why", item.reason}});
  return described;
}

/// Compiles and simulates the kernels of one file, whose text the page may have changed.
class Explorer {
public:
  explicit Explorer(const ExploreCommand &command)
      : options(command.kernel), path(splitInput(command.kernel.input)), beside(readTexts(command.beside)) {}

  CompileQuestion firstQuestion() const {
    return {readFile(path.file), path.kernel, options.signature, options.target, options.numWarps, options.numStages};
  }

  /// Throws what compilations throw.
  Object compile(const CompileQuestion &question, const std::atomic<bool> *isAbandoned) const {
    triton::Module module = triton::Module::fromString(question.source, path.file);
    triton::Kernel opened = openKernel(module, {path.file, question.kernel});
    std::vector<GuessedItem> guessed;
    std::string signature = signatureOf(opened, question, guessed);
    ArgumentList arguments(module);
    arguments.addSignature(signature);
    TargetOption target = parseTarget(question.target);
    triton::LaunchOptions launch = optionsOf(question, target);
    if (question.isQuick)
      launch.lastStage = stageBeforeAssembler(target.target);
    triton::base::CompilationRecord record;
    auto kernel = triton::api::compileRecorded(opened, launch, arguments.arguments(), record, isAbandoned);
    Object result = triton::explorer::describeCompilation(*kernel, record, question.source);
    result["kernels"] = namesOf(module);
    result["beside"] = llvm::json::Array(beside);
    result["signature"] = signature;
    result["guessed"] = describeGuess(guessed);
    result["is_complete"] = launch.lastStage.empty();
    return result;
  }

  /// The names of the kernels in a text; none where it cannot be read.
  std::optional<llvm::json::Array> kernelNames(const std::string &source) const {
    try {
      return namesOf(triton::Module::fromString(source, path.file));
    } catch (const triton::Error &) {
      return std::nullopt; // whoever compiles the text reports it
    }
  }

  /// {"memory"}: what a launch on the simulator accesses, and the errors that it finds. Throws what launches throw.
  Object simulate(const SimulationQuestion &question, const std::atomic<bool> &isAbandoned) const {
    triton::Module module = triton::Module::fromString(question.kernel.source, path.file);
    triton::Kernel opened = openKernel(module, {path.file, question.kernel.kernel});
    TargetOption target = parseTarget(question.kernel.target);
    if (llvm::StringRef(target.target).split(':').second.empty())
      throw UsageError("the simulator runs kernels of GPUs; choose a target such as cuda:90");
    if (!llvm::StringRef(target.target).starts_with("sim:"))
      target.target.insert(0, "sim:");
    std::string grid = question.grid;
    std::vector<std::string> values = splitItems(question.arguments);
    std::vector<GuessedItem> guessed;
    if (grid.empty() || values.empty())
      guessMissing(opened, question.kernel, grid, values, guessed);
    triton::LaunchOptions launch = optionsOf(question.kernel, target);
    launch.grid = parseGrid(grid);
    ArgumentList arguments(module);
    for (const std::string &argument : values)
      arguments.addValue(argument);
    Object memory;
    try {
      triton::api::launchMapped(opened, launch, arguments.arguments(), memory, isAbandoned);
    } catch (const triton::Error &) {
      if (memory.empty()) // otherwise the map shows what is wrong
        throw;
    }
    memory["grid"] = grid;
    memory["arguments"] = llvm::join(values, ", ");
    memory["guessed"] = describeGuess(guessed);
    memory["target"] = target.target;
    return Object{{"memory", std::move(memory)}};
  }

private:
  static llvm::json::Array namesOf(const triton::Module &module) {
    llvm::json::Array names;
    for (const std::string &name : module.kernelNames())
      names.push_back(name);
    return names;
  }

  /// That of the question, or a guess, which is added to `guessed`.
  static std::string signatureOf(const triton::Kernel &kernel, const CompileQuestion &question,
                                 std::vector<GuessedItem> &guessed) {
    if (!question.signature.empty())
      return question.signature;
    guessed = triton::language_server::guessSignature(*triton::KernelInternals::stateOf(kernel).function);
    return llvm::join(llvm::map_range(guessed, [](const GuessedItem &item) { return item.text; }), ",");
  }

  /// Guesses what is empty of a launch, and tells what in `guessed`.
  static void guessMissing(const triton::Kernel &kernel, const CompileQuestion &question, std::string &grid,
                           std::vector<std::string> &values, std::vector<GuessedItem> &guessed) {
    std::vector<GuessedItem> items;
    LaunchGuess guess = guessLaunch(kernel, signatureOf(kernel, question, items));
    if (grid.empty()) {
      grid = guess.grid.text;
      guessed.push_back(guess.grid);
    }
    if (!values.empty())
      return;
    for (const GuessedItem &argument : guess.arguments) {
      values.push_back(argument.parameter + "=" + argument.text);
      guessed.push_back(argument);
    }
  }

  /// The result points into `target`.
  triton::LaunchOptions optionsOf(const CompileQuestion &question, const TargetOption &target) const {
    KernelOptions given = options;
    given.target = question.target;
    given.numWarps = question.numWarps;
    given.numStages = question.numStages;
    return launchOptions(given, target);
  }

  KernelOptions options;
  KernelPath path;
  llvm::json::Array beside;
};

} // namespace

static Object describeError(llvm::StringRef text, unsigned line = 0, unsigned column = 0) {
  return Object{{"error", Object{{"text", llvm::json::fixUTF8(text)}, {"line", line}, {"column", column}}}};
}

/// What `answer` returns, or in words what it throws. What nobody waits for any more says only that.
static Object answerInWords(const std::atomic<bool> &isAbandoned, llvm::function_ref<Object()> answer) {
  Object result;
  try {
    result = answer();
  } catch (const triton::Error &error) {
    result = describeError(error.what(), error.line(), error.column());
  } catch (const std::bad_alloc &) {
    result = describeError("there is not enough memory for this");
  } catch (const std::exception &error) {
    result = describeError(error.what());
  }
  return isAbandoned.load() ? Object{{"abandoned", true}} : std::move(result);
}

static void exportTo(const std::string &file, const Explorer &explorer, const SimulationQuestion &question) {
  Object shown = explorer.compile(question.kernel, /*isAbandoned=*/nullptr);
  const std::atomic<bool> neverAbandoned = false;
  if (!question.grid.empty() || !question.arguments.empty())
    shown["memory"] = std::move(explorer.simulate(question, neverAbandoned)["memory"]);
  std::string data;
  llvm::raw_string_ostream(data) << Value(std::move(shown));
  triton::aot::writeFiles({{file, triton::explorer::exportPage(data)}});
}

void tritonc::explore(const ExploreCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  if (command.port < 0 || command.port > UINT16_MAX)
    throw UsageError("there is no port " + std::to_string(command.port) + "; a port is 1 to 65535");
  if (!irStage(splitInput(command.kernel.input).file).empty())
    throw UsageError("`explore` shows a kernel's text beside its stages; give a file of Python");
  Explorer explorer(command);
  CompileQuestion first = explorer.firstQuestion();
  std::string arguments = llvm::join(command.arguments, ", ");
  if (!command.exportPath.empty())
    return exportTo(command.exportPath, explorer, {first, command.grid, arguments});
  triton::explorer::ServerOptions options;
  options.port = command.port;
  options.first = first;
  options.grid = command.grid;
  options.arguments = arguments;
  options.compile = [&](const CompileQuestion &question, const std::atomic<bool> &isAbandoned) {
    Object answer = answerInWords(isAbandoned, [&] { return explorer.compile(question, &isAbandoned); });
    if (answer.get("error")) // another kernel of the file may compile
      if (std::optional<llvm::json::Array> names = explorer.kernelNames(question.source))
        answer["kernels"] = std::move(*names);
    return answer;
  };
  options.simulate = [&](const SimulationQuestion &question, const std::atomic<bool> &isAbandoned) {
    return answerInWords(isAbandoned, [&] { return explorer.simulate(question, isAbandoned); });
  };
  options.started = [](const std::string &url) { llvm::outs() << "open " << url << "\n" << "Ctrl-C ends it\n"; };
  try {
    llvm::outs().SetUnbuffered();
    triton::explorer::serve(options);
  } catch (const std::runtime_error &error) {
    throw UsageError(error.what());
  }
}
