#include "backends/gpu/GpuOptimizer.h"

#include "backends/gpu/llvm/Passes.h"
#include "gpu/analysis/TunedNumbers.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
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
    return candidates <= tuned::mostCandidates && length < tuned::longestChain && pairs <= tuned::mostPairs;
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
class Optimizer {
public:
  Optimizer(llvm::Module &module, llvm::TargetMachine &machine, base::PassRunner &runner)
      : module(module), runner(runner), hasPairs(hasHalfArithmetic(module)),
        builder(&machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks) {
    timing.registerCallbacks(callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    combine.setVerifyFixpoint(false);
  }

  template <typename Pass> llvm::Error run(Pass pass) {
    return base::runLlvmPass(runner, stage, module, std::move(pass), modules);
  }

  llvm::Error runSimplification() {
    llvm::ModulePassManager passes;
    // On NVIDIA's targets, these answer libdevice's questions and bound the numbers of threads and blocks.
    builder.invokePipelineStartEPCallbacks(passes, llvm::OptimizationLevel::O3);
    passes.addPass(llvm::AlwaysInlinerPass());
    llvm::FunctionPassManager each;
    each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    each.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    each.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
    return run({"simplify", "inlines functions and makes values of variables", /*isOptional=*/true}, passes);
  }

  llvm::Error runCombination() {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InstCombinePass(combine)));
    return run({"combine", "combines instructions", /*isOptional=*/true}, passes);
  }

  llvm::Error runRest() {
    llvm::FunctionPassManager each;
    each.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
    each.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    each.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
    each.addPass(llvm::SimplifyCFGPass(
        llvm::SimplifyCFGOptions().hoistCommonInsts(true).sinkCommonInsts(true).needCanonicalLoops(false)));
    each.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    if (hasPairs) { // A pair of half or bfloat is one instruction. Other vectors of a thread come from layouts.
      each.addPass(llvm::SLPVectorizerPass());
      each.addPass(llvm::InstCombinePass(combine));
    }
    each.addPass(llvm::DivRemPairsPass()); // The assembler divides a second time for the remainder.
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
    passes.addPass(llvm::GlobalDCEPass());
    // On AMD's, these find out which hidden arguments and numbers of the launch a kernel does not need.
    builder.invokeOptimizerLastEPCallbacks(passes, llvm::OptimizationLevel::O3, llvm::ThinOrFullLTOPhase::None);
    return run({"optimize", "rotates and simplifies loops, hoists, makes pairs of halves", /*isOptional=*/true},
               passes);
  }

private:
  static constexpr llvm::StringLiteral stage = "llir";

  llvm::Error run(base::StepInfo step, llvm::ModulePassManager &passes) {
    return runner.step(stage, step, [&] {
      passes.run(module, modules);
      return llvm::Error::success();
    });
  }

  llvm::Module &module;
  base::PassRunner &runner;
  bool hasPairs;
  llvm::InstCombineOptions combine;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::TimePassesHandler timing; ///< active if LLVM_ENABLE_TIMING is set
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};

} // namespace

llvm::Error optimizeGpuModule(llvm::Module &module, llvm::TargetMachine &machine, bool splitsPairs,
                              base::PassRunner &runner) {
  Optimizer optimizer(module, machine, runner);
  llvm::Error error = optimizer.runSimplification();
  if (!error)
    error = optimizer.run(BoundHalfConversionsPass());
  if (!error)
    error = optimizer.runCombination();
  if (!error && splitsPairs)
    error = optimizer.run(KeepCarriedPairsPass());
  if (!error)
    error = optimizer.runRest();
  if (!error) // after invariants have left the loops, whose registers it saves
    error = optimizer.run(ShareAddressesPass());
  return error;
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
