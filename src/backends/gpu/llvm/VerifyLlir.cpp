#include "backends/gpu/llvm/Passes.h"
#include "backends/gpu/llvm/ThreadSets.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
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

namespace {
/// A place at which threads arrive at one of a block's barriers.
struct Arrival {
  const IntrinsicInst *call;
  std::optional<uint64_t> barrier; ///< its number, where that is constant
  uint64_t count;                  ///< of the threads that it waits for
};
} // namespace

static std::optional<Arrival> arrivalOf(const Instruction &instruction, unsigned threads) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return std::nullopt;
  auto constant = [&](unsigned operand) -> std::optional<uint64_t> {
    const auto *number = dyn_cast<ConstantInt>(call->getArgOperand(operand));
    return number ? std::optional(number->getZExtValue()) : std::nullopt;
  };
  switch (call->getIntrinsicID()) {
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
    return Arrival{call, constant(0), threads};
  case Intrinsic::nvvm_barrier_cta_sync_aligned_count:
  case Intrinsic::nvvm_barrier_cta_arrive_aligned_count:
    return Arrival{call, constant(0), constant(1).value_or(0)};
  default:
    return std::nullopt;
  }
}

/// llir-6, for kernels that say how many threads they have.
static void verifyBarriers(Function &function) {
  unsigned threads = 0;
  if (function.isDeclaration() || function.getFnAttribute("nvvm.reqntid").getValueAsString().getAsInteger(10, threads))
    return;
  SmallVector<std::pair<Arrival, BitVector>> arrivals;
  ThreadSets sets(function, threads);
  for (const Instruction &instruction : instructions(function))
    if (std::optional<Arrival> arrival = arrivalOf(instruction, threads))
      arrivals.push_back({*arrival, sets.reaching(*instruction.getParent())});
  for (const auto &[arrival, here] : arrivals) {
    // No thread waits at a barrier whose condition holds for none.
    if (!arrival.barrier || here.none())
      continue;
    // Threads come from several places where some only arrive, where each place has threads of its own, and where the
    // number of a barrier is not known.
    BitVector all = here;
    for (const auto &[other, there] : arrivals) {
      bool isSame = !other.barrier || other.barrier == arrival.barrier;
      bool alsoWaits = other.call->getIntrinsicID() == arrival.call->getIntrinsicID();
      bool isOneOfSeveral = !alsoWaits || !other.barrier || !here.anyCommon(there);
      if (isSame && isOneOfSeveral && other.count == arrival.count)
        all |= there;
    }
    if (all.count() < arrival.count)
      report(*arrival.call,
             "llir-6: " + Twine(all.count()) + " threads can reach a barrier that waits for " + Twine(arrival.count));
  }
}

PreservedAnalyses VerifyLlirPass::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function)) {
      verifyAddress(instruction);
      verifyConvergence(instruction);
    }
    verifyBarriers(function);
  }
  return PreservedAnalyses::all();
}

} // namespace triton::backends
