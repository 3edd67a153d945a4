// Loads of operands of products, which bulk copies may do. Private to this folder.
#pragma once

#include "ir/Dialect.h"

namespace triton::ttg {

/// On a load through pointers, and on what has taken its place as long as it is open which of them stays: a number that
/// they share.
constexpr llvm::StringLiteral pointersAttribute = "tt.pointers";

/// A load through pointers and what has taken its place.
struct DescribedLoad {
  tt::LoadOp pointers;
  tt::DescriptorLoadOp copied;
  tt::TransOp transposed; ///< perhaps null

  void keepPointers() const;
  void dropPointers() const;
};

llvm::SmallVector<DescribedLoad> findDescribedLoads(tt::FuncOp function);

/// Whether `value` goes to products alone, as it is or transposed.
bool isOperandOnly(mlir::Value value);

bool isInLoop(mlir::Operation *load);

/// Whether some execution of `op` comes before some execution of `load`.
bool mayPrecede(mlir::Operation *op, mlir::Operation *load);

/// Says why threads load an operand in a loop, and where `cause` lies, which may be null.
void reportThreads(mlir::Operation *load, llvm::StringRef obstacle, mlir::Operation *cause);

} // namespace triton::ttg
