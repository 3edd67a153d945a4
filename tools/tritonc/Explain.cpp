// tritonc explain: why a kernel is as fast as it is.
#include "KernelInput.h"
#include "SimulatedLaunch.h"

#include "compiler/ExplanationText.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

/// What a launch on the simulator does; empty where none was asked for.
static llvm::json::Object launchOf(const ExplainCommand &command, const std::string &source) {
  if (command.grid.empty() && command.arguments.empty())
    return {};
  if (source.empty())
    throw UsageError("a launch needs the file of the kernel, not a text of TTIR; name it as file.py:kernel");
  KernelPath path = splitInput(command.kernel.input);
  triton::Module module = openModule(source, path.file, std::make_shared<PythonNames>(command.kernel.connection));
  TargetOption target = parseTarget(command.kernel.target);
  const std::atomic<bool> neverAbandoned = false;
  return mapLaunch(module, openKernel(module, path), launchOptions(command.kernel, target), target.target,
                   command.grid.empty() ? "1" : command.grid, command.arguments, neverAbandoned);
}

void tritonc::explain(const ExplainCommand &command) {
  if (command.kernel.input.empty())
    throw UsageError("name a kernel as file.py:kernel");
  llvm::StringRef target = command.kernel.target;
  if (!target.contains("cuda:") && !target.contains("hip:"))
    throw UsageError("`explain` is about kernels for GPUs; give a target such as cuda:90 or sim:cuda:90");
  std::string stage = irStage(splitInput(command.kernel.input).file);
  if (!stage.empty() && stage != "ttir")
    throw UsageError("`explain` needs the passes of the stages ttir and ttgir; give a kernel or a file of TTIR");
  std::string explanation = Compiled(command.kernel, "", /*explains=*/true).artifact("explain");
  std::string source = stage.empty() ? readFile(splitInput(command.kernel.input).file) : "";
  llvm::json::Object memory = launchOf(command, source);
  if (command.json && memory.empty()) {
    llvm::outs() << explanation;
    return;
  }
  llvm::json::Value root = llvm::cantFail(llvm::json::parse(explanation));
  if (command.json) {
    for (const char *member : {"time", "places", "findings"})
      (*root.getAsObject())[member] = std::move(memory[member]);
    llvm::outs() << llvm::formatv("{0:2}\n", root);
    return;
  }
  llvm::outs() << triton::compiler::explanationText(*root.getAsObject());
  if (memory.empty())
    return;
  llvm::outs() << describeTime(memory, splitInput(command.kernel.input).file, source);
  if (std::size_t errors = memory.getArray("findings")->size())
    llvm::outs() << "  the simulator found " << errors << (errors == 1 ? " error" : " errors")
                 << " in this launch, which `tritonc run` shows\n";
}
