#include "backends/nvidia/Ptx.h"

#include "backends/AdoptModule.h"
#include "backends/gpu/GpuOptimizer.h"
#include "backends/gpu/llvm/Passes.h"
#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace triton::nvidia {
namespace {

void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

/// LLVM's feature for a version of PTX.
std::string featureOf(PtxVersion version) { return "ptx" + std::to_string(version); }

/// A target machine is not thread-safe, so each thread keeps its own.
llvm::Expected<llvm::TargetMachine &> threadTargetMachine(const PtxOptions &options) {
  using Key = std::tuple<std::string, PtxVersion, bool>;
  static thread_local std::map<Key, std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::TargetMachine> &machine =
      machines[{options.architecture.processor, options.version, options.fuseMultiplyAdd}];
  if (machine)
    return *machine;
  initializeTarget();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = options.fuseMultiplyAdd ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  targetOptions.NoTrapAfterNoreturn = true;
  std::string features = options.version ? "+" + featureOf(options.version) : "";
  machine.reset(target->createTargetMachine(triple, options.architecture.processor, features, targetOptions,
                                            llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("cannot create a code generator for `" + options.architecture.processor + "`");
  return *machine;
}

} // namespace

llvm::Error checkPtxVersion(const PtxOptions &options, llvm::StringRef source) {
  if (options.version == 0)
    return llvm::Error::success();
  PtxOptions newest = options;
  newest.version = 0;
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(newest);
  if (!machine)
    return machine.takeError();
  bool isWritten = llvm::any_of(machine->getMCSubtargetInfo()->getAllProcessorFeatures(),
                                [&](const auto &feature) { return feature.Key == featureOf(options.version); });
  if (isWritten && options.version >= options.architecture.oldestPtx)
    return llvm::Error::success();
  return llvm::createStringError((source + " is " + llvm::Twine(options.version) +
                                  "; it must be a version of PTX from " + llvm::Twine(options.architecture.oldestPtx) +
                                  ", the first with " + options.architecture.processor + ", to " +
                                  llvm::Twine(newestPtxVersion))
                                     .str());
}

/// For LLVM, matrix products are functions of one thread's operands, which may move into branches. Their call sites say
/// that all lanes of the warp must reach them. Other instructions across lanes say so themselves.
static void markMatrixProducts(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      if (call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma."))
        call->setConvergent();
}

/// No program changes what a launch passes by value, so instructions may read it in place instead of a copy.
static void markConstantParameters(llvm::Function &function) {
  if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
    for (llvm::Argument &argument : function.args())
      if (argument.hasByValAttr())
        function.addParamAttr(argument.getArgNo(), llvm::Attribute::get(function.getContext(), "nvvm.grid_constant"));
}

llvm::Error prepareModule(llvm::Module &module, const PtxOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  bool reflectFlush = options.flushDenormals || options.reflectFlush;
  if (!module.getModuleFlag("nvvm-reflect-ftz"))
    module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(reflectFlush));
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr(llvm::Attribute::NoUnwind);
      markMatrixProducts(function);
      markConstantParameters(function);
      if (options.flushDenormals)
        function.addFnAttr("denormal-fp-math-f32", "preserve-sign");
      if (options.fuseMultiplyAdd)
        for (llvm::Instruction &instruction : llvm::instructions(function))
          if (llvm::isa<llvm::FPMathOperator>(instruction))
            instruction.setHasAllowContract(true);
    }
  return llvm::Error::success();
}

llvm::Error adoptModule(llvm::Module &module, const PtxOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  return machine ? backends::adoptModule(module, *machine, "nvvm") : machine.takeError();
}

llvm::Error optimizeModule(llvm::Module &module, const PtxOptions &options, base::PassRunner &runner) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  return machine ? backends::optimizeGpuModule(module, *machine, /*splitsPairs=*/false, runner) : machine.takeError();
}

llvm::Error runPassesBeforePtx(llvm::Module &module, base::PassRunner &runner) {
  llvm::Error error = base::runLlvmPass(runner, "ptx", module, AddPairsPass());
  if (!error)
    error = base::runLlvmPass(runner, "ptx", module, ConvertPairsPass());
  if (!error)
    error = base::runLlvmPass(runner, "ptx", module, ShareInitialValuesPass());
  if (!error)
    error = base::runLlvmPass(runner, "ptx", module, backends::ShareLoopPointersPass());
  if (!error)
    error = base::runLlvmPass(runner, "ptx", module, WidenNarrowIntegersPass());
  if (!error)
    error = base::runLlvmPass(runner, "ptx", module, SinkSharedReadsPass());
  return error;
}

llvm::Expected<std::string> generatePtx(llvm::Module &module, const PtxOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  backends::CodeGenerationPasses passes;
  backends::leaveOutForGpus(passes, module);
  if (!passes.addAll(*machine, stream, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("the code generator cannot write PTX");
  passes.run(module);
  return std::string(text);
}

} // namespace triton::nvidia
