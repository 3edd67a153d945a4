#include "backends/Backend.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::backends {

std::string printArtifact(const Compilation &compilation, StageForm form) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  switch (form) {
  case StageForm::Mlir:
    compilation.module.get()->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
    return text;
  case StageForm::Llvm:
    compilation.llvmModule->print(stream, nullptr);
    return text;
  case StageForm::Binary:
    return compilation.binary;
  }
  llvm_unreachable("all forms are listed");
}

} // namespace triton::backends
