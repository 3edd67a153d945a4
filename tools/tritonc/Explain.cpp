// tritonc explain: why a kernel is as fast as it is.
#include "KernelInput.h"

#include "compiler/ExplanationText.h"

#include "llvm/Support/raw_ostream.h"

using namespace tritonc;

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
  if (command.json) {
    llvm::outs() << explanation;
    return;
  }
  llvm::json::Value root = llvm::cantFail(llvm::json::parse(explanation));
  llvm::outs() << triton::compiler::explanationText(*root.getAsObject());
}
