#include "simulator/core/TrackedValues.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace triton::simulator {

using llvm::Instruction;

bool TrackedValues::renames(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::PHI:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ShuffleVector:
  case Instruction::Freeze:
  case Instruction::BitCast:
    return true;
  default:
    return false;
  }
}

TrackedValues::TrackedValues(const llvm::Function &kernel, const InstructionSet &target) {
  for (const Instruction &instruction : llvm::instructions(kernel)) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !target.isAsynchronousProduct(*call))
      continue;
    addResult(call);
    for (const llvm::Use &argument : call->args())
      addOperand(argument.get());
  }
}

void TrackedValues::addResult(const llvm::Value *value) {
  llvm::SmallVector<const llvm::Value *> todo{value};
  while (!todo.empty()) {
    const llvm::Value *next = todo.pop_back_val();
    if (!results.insert(next).second)
      continue;
    for (const llvm::User *user : next->users())
      if (auto *instruction = llvm::dyn_cast<Instruction>(user); instruction && renames(*instruction))
        todo.push_back(instruction);
  }
}

void TrackedValues::addOperand(const llvm::Value *value) {
  llvm::SmallVector<const llvm::Value *> todo{value};
  while (!todo.empty()) {
    auto *instruction = llvm::dyn_cast<Instruction>(todo.pop_back_val());
    if (!instruction || !operands.insert(instruction).second)
      continue;
    if (renames(*instruction))
      todo.append(instruction->value_op_begin(), instruction->value_op_end());
  }
}

} // namespace triton::simulator
