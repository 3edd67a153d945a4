// tritonc: compiles, runs and inspects kernels, without Python.
#include "CommandLine.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <csignal>

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A file that grows beyond a limit of the shell is an error of the write, which says so, and no crash.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::setBugReportMsg("tritonc crashed, which is a defect of the compiler. Please report it with the kernel and:\n");
  return tritonc::runCommandLine(argc, argv, {&triton::explorer::serve, /*python=*/""});
}
