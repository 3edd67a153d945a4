#include "backends/nvidia/Ptx.h"
#include "backends/nvidia/DefineNegation.h"

#include "backends/AdoptModule.h"
#include "backends/CodeGenerationPasses.h"
#include "backends/nvidia/WidenNarrowIntegers.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
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
  std::string features = options.version ? "+ptx" + std::to_string(options.version) : "";
  machine.reset(target->createTargetMachine(triple, options.architecture.processor, features, targetOptions,
                                            llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("cannot create a code generator for `" + options.architecture.processor + "`");
  return *machine;
}

/// LLVM's standard pipelines are made for C++. A kernel has one function besides those of libdevice, and the passes on
/// tiles have already combined, hoisted and unrolled, so only addresses and conditions remain to be optimized. Each of
/// these passes pays. The other passes, which include value numbering and the vectorizers, took three quarters of the
/// time and changed no instruction.
constexpr char scalarPasses[] = "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
                                "loop(loop-rotate),loop-mssa(licm),loop(indvars),"
                                "simplifycfg<hoist-common-insts;sink-common-insts;no-keep-loops>,early-cse<memssa>";

/// A pair of half or bfloat is one instruction. Other vectors of a thread come from layouts.
constexpr char vectorPasses[] = "slp-vectorizer,instcombine<no-verify-fixpoint>";

bool hasHalfArithmetic(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::BinaryOperator, llvm::IntrinsicInst>(instruction) &&
          instruction.getType()->getScalarType()->is16bitFPTy() && !instruction.mayReadOrWriteMemory())
        return true;
  return false;
}

} // namespace

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

llvm::Error optimizeModule(llvm::Module &module, const PtxOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::TimePassesHandler timing; // active if LLVM_ENABLE_TIMING is set
  timing.registerCallbacks(callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&*machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  // The target's own passes answer libdevice's questions and bound the numbers of threads and blocks.
  builder.invokePipelineStartEPCallbacks(passes, llvm::OptimizationLevel::O3);
  std::string pipeline = std::string("always-inline,function(") + scalarPasses +
                         (hasHalfArithmetic(module) ? std::string(",") + vectorPasses : "") + "),globaldce";
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

/// Bounds on the input of straight-line strength reduction. It compares the additions, multiplications and address
/// computations of a function with each other, and forgets everything that is known about those that depend on what it
/// changes: 256 unrolled elements take seconds, and so does a chain of 300 operations. For two addresses with the same
/// index, it also searches the function for an instruction that computes the difference of their bases: 128 gathers
/// whose indices have a common part take a third of a second. Programs of that kind gain nothing from it that ptxas
/// does not find.
class StrengthReductionSize {
public:
  bool isSmall(llvm::Function &function) {
    llvm::ReversePostOrderTraversal<llvm::Function *> blocks(&function);
    for (llvm::BasicBlock *block : blocks)
      for (llvm::Instruction &instruction : *block)
        if (!llvm::isa<llvm::PHINode>(instruction) && instruction.getType()->isIntOrPtrTy() && !fits(instruction))
          return false;
    return true;
  }

private:
  static constexpr unsigned mostCandidates = 512, longestChain = 64, mostPairs = 8192;

  bool fits(const llvm::Instruction &instruction) {
    unsigned length = 0;
    for (const llvm::Value *operand : instruction.operands())
      length = std::max(length, chains.lookup(operand));
    chains[&instruction] = length + 1;
    switch (instruction.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
      if (const llvm::Value *index = instruction.getOperand(instruction.getNumOperands() - 1);
          !llvm::isa<llvm::Constant>(index))
        pairs += 2 * sharing[index]++ + 1;
      ++candidates;
      break;
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::Shl:
    case llvm::Instruction::Or:
      ++candidates;
      break;
    default:
      break;
    }
    return candidates <= mostCandidates && length < longestChain && pairs <= mostPairs;
  }

  llvm::DenseMap<const llvm::Value *, unsigned> chains;  ///< their lengths, by their last instruction
  llvm::DenseMap<const llvm::Value *, unsigned> sharing; ///< addresses with this index
  unsigned candidates = 0, pairs = 0;
};

llvm::Expected<std::string> generatePtx(llvm::Module &module, const PtxOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  widenNarrowIntegers(module); // after the optimizer, which narrows what it can and makes vectors of it
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  backends::CodeGenerationPasses passes;
  // Layouts have already made vectors of what threads access. The pass took up to half of the time here, more than
  // quadratic in the number of accesses, and changed no kernel.
  passes.leaveOut("load-store-vectorizer");
  if (!llvm::all_of(module, [](llvm::Function &function) {
        return function.isDeclaration() || StrengthReductionSize().isSmall(function);
      }))
    passes.leaveOut("slsr");
  if (!passes.addAll(*machine, stream, llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("the code generator cannot write PTX");
  passes.run(module);
  return defineNegation(text);
}

} // namespace triton::nvidia
