#include "backends/gpu/GpuOptimizer.h"

#include "backends/gpu/BoundHalfConversions.h"
#include "backends/gpu/KeepCarriedPairs.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

namespace triton::backends {
namespace {

bool hasHalfArithmetic(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::BinaryOperator, llvm::IntrinsicInst>(instruction) &&
          instruction.getType()->getScalarType()->is16bitFPTy() && !instruction.mayReadOrWriteMemory())
        return true;
  return false;
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

/// LLVM's standard pipelines are made for C++. A kernel has one function besides those of the vendor's library, and the
/// passes on tiles have already combined, hoisted and unrolled, so only addresses and conditions remain to be
/// optimized. Each of these passes pays. The other passes, which include value numbering and the vectorizers, took
/// three quarters of the time and changed no instruction.
///
/// The passes are named by their classes: LLVM's parser of pipelines makes every pass a part of the program, a tenth of
/// it.
llvm::FunctionPassManager functionPasses(bool splitsPairs, bool hasPairs) {
  llvm::InstCombineOptions combine;
  combine.setVerifyFixpoint(false);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(BoundHalfConversionsPass());
  passes.addPass(llvm::InstCombinePass(combine));
  if (splitsPairs)
    passes.addPass(KeepCarriedPairsPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::SimplifyCFGPass(
      llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true).needCanonicalLoops(false)));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  if (hasPairs) { // A pair of half or bfloat is one instruction. Other vectors of a thread come from layouts.
    passes.addPass(llvm::SLPVectorizerPass());
    passes.addPass(llvm::InstCombinePass(combine));
  }
  return passes;
}

} // namespace

void optimizeGpuModule(llvm::Module &module, llvm::TargetMachine &machine, bool splitsPairs) {
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::TimePassesHandler timing; // active if LLVM_ENABLE_TIMING is set
  timing.registerCallbacks(callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  // On NVIDIA's targets, these answer libdevice's questions and bound the numbers of threads and blocks.
  builder.invokePipelineStartEPCallbacks(passes, llvm::OptimizationLevel::O3);
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(functionPasses(splitsPairs, /*hasPairs=*/hasHalfArithmetic(module))));
  passes.addPass(llvm::GlobalDCEPass());
  // On AMD's, these find out which hidden arguments and numbers of the launch a kernel does not need.
  builder.invokeOptimizerLastEPCallbacks(passes, llvm::OptimizationLevel::O3, llvm::ThinOrFullLTOPhase::None);
  passes.run(module, modules);
}

void leaveOutForGpus(CodeGenerationPasses &passes, llvm::Module &module) {
  // Layouts have already made vectors of what threads access. The pass took up to half of the time here, more than
  // quadratic in the number of accesses, and changed no kernel.
  passes.leaveOut("load-store-vectorizer");
  if (!llvm::all_of(module, [](llvm::Function &function) {
        return function.isDeclaration() || StrengthReductionSize().isSmall(function);
      }))
    passes.leaveOut("slsr");
}

} // namespace triton::backends
