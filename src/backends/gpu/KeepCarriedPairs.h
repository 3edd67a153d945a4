// A pass on LLVM IR, for targets whose register allocator does not join the halves of a pair.
#pragma once

#include "llvm/IR/PassManager.h"

namespace triton::backends {

/// Loops carry 16-bit numbers in pairs, and take them apart in their headers. When a header is copied behind the loop's
/// body, the halves would become values of their own that the loop carries. This pass takes pairs apart in the blocks
/// that use the halves.
class KeepCarriedPairsPass : public llvm::PassInfoMixin<KeepCarriedPairsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace triton::backends
