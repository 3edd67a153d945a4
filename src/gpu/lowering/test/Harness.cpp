#include "Harness.h"

#include "WideTarget.h"

#include "backends/nvidia/Libdevice.h"
#include "backends/nvidia/target/NvidiaTarget.h"
#include "gpu/Pipeline.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/Passes.h"
#include "gpu/lowering/Passes.h"
#include "gpu/memory/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace triton::gpu {

static void registerDialects(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<tt::TritonDialect, ttg::TritonGPUDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, ub::UBDialect>();
  nvidia::registerNvidiaTargets(registry);
  ttg::registerTtgirModels(registry);
  registerWideTarget(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

static bool hasLayouts(const KernelText &text) { return text.module.find("#ttg.") != std::string::npos; }

/// A text without layouts is TTIR, whose module does not mention threads.
static std::string moduleText(const KernelText &text) {
  if (!hasLayouts(text))
    return text.module;
  auto split = text.module.find("tt.func");
  return text.module.substr(0, split) +
         llvm::formatv(R"(module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {0} : i32, )"
                       R"(ttg.target = "{1}", "ttg.threads-per-warp" = {2} : i32} {{)",
                       text.warps, text.target(), text.lanes())
             .str() +
         "\n" + text.module.substr(split) + "\n}\n";
}

/// Returns the kernel as LLVM IR, and sets what a launch of `kernel` needs. Null after a failure of the test.
static std::unique_ptr<llvm::Module> lowerToModule(const KernelText &text, llvm::LLVMContext &llvmContext,
                                                   LoweredKernel &kernel) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  registerDialects(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(moduleText(text), &context);
  if (!module) {
    ADD_FAILURE() << "the text does not parse";
    return nullptr;
  }
  PassManager passes(&context);
  if (text.isOptimized) {
    ttg::buildTtgirPipeline(passes, {.target = text.target(), .numWarps = text.warps});
  } else {
    if (!hasLayouts(text))
      passes.addPass(ttg::createConvertTritonToTritonGPU({text.target(), text.warps, 1}));
    passes.addPass(ttg::createAllocateSharedMemory());
    passes.addPass(ttg::createTritonGPUInsertBarriers());
  }
  passes.addPass(createConvertTritonGPUToLLVM());
  if (failed(passes.run(*module))) {
    ADD_FAILURE() << "the kernel does not lower";
    return nullptr;
  }
  if (auto bytes = (*module)->getAttrOfType<IntegerAttr>(ttg::sharedBytesAttribute))
    kernel.sharedBytes = std::size_t(bytes.getInt());
  kernel.threads = ttg::getNumWarps(*module) * ttg::getThreadsPerWarp(*module);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*module, llvmContext, "kernel");
  if (!llvmModule)
    ADD_FAILURE() << "the llvm dialect does not translate";
  else if (!text.isWide)
    llvmModule->setTargetTriple(llvm::Triple("nvptx64-nvidia-cuda"));
  return llvmModule;
}

std::string lowerToText(const KernelText &text) {
  llvm::LLVMContext llvmContext;
  LoweredKernel kernel;
  std::string result;
  if (std::unique_ptr<llvm::Module> module = lowerToModule(text, llvmContext, kernel))
    llvm::raw_string_ostream(result) << *module;
  return result;
}

LoweredKernel lower(const KernelText &text) {
  llvm::LLVMContext llvmContext;
  LoweredKernel kernel;
  std::unique_ptr<llvm::Module> module = lowerToModule(text, llvmContext, kernel);
  if (!module)
    return {};
  if (llvm::Error error = nvidia::linkLibdevice(*module)) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return {};
  }
  auto program = text.isWide ? simulator::Program::decode(*module, "kernel", wideInstructionSet())
                             : simulator::decodeKernel(*module, "kernel");
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return {};
  }
  kernel.program = std::move(*program);
  return kernel;
}

void run(const LoweredKernel &kernel, const std::vector<Argument> &arguments, uint32_t programs) {
  if (!kernel.program)
    return;
  simulator::LaunchConfiguration configuration;
  configuration.grid = {programs, 1, 1};
  configuration.threads = kernel.threads;
  configuration.dynamicSharedBytes = kernel.sharedBytes;
  std::vector<uint64_t> slots;
  std::vector<simulator::Allocation> allocations;
  for (const Argument &argument : arguments) {
    slots.push_back(argument.data ? reinterpret_cast<uint64_t>(argument.data) : argument.scalar);
    if (argument.data)
      allocations.push_back({"argument " + std::to_string(slots.size() - 1), reinterpret_cast<uintptr_t>(argument.data),
                             argument.bytes, true});
  }
  simulator::LaunchResult result = simulator::launch(*kernel.program, configuration, slots, std::move(allocations));
  for (const simulator::Finding &finding : result.findings)
    ADD_FAILURE() << finding.str();
}

std::string replaceAll(std::string text, const std::vector<std::pair<std::string, std::string>> &replacements) {
  for (auto &[name, value] : replacements)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, name.size(), value);
  return text;
}

void run(const KernelText &text, const std::vector<Argument> &arguments, uint32_t programs) {
  run(lower(text), arguments, programs);
}

} // namespace triton::gpu
