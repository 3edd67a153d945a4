// A pass on LLVM IR, for an error of LLVM's.
#pragma once

#include "llvm/IR/PassManager.h"

namespace triton::backends {

/// LLVM takes an integer of few significant bits that is converted to half, and then to float, for an exact half, also
/// where it is too large for one: 255 << 24 would not become infinity. This pass lets larger integers become float,
/// bounds them at what rounds to infinity, and converts that to half.
class BoundHalfConversionsPass : public llvm::PassInfoMixin<BoundHalfConversionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace triton::backends
