// Which threads of a block may reach an instruction of a kernel.
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"

namespace triton::backends {

/// Conditions that are arithmetic on the number of the thread are computed for each thread. All others may hold or not.
class ThreadSets {
public:
  ThreadSets(llvm::Function &kernel, unsigned threads) : dominators(kernel), threads(threads) {}

  /// Those for which each condition on the way to `block` holds or may hold.
  llvm::BitVector reaching(const llvm::BasicBlock &block);

private:
  using Known = llvm::DenseMap<std::pair<const llvm::Value *, unsigned>, std::optional<uint64_t>>;

  std::optional<uint64_t> evaluate(const llvm::Value *value, unsigned thread, unsigned depth = 0);
  std::optional<uint64_t> compute(const llvm::Instruction &instruction, unsigned thread, unsigned depth);

  llvm::DominatorTree dominators;
  unsigned threads;
  Known known;
};

} // namespace triton::backends
