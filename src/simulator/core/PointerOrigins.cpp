#include "simulator/core/PointerOrigins.h"

#include "simulator/core/InstructionSet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace triton::simulator {

/// The pointer that a value is, perhaps as an integer, which inline assembly takes.
static const llvm::Value *asPointer(const llvm::Value *value) {
  if (auto *cast = llvm::dyn_cast<llvm::PtrToIntOperator>(value))
    return cast->getPointerOperand();
  return value->getType()->isPointerTy() ? value : nullptr;
}

const llvm::Value *accessedPointer(const llvm::Instruction &instruction, const InstructionSet &target) {
  const llvm::Value *found = llvm::getLoadStorePointerOperand(&instruction);
  if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    found = atomic->getPointerOperand();
  if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    found = exchange->getPointerOperand();
  auto isGlobal = [&](const llvm::Value *pointer) {
    AddressSpace space = target.addressSpace(pointer->getType()->getPointerAddressSpace());
    return space != AddressSpace::Shared && space != AddressSpace::Local;
  };
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    for (const llvm::Use &argument : call->args()) {
      const llvm::Value *pointer = asPointer(argument.get());
      if (!pointer || !isGlobal(pointer))
        continue;
      if (found)
        return nullptr;
      found = pointer;
    }
  }
  return found && isGlobal(found) ? found : nullptr;
}

/// The value that this one has the address of, if the instruction only renames or moves it; otherwise null.
static const llvm::Value *sourceOf(const llvm::Value &value) {
  if (auto *address = llvm::dyn_cast<llvm::GEPOperator>(&value))
    return address->getPointerOperand();
  if (llvm::isa<llvm::BitCastOperator, llvm::AddrSpaceCastOperator, llvm::PtrToIntOperator, llvm::FreezeInst,
                llvm::IntToPtrInst>(value))
    return llvm::cast<llvm::User>(value).getOperand(0);
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&value))
    if (call->getIntrinsicID() == llvm::Intrinsic::amdgcn_make_buffer_rsrc ||
        call->getIntrinsicID() == llvm::Intrinsic::amdgcn_readfirstlane)
      return call->getArgOperand(0);
  return nullptr;
}

std::vector<unsigned> originsOf(const llvm::Value &pointer) {
  std::vector<unsigned> parameters;
  llvm::SmallSetVector<const llvm::Value *, 8> values;
  values.insert(&pointer);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const llvm::Value *value = values[i];
    if (auto *argument = llvm::dyn_cast<llvm::Argument>(value); argument && !argument->hasByValAttr()) {
      parameters.push_back(argument->getArgNo());
    } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      values.insert_range(phi->incoming_values());
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      values.insert(select->getTrueValue());
      values.insert(select->getFalseValue());
    } else if (const llvm::Value *source = sourceOf(*value)) {
      values.insert(source);
    } else if (!llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(value)) {
      return {};
    }
  }
  llvm::sort(parameters);
  parameters.erase(llvm::unique(parameters), parameters.end());
  return parameters;
}

/// Adds the integers of 32 bits from which an offset of 64 bits is computed.
static void collectNarrow(const llvm::Value *offset, unsigned depth,
                          llvm::SmallVectorImpl<const llvm::Value *> &found) {
  constexpr unsigned deepest = 8;
  if (offset->getType()->isIntegerTy(32)) {
    found.push_back(offset);
    return;
  }
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(offset);
  if (!instruction || depth == deepest)
    return;
  switch (instruction->getOpcode()) {
  case llvm::Instruction::SExt:
  case llvm::Instruction::ZExt:
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Mul:
  case llvm::Instruction::Shl:
  case llvm::Instruction::Or:
    for (const llvm::Use &operand : instruction->operands())
      collectNarrow(operand.get(), depth + 1, found);
    return;
  default:
    return;
  }
}

llvm::SmallVector<const llvm::Value *> narrowOffsetsOf(const llvm::Instruction &access, const llvm::Value &pointer) {
  llvm::SmallVector<const llvm::Value *> found;
  // The offset of an access through a buffer is an argument beside it.
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&access))
    for (auto [index, argument] : llvm::enumerate(call->args()))
      if (argument.get() == &pointer && index + 1 < call->arg_size())
        collectNarrow(call->getArgOperand(unsigned(index) + 1), 0, found);
  for (const llvm::Value *value = &pointer; value; value = sourceOf(*value))
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(value))
      for (const llvm::Use &index : address->indices())
        collectNarrow(index.get(), 0, found);
  llvm::erase_if(found, [](const llvm::Value *value) { return !llvm::isa<llvm::Instruction>(value); });
  return found;
}

} // namespace triton::simulator
