#include "KernelInput.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

static void listPasses(const KernelOptions &options) {
  llvm::outs() << triton::compiler::describePasses(llvm::StringRef(options.target).split(':').first.str());
}

void tritonc::show(const ShowCommand &command) {
  if (command.listPasses)
    return listPasses(command.kernel);
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel, or give --passes");
  // "asm" is made from the last stages, so it needs all of them. Other stages can be shown even if a later one fails.
  Compiled compiled(command.kernel, command.stage == "asm" ? "" : command.stage);
  std::vector<std::string> names = compiled.artifactNames();
  if (!llvm::is_contained(names, command.stage))
    throw UsageError("there is no stage `" + command.stage + "`; choose one of " + llvm::join(names, ", "));
  llvm::outs() << compiled.artifact(command.stage);
}
