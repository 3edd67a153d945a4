// Which instructions LLVM may fuse with others.
#pragma once

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace triton::backends {

/// Sums and products that must keep their own rounding are fused multiply-adds of which an operand is 1 or -0
/// (src/passes/ptx/PtxArithmetic.cpp). LLVM simplifies these, and what becomes of them must not be fused again.
inline bool mayBeFused(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  bool isFused = intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::fma;
  return llvm::isa<llvm::FPMathOperator>(instruction) && !isFused;
}

} // namespace triton::backends
