#include "LlvmPasses.h"

#include "backends/amd/llvm/Passes.h"
#include "backends/gpu/llvm/Passes.h"
#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using triton::base::StepInfo;

namespace {

struct Entry {
  const StepInfo &info;
  llvm::Error (*run)(llvm::Module &module, llvm::StringRef options);
};

template <typename Pass> Entry entryOf() {
  return {Pass::info, [](llvm::Module &module, llvm::StringRef options) -> llvm::Error {
            if (!options.empty())
              return llvm::createStringError("the pass takes no options");
            llvm::ModuleAnalysisManager analyses;
            Pass().run(module, analyses);
            return llvm::Error::success();
          }};
}

template <typename Pass, typename Options> Entry entryWith() {
  return {Pass::info, [](llvm::Module &module, llvm::StringRef text) -> llvm::Error {
            Options options{};
            if (llvm::Error error = parseOptions(text, options))
              return error;
            llvm::ModuleAnalysisManager analyses;
            Pass(options).run(module, analyses);
            return llvm::Error::success();
          }};
}

llvm::ArrayRef<Entry> entries() {
  using namespace triton;
  using amd::ScheduleHint, amd::TurnOptions;
  static const Entry table[] = {
#define TRITON_LLVM_PASS(Name, flag, need, summary, description) entryOf<backends::Name##Pass>(),
#include "backends/gpu/llvm/Passes.def"
#define TRITON_LLVM_PASS(Name, flag, need, summary, description) entryOf<nvidia::Name##Pass>(),
#include "backends/nvidia/llvm/Passes.def"
#define TRITON_LLVM_PASS(Name, flag, need, summary, description) entryOf<amd::Name##Pass>(),
#define TRITON_LLVM_PASS_WITH(Name, Options, flag, need, summary, description) entryWith<amd::Name##Pass, Options>(),
#include "backends/amd/llvm/Passes.def"
  };
  return table;
}

struct ChosenPass {
  const Entry *entry;
  llvm::StringRef options;
};

/// The pass that the argument `--flag` or `--flag=options` names.
std::optional<ChosenPass> findPass(llvm::StringRef argument) {
  if (!argument.consume_front("--"))
    return std::nullopt;
  auto [flag, options] = argument.split('=');
  const Entry *found = llvm::find_if(entries(), [&](const Entry &entry) { return entry.info.name == flag; });
  return found == entries().end() ? std::nullopt : std::optional(ChosenPass{found, options});
}

int fail(const llvm::Twine &message) {
  llvm::errs() << "triton-opt: " << message << '\n';
  return EXIT_FAILURE;
}

} // namespace

std::string listLlvmPasses() {
  std::string list;
  for (const Entry &entry : entries())
    list += ("  --" + entry.info.name + ": " + entry.info.summary + "\n").str();
  return list;
}

std::optional<int> runLlvmPasses(int argc, char **argv) {
  llvm::ArrayRef<char *> arguments(argv + 1, argc - 1);
  if (llvm::none_of(arguments, [](const char *argument) { return findPass(argument).has_value(); }))
    return std::nullopt;
  llvm::SmallVector<ChosenPass> passes;
  llvm::StringRef path = "-";
  for (llvm::StringRef argument : arguments) {
    if (std::optional<ChosenPass> pass = findPass(argument))
      passes.push_back(*pass);
    else if (argument.starts_with("-") && argument != "-")
      return fail("`" + argument + "` is not a pass over LLVM IR; with such passes, only they and a file may be given");
    else
      path = argument;
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, diagnostic, context);
  if (!module) {
    diagnostic.print("triton-opt", llvm::errs());
    return EXIT_FAILURE;
  }
  for (const ChosenPass &pass : passes) {
    if (llvm::Error error = pass.entry->run(*module, pass.options))
      return fail("--" + pass.entry->info.name + ": " + llvm::toString(std::move(error)));
    if (llvm::verifyModule(*module, &llvm::errs()))
      return fail("--" + pass.entry->info.name + " leaves LLVM IR that is not valid");
  }
  module->print(llvm::outs(), nullptr);
  return EXIT_SUCCESS;
}
