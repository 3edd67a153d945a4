// LLVM's counterparts of the language's atomic operations, for every backend.
#pragma once

#include "ir/Dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace triton {

/// The operation on elements of `element`, an LLVM type.
mlir::LLVM::AtomicBinOp findAtomicOperation(tt::RMWOp operation, mlir::Type element);

} // namespace triton
