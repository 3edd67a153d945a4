// The values of a kernel that asynchronous matrix products write and read. Their registers are watched while the kernel
// runs (RegisterHistory.h).
#pragma once

#include "simulator/core/InstructionSet.h"

#include "llvm/ADT/DenseSet.h"

namespace triton::simulator {

class TrackedValues {
public:
  TrackedValues(const llvm::Function &kernel, const InstructionSet &target);

  /// Whether the kernel has no asynchronous products.
  bool isEmpty() const { return results.empty(); }
  /// Whether the value is the result of a product, under its own name or another.
  bool isResult(const llvm::Value *value) const { return results.contains(value); }
  /// Whether the value may be an operand of a product, under its own name or another.
  bool isOperand(const llvm::Value *value) const { return operands.contains(value); }
  /// Whether an instruction only gives registers another name.
  static bool renames(const llvm::Instruction &instruction);

private:
  void addResult(const llvm::Value *value);
  void addOperand(const llvm::Value *value);

  llvm::DenseSet<const llvm::Value *> results, operands;
};

} // namespace triton::simulator
