// tritonc explore: a page that shows one kernel through all stages of its compilation.
#include "ArgumentValues.h"
#include "Configurations.h"
#include "KernelInput.h"
#include "LaunchGuess.h"
#include "RecordedLaunches.h"
#include "SimulatedLaunch.h"

#include "aot/OutputFiles.h"
#include "api/KernelState.h"
#include "api/Recording.h"
#include "base/CompilationRecord.h"
#include "compiler/BackendRegistry.h"
#include "explorer/Exploration.h"
#include "explorer/Page.h"
#include "explorer/Server.h"
#include "language_server/SignatureGuess.h"
#include "language_server/TextQuestions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace tritonc;
using llvm::json::Object;
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
                       "` is not a text; `--beside` takes texts such as .ttir, .ttgir, .llir, .ptx and .amdgcn");
    texts.push_back(Object{{"name", llvm::json::fixUTF8(llvm::sys::path::filename(file))}, {"text", std::move(text)}});
  }
  return texts;
}

/// {"name", "value", "why"} for each that is a guess.
llvm::json::Array describeGuess(llvm::ArrayRef<GuessedItem> items) {
  llvm::json::Array described;
  for (const GuessedItem &item : items)
    if (!item.isGiven)
      described.push_back(Object{{"name", item.parameter}, {"value", item.text}, {"why", item.reason}});
  return described;
}

/// Compiles and simulates the kernels of one file, whose text the page may have changed.
class Explorer {
public:
  explicit Explorer(const ExploreCommand &command)
      : options(command.kernel), path(splitInput(command.kernel.input)), beside(readTexts(command.beside)),
        launches(command.launches, command.kernel), names(std::make_shared<PythonNames>(command.kernel.connection)) {}

  /// What the command line asks for, with the first recorded launch in place of a signature that it does not give.
  SimulationQuestion firstQuestion(const ExploreCommand &command) const {
    CompileQuestion first{readFile(path.file), path.kernel,      options.signature,
                          options.target,      options.numWarps, options.numStages};
    llvm::json::Array recorded = launches.of(path.kernel);
    if (!first.signature.empty() || recorded.empty())
      return {first, command.grid, llvm::join(command.arguments, ", ")};
    const Object &launch = *recorded.front().getAsObject();
    auto text = [&](const char *name) { return launch.getString(name).value_or("").str(); };
    std::vector<std::string> items;
    for (const auto &[name, item] : *launch.getObject("values"))
      items.push_back(name.str() + "=" + item.getAsString().value_or("").str());
    first.kernel = text("kernel");
    first.signature = llvm::join(items, ", ");
    first.numWarps = int(launch.getInteger("num_warps").value_or(first.numWarps));
    first.numStages = int(launch.getInteger("num_stages").value_or(first.numStages));
    return {first, text("grid"), text("arguments")};
  }

  /// What stays of this when the process ends without destructors.
  void removeFiles() const { launches.removeFiles(); }

  /// Throws what compilations throw.
  Object compile(const CompileQuestion &question, const std::atomic<bool> *isAbandoned) const {
    triton::Module module = open(question.source);
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
    record.keepsEachText = question.wantsEachText;
    auto kernel = triton::api::compileRecorded(opened, launch, arguments.arguments(), record, isAbandoned);
    Object result = triton::explorer::describeCompilation(*kernel, record, question.source);
    result["kernels"] = namesOf(module);
    result["parameters"] = parametersOf(opened, signature);
    result["configurations"] = presetsOf(opened);
    result["beside"] = llvm::json::Array(beside);
    result["signature"] = signature;
    result["guessed"] = describeGuess(guessed);
    result["is_complete"] = launch.lastStage.empty() && question.wantsEachText;
    return result;
  }

  /// Adds to an answer what the page asks with next: the kernels of the text, and the chosen one's parameters with what
  /// the question gives them. Nothing where the text cannot be read, which whoever compiles it reports.
  void describeQuestion(const CompileQuestion &question, Object &answer) const {
    try {
      triton::Module module = open(question.source);
      answer["kernels"] = namesOf(module);
      triton::Kernel kernel = openKernel(module, {path.file, question.kernel});
      std::vector<GuessedItem> guessed;
      std::string signature = signatureOf(kernel, question, guessed);
      answer["parameters"] = parametersOf(kernel, signature);
      answer["signature"] = signature;
      answer["guessed"] = describeGuess(guessed);
      answer["configurations"] = presetsOf(kernel);
    } catch (const std::exception &) {
      return;
    }
  }

  /// {"memory"}: what a launch on the simulator accesses, and the errors that it finds. Throws what launches throw.
  Object simulate(const SimulationQuestion &question, const std::atomic<bool> &isAbandoned) const {
    triton::Module module = open(question.kernel.source);
    triton::Kernel opened = openKernel(module, {path.file, question.kernel.kernel});
    TargetOption target = parseTarget(question.kernel.target);
    std::string grid = question.grid;
    llvm::SmallVector<llvm::StringRef> items = splitItems(question.arguments);
    std::vector<std::string> values(items.begin(), items.end());
    std::vector<GuessedItem> guessed;
    if (grid.empty() || values.size() < triton::KernelInternals::stateOf(opened).parameters.size())
      guessMissing(opened, question.kernel, grid, values, guessed);
    Object memory =
        mapLaunch(module, opened, optionsOf(question.kernel, target), target.target, grid, values, isAbandoned);
    memory["guessed"] = describeGuess(guessed);
    return Object{{"memory", std::move(memory)}};
  }

private:
  triton::Module open(const std::string &source) const { return openModule(source, path.file, names); }

  /// The kernel's settings, the configurations of the autotuner, then the recorded launches.
  llvm::json::Array presetsOf(const triton::Kernel &kernel) const {
    llvm::json::Array presets = settingsOf(kernel);
    for (llvm::json::Value &configuration : configurationsOf(kernel))
      presets.push_back(std::move(configuration));
    for (llvm::json::Value &launch : launches.of(triton::KernelInternals::stateOf(kernel).function->name))
      presets.push_back(std::move(launch));
    return presets;
  }

  /// What the text and `.triton.toml` say now; nothing for a kernel without settings.
  llvm::json::Array settingsOf(const triton::Kernel &kernel) const {
    triton::settings::KernelSettings settings = readSettings(kernel, path.file);
    if (settings.str().empty())
      return {};
    Object values, described;
    for (const auto &[name, item] : settings.items)
      values[name] = item;
    described["text"] = "the settings: " + settings.str();
    described["values"] = std::move(values);
    if (settings.target)
      described["target"] = *settings.target;
    if (settings.numWarps)
      described["num_warps"] = *settings.numWarps;
    if (settings.numStages)
      described["num_stages"] = *settings.numStages;
    return llvm::json::Array{std::move(described)};
  }

  static llvm::json::Array namesOf(const triton::Module &module) {
    llvm::json::Array names;
    for (const std::string &name : module.kernelNames())
      names.push_back(name);
    return names;
  }

  /// {"name", "item", "is_constant", "has_default"} of each; the item is empty where the signature has none.
  static llvm::json::Array parametersOf(const triton::Kernel &kernel, const std::string &signature) {
    std::map<std::string, std::string> given;
    for (SignatureItem &item : signatureItems(kernel, signature))
      given[item.name] = std::move(item.value);
    llvm::json::Array parameters;
    for (const auto &parameter : triton::KernelInternals::stateOf(kernel).parameters)
      parameters.push_back(Object{{"name", parameter.rule.name},
                                  {"item", given[parameter.rule.name]},
                                  {"is_constant", parameter.rule.isConstexpr},
                                  {"has_default", parameter.hasDefault}});
    return parameters;
  }

  /// That of the question, or a guess, which is added to `guessed`.
  static std::string signatureOf(const triton::Kernel &kernel, const CompileQuestion &question,
                                 std::vector<GuessedItem> &guessed) {
    if (!question.signature.empty())
      return question.signature;
    guessed = triton::language_server::guessSignature(*triton::KernelInternals::stateOf(kernel).function);
    return llvm::join(llvm::map_range(guessed, [](const GuessedItem &item) { return item.text; }), ",");
  }

  /// Guesses what is not given of a launch, and says what in `guessed`.
  static void guessMissing(const triton::Kernel &kernel, const CompileQuestion &question, std::string &grid,
                           std::vector<std::string> &values, std::vector<GuessedItem> &guessed) {
    std::vector<GuessedItem> items;
    LaunchGuess guess = guessLaunch(kernel, signatureOf(kernel, question, items));
    if (grid.empty()) {
      grid = guess.grid.text;
      guessed.push_back(guess.grid);
    }
    for (const GuessedItem &argument : guess.arguments) {
      if (llvm::any_of(values,
                       [&](llvm::StringRef value) { return value.split('=').first.trim() == argument.parameter; }))
        continue;
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
  RecordedLaunches launches;
  std::shared_ptr<PythonNames> names;
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
  } catch (const triton::base::DiagnosticError &error) { // of settings, which may be those of another file
    const triton::base::Diagnostic &first = error.first();
    bool isInText = first.source && llvm::sys::path::extension(first.source->fileName()) == ".py";
    triton::base::Location place = isInText ? first.source->location(first.range) : triton::base::Location();
    result = describeError(error.what(), place.line, place.column);
  } catch (const std::bad_alloc &) {
    result = describeError("there is not enough memory for this");
  } catch (const std::exception &error) {
    result = describeError(error.what());
  }
  return isAbandoned.load() ? Object{{"abandoned", true}} : std::move(result);
}

/// A page that needs no server, with the launch if the question has one. Throws what compilations throw.
static std::string pageFor(const Explorer &explorer, const SimulationQuestion &question,
                           const std::atomic<bool> &isAbandoned) {
  Object shown = explorer.compile(question.kernel, &isAbandoned);
  if (!question.grid.empty() || !question.arguments.empty())
    shown["memory"] = std::move(explorer.simulate(question, isAbandoned)["memory"]);
  std::string data;
  llvm::raw_string_ostream(data) << llvm::json::Value(std::move(shown));
  return triton::explorer::exportPage(data);
}

void tritonc::explore(const ExploreCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  if (command.port < 0 || command.port > UINT16_MAX)
    throw UsageError("there is no port " + std::to_string(command.port) + "; a port is 1 to 65535");
  if (!irStage(splitInput(command.kernel.input).file).empty())
    throw UsageError("`explore` shows a kernel's text beside its stages; give a file of Python");
  Explorer explorer(command);
  SimulationQuestion first = explorer.firstQuestion(command);
  if (!command.exportPath.empty()) {
    const std::atomic<bool> neverAbandoned = false;
    std::string page = pageFor(explorer, first, neverAbandoned);
    return triton::aot::writeFiles({{command.exportPath, std::move(page)}});
  }
  if (!command.serve)
    throw UsageError("the Python package alone has no server of pages; write one with --export page.html, or in Python "
                     "with output=\"page.html\"");
  triton::explorer::ServerOptions options;
  options.port = command.port;
  options.first = first.kernel;
  options.grid = first.grid;
  options.arguments = first.arguments;
  options.endsAtOnce = [&] { explorer.removeFiles(); };
  options.compile = [&](const CompileQuestion &question, const std::atomic<bool> &isAbandoned) {
    Object answer = answerInWords(isAbandoned, [&] { return explorer.compile(question, &isAbandoned); });
    if (answer.get("error")) // another kernel of the file, or other arguments may compile
      explorer.describeQuestion(question, answer);
    return answer;
  };
  options.simulate = [&](const SimulationQuestion &question, const std::atomic<bool> &isAbandoned) {
    return answerInWords(isAbandoned, [&] { return explorer.simulate(question, isAbandoned); });
  };
  options.exportPage = [&](const SimulationQuestion &question, const std::atomic<bool> &isAbandoned) {
    return answerInWords(isAbandoned, [&] { return Object{{"page", pageFor(explorer, question, isAbandoned)}}; });
  };
  triton::language_server::TextQuestions texts(splitInput(command.kernel.input).file);
  options.aboutText = [&](const triton::explorer::TextQuestion &question) {
    llvm::Expected<llvm::json::Value> result = texts.answer(
        {question.method, question.source, llvm::lsp::Position(int(question.line), int(question.character))});
    if (!result)
      return describeError(llvm::toString(result.takeError()));
    return Object{{"result", std::move(*result)}};
  };
  options.started = [](const std::string &url) { llvm::outs() << "open " << url << "\n" << "Ctrl-C ends it\n"; };
  try {
    llvm::outs().SetUnbuffered();
    command.serve(options);
  } catch (const std::runtime_error &error) {
    throw UsageError(error.what());
  }
}
