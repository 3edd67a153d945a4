#include "backends/amd/llvm/Passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"

namespace triton::amd {

static bool isCopy(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds;
}

static bool readsShared(const llvm::Instruction &instruction) {
  constexpr unsigned sharedSpace = 3;
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->getPointerAddressSpace() == sharedSpace;
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && llvm::is_contained({llvm::Intrinsic::amdgcn_ds_read_tr16_b64, llvm::Intrinsic::amdgcn_ds_read_tr8_b64},
                                    call->getIntrinsicID());
}

/// A fence within a program waits for what its waves wrote to shared memory. LLVM counts all copies among that. Without
/// them it is an empty counter of accesses of shared memory, which is all that a fence of global memory leaves out.
static void passOverCopies(llvm::FenceInst &fence) {
  constexpr uint32_t untilSharedAccesses = 0xc07f; // s_waitcnt lgkmcnt(0)
  llvm::LLVMContext &context = fence.getContext();
  fence.setMetadata(llvm::LLVMContext::MD_mmra,
                    llvm::MMRAMetadata::getTagMD(context, "amdgpu-synchronize-as", "global"));
  if (!llvm::isReleaseOrStronger(fence.getOrdering()))
    return;
  llvm::IRBuilder<> builder(&fence);
  builder.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_waitcnt, {builder.getInt32(untilSharedAccesses)});
}

static void separateCopies(llvm::Function &function) {
  llvm::MDBuilder builder(function.getContext());
  llvm::MDNode *domain = builder.createAnonymousAliasScopeDomain(function.getName());
  llvm::Metadata *scope = builder.createAnonymousAliasScope(domain, "copies");
  llvm::MDNode *scopes = llvm::MDNode::get(function.getContext(), scope);
  auto add = [&](llvm::Instruction &instruction, unsigned kind) {
    instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), scopes));
  };
  llvm::SyncScope::ID program = function.getContext().getOrInsertSyncScopeID("workgroup");
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
    if (fence && fence->getSyncScopeID() == program)
      passOverCopies(*fence);
    else if (isCopy(instruction))
      add(instruction, llvm::LLVMContext::MD_alias_scope);
    else if (readsShared(instruction))
      add(instruction, llvm::LLVMContext::MD_noalias);
  }
}

llvm::PreservedAnalyses SeparateCopiesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    if (llvm::any_of(llvm::instructions(function), isCopy)) {
      separateCopies(function);
      changed = true;
    }
  return base::preservedIf(!changed);
}

} // namespace triton::amd
