// tritonc explore: a page that shows one kernel through all stages of its compilation.
#include "ArgumentValues.h"
#include "KernelInput.h"

#include "aot/OutputFiles.h"
#include "api/KernelState.h"
#include "api/Recording.h"
#include "base/CompilationRecord.h"
#include "compiler/BackendRegistry.h"
#include "explorer/Exploration.h"
#include "explorer/Page.h"
#include "explorer/Server.h"
#include "language_server/SignatureGuess.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;
using llvm::json::Object;
using llvm::json::Value;
using triton::explorer::CompileQuestion;

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

/// Compiles the kernels of one file, whose text the page may have changed.
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
    std::string signature =
        question.signature.empty()
            ? triton::language_server::guessSignature(*triton::KernelInternals::stateOf(opened).function)
            : question.signature;
    ArgumentList arguments(module);
    arguments.addSignature(signature);
    KernelOptions given = options;
    given.target = question.target;
    given.numWarps = question.numWarps;
    given.numStages = question.numStages;
    TargetOption target = parseTarget(given.target);
    triton::LaunchOptions launch = launchOptions(given, target);
    if (question.isQuick)
      launch.lastStage = stageBeforeAssembler(target.target);
    triton::base::CompilationRecord record;
    auto kernel = triton::api::compileRecorded(opened, launch, arguments.arguments(), record, isAbandoned);
    Object result = triton::explorer::describeCompilation(*kernel, record, question.source);
    llvm::json::Array names;
    for (const std::string &name : module.kernelNames())
      names.push_back(name);
    result["kernels"] = std::move(names);
    result["beside"] = llvm::json::Array(beside);
    result["signature"] = signature;
    result["is_complete"] = launch.lastStage.empty();
    return result;
  }

private:
  KernelOptions options;
  KernelPath path;
  llvm::json::Array beside;
};

} // namespace

static Object describeError(llvm::StringRef text, unsigned line = 0, unsigned column = 0) {
  return Object{{"error", Object{{"text", llvm::json::fixUTF8(text)}, {"line", line}, {"column", column}}}};
}

static Object answer(const Explorer &explorer, const CompileQuestion &question, const std::atomic<bool> &isAbandoned) {
  try {
    return explorer.compile(question, &isAbandoned);
  } catch (const triton::Error &error) {
    return describeError(error.what(), error.line(), error.column());
  } catch (const std::exception &error) {
    return describeError(error.what());
  }
}

void tritonc::explore(const ExploreCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  if (!irStage(splitInput(command.kernel.input).file).empty())
    throw UsageError("`explore` shows a kernel's text beside its stages; give a file of Python");
  Explorer explorer(command);
  CompileQuestion first = explorer.firstQuestion();
  if (!command.exportPath.empty()) {
    std::string data;
    llvm::raw_string_ostream(data) << Value(explorer.compile(first, /*isAbandoned=*/nullptr));
    triton::aot::writeFiles({{command.exportPath, triton::explorer::exportPage(data)}});
    return;
  }
  triton::explorer::ServerOptions options;
  options.port = command.port;
  options.first = first;
  options.compile = [&](const CompileQuestion &question, const std::atomic<bool> &isAbandoned) {
    return answer(explorer, question, isAbandoned);
  };
  options.started = [](const std::string &url) { llvm::outs() << "open " << url << "\n" << "Ctrl-C ends it\n"; };
  try {
    llvm::outs().SetUnbuffered();
    triton::explorer::serve(options);
  } catch (const std::runtime_error &error) {
    throw UsageError(error.what());
  }
}
