#include "backends/gpu/llvm/Passes.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace triton::backends {

static void report(const Instruction &instruction, const Twine &text) {
  std::string place;
  if (const DebugLoc &location = instruction.getDebugLoc())
    place = " (line " + std::to_string(location.getLine()) + " of the kernel)";
  std::string full = (text + place).str();
  instruction.getContext().diagnose(DiagnosticInfoGeneric(full));
}

static const Value *addressOf(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->getPointerOperand();
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->getPointerOperand();
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return atomic->getPointerOperand();
  const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction);
  return exchange ? exchange->getPointerOperand() : nullptr;
}

/// llir-4
static void verifyAddress(const Instruction &instruction) {
  constexpr unsigned genericSpace = 0, sharedSpace = 3;
  const Value *address = addressOf(instruction);
  if (!address || address->getType()->getPointerAddressSpace() != genericSpace)
    return;
  while (const auto *element = dyn_cast<GEPOperator>(address))
    address = element->getPointerOperand();
  if (const auto *cast = dyn_cast<AddrSpaceCastOperator>(address); cast && cast->getSrcAddressSpace() == sharedSpace)
    report(instruction, "llir-4: an access of shared memory goes through a generic pointer");
}

/// llir-5
static void verifyConvergence(const Instruction &instruction) {
  static constexpr StringLiteral acrossLanes[] = {"llvm.nvvm.barrier.",    "llvm.nvvm.bar.",    "llvm.nvvm.mma.",
                                                  "llvm.nvvm.shfl.",       "llvm.nvvm.redux.",  "llvm.nvvm.vote.",
                                                  "llvm.amdgcn.s.barrier", "llvm.amdgcn.mfma.", "llvm.amdgcn.wmma."};
  const auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isIntrinsic() || call->isConvergent())
    return;
  if (any_of(acrossLanes, [&](StringRef prefix) { return callee->getName().starts_with(prefix); }))
    report(instruction, "llir-5: a call of `" + callee->getName() +
                            "` is not convergent, so that it may move where not all lanes reach it");
}

PreservedAnalyses VerifyLlirPass::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      verifyAddress(instruction);
      verifyConvergence(instruction);
    }
  return PreservedAnalyses::all();
}

} // namespace triton::backends
