#include "backends/gpu/llvm/ThreadSets.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace triton::backends {

static constexpr unsigned deepest = 24;
static constexpr unsigned lanes = 32;

std::optional<uint64_t> ThreadSets::evaluate(const Value *value, unsigned thread, unsigned depth) {
  if (const auto *constant = dyn_cast<ConstantInt>(value))
    return constant->getBitWidth() <= 64 ? std::optional(constant->getZExtValue()) : std::nullopt;
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 ||
      depth == deepest)
    return std::nullopt;
  if (auto found = known.find({value, thread}); found != known.end())
    return found->second;
  std::optional<uint64_t> result = compute(*instruction, thread, depth + 1);
  known[{value, thread}] = result;
  return result;
}

std::optional<uint64_t> ThreadSets::compute(const Instruction &instruction, unsigned thread, unsigned depth) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    switch (call->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return thread;
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return thread % lanes;
    case Intrinsic::nvvm_shfl_sync_idx_i32: // (members, value, lane, bounds)
      if (std::optional<uint64_t> lane = evaluate(call->getArgOperand(2), thread, depth); lane && *lane < lanes)
        return evaluate(call->getArgOperand(1), thread / lanes * lanes + unsigned(*lane), depth);
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }
  if (!isa<BinaryOperator, CmpInst, CastInst, SelectInst>(instruction))
    return std::nullopt;
  SmallVector<Constant *, 3> operands;
  for (const Value *operand : instruction.operands()) {
    std::optional<uint64_t> number = evaluate(operand, thread, depth);
    if (!number)
      return std::nullopt;
    operands.push_back(ConstantInt::get(operand->getType(), *number));
  }
  auto *folded = dyn_cast_or_null<ConstantInt>(
      ConstantFoldInstOperands(&instruction, operands, instruction.getModule()->getDataLayout()));
  return folded ? std::optional(folded->getZExtValue()) : std::nullopt;
}

BitVector ThreadSets::reaching(const BasicBlock &block) {
  BitVector set(threads, true);
  const DomTreeNode *node = dominators.getNode(&block);
  for (; node && node->getIDom(); node = node->getIDom()) {
    const BasicBlock *above = node->getIDom()->getBlock();
    const auto *branch = dyn_cast<BranchInst>(above->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned side : {0u, 1u}) {
      if (!dominators.dominates(BasicBlockEdge(above, branch->getSuccessor(side)), &block))
        continue;
      for (unsigned thread = 0; thread < threads; ++thread)
        if (std::optional<uint64_t> holds = evaluate(branch->getCondition(), thread); holds && *holds == side)
          set.reset(thread);
    }
  }
  return set;
}

} // namespace triton::backends
