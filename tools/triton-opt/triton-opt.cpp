// triton-opt: runs passes on IR files.
#include "LlvmPasses.h"

#include "backends/amd/target/AmdTarget.h"
#include "backends/cpu/Passes.h"
#include "backends/cpu/codegen/Codegen.h"
#include "backends/nvidia/target/NvidiaTarget.h"
#include "base/MlirText.h"
#include "base/Version.h"
#include "gpu/Pipeline.h"
#include "gpu/ir/Dialect.h"
#include "gpu/lowering/Passes.h"
#include "ir/Debug.h"
#include "ir/Dialect.h"
#include "passes/llvm/Passes.h"
#include "passes/ptx/Passes.h"
#include "passes/tt/Passes.h"
#include "passes/tt/Pipeline.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/SourceMgr.h"

#include <cstring>
#include <unistd.h>

using namespace mlir;

/// -debug-only=<type>,... LLVM defines this option only if it was built with assertions.
struct DebugOnly {
  void operator=(const std::string &value) {
    if (value.empty())
      return;
    llvm::DebugFlag = true;
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(value).split(parts, ',', -1, /*KeepEmpty=*/false);
    std::vector<std::string> names(parts.begin(), parts.end());
    std::vector<const char *> pointers;
    pointers.reserve(names.size());
    for (const std::string &name : names)
      pointers.push_back(name.c_str());
    llvm::setCurrentDebugTypes(pointers.data(), pointers.size());
  }
};

static void registerDebugOnly() {
  if (llvm::cl::getRegisteredOptions().contains("debug-only"))
    return;
  static DebugOnly location;
  static llvm::cl::opt<DebugOnly, /*ExternalStorage=*/true, llvm::cl::parser<std::string>> option(
      "debug-only", llvm::cl::desc("Print the debug output of these passes, by flag name"),
      llvm::cl::value_desc("pass,..."), llvm::cl::location(location), llvm::cl::ValueRequired);
}

struct TtgirPipelineOptions : PassPipelineOptions<TtgirPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the machine, as in family:architecture")};
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("warps of a program"), llvm::cl::init(4)};
  Option<unsigned> numStages{*this, "num-stages", llvm::cl::desc("iterations in flight at once"), llvm::cl::init(3)};
};

/// LLVM would abort the process. Its memory is in the state in which the failing function left it, so nothing else is
/// run.
static void reportFatalError(void *, const char *reason, bool) {
  llvm::errs() << "triton-opt: internal error of LLVM: " << reason
               << "\nhelp: this is a defect of the compiler; the same command on the same input repeats it\n";
  _exit(EXIT_FAILURE);
}

/// Reports text on which MLIR's parser would crash. Standard input, which can be read only once, is not checked.
static bool isParsable(llvm::StringRef path) {
  if (path == "-" || !llvm::sys::fs::is_regular_file(path))
    return true;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  std::optional<std::size_t> at = buffer ? triton::base::findUnparsableArray((*buffer)->getBuffer())
                                         : std::nullopt; // MLIR reports an unreadable file
  if (!at)
    return true;
  llvm::SourceMgr sources;
  const char *place = (*buffer)->getBufferStart() + *at;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  sources.PrintMessage(llvm::SMLoc::getFromPointer(place), llvm::SourceMgr::DK_Error,
                       triton::base::unparsableArrayMessage);
  return false;
}

int main(int argc, char **argv) {
  registerDebugOnly();

  DialectRegistry registry;
  registry.insert<triton::tt::TritonDialect, triton::ttg::TritonGPUDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  LLVM::registerInlinerInterface(registry);
  triton::amd::registerAmdTargets(registry);
  triton::nvidia::registerNvidiaTargets(registry);
  triton::ttg::registerTtgirModels(registry);

  registerTransformsPasses();
  triton::registerTritonLLVMDialectPasses();
  triton::tt::registerTritonPtxPasses();
  triton::tt::registerTritonTTPasses();
  triton::ttg::registerTtgirPasses();
  triton::cpu::registerCpuCodegenPasses();
  triton::cpu::registerCpuPasses();
  triton::gpu::registerTritonGPULoweringPasses();
  PassPipelineRegistration<>("triton-ttir", "the passes of the stage ttir",
                             [](OpPassManager &pm) { triton::tt::buildTtirPipeline(pm); });
  PassPipelineRegistration<TtgirPipelineOptions>("triton-ttgir", "the passes of the stage ttgir",
                                                 [](OpPassManager &pm, const TtgirPipelineOptions &options) {
                                                   triton::ttg::TtgirOptions chosen;
                                                   chosen.target = options.target;
                                                   chosen.numWarps = options.numWarps;
                                                   chosen.numStages = options.numStages;
                                                   triton::ttg::buildTtgirPipeline(pm, chosen);
                                                 });

  llvm::setBugReportMsg(
      "triton-opt crashed, which is a defect of the compiler. Please report it with the input and:\n");
  llvm::install_fatal_error_handler(reportFatalError);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "triton-opt " << triton::base::version() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
  });
  if (std::optional<int> status = runLlvmPasses(argc, argv))
    return *status;
  std::string overview =
      "runs passes on the stages of a Triton compilation; on a file of LLVM IR, these:\n" + listLlvmPasses();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, overview, registry);
  if (!isParsable(input))
    return EXIT_FAILURE;
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
}
