// Shared memory that an operation needs for itself while it runs, apart from buffers.
#pragma once

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace triton::analysis {

/// Lets operations say what scratch they need. Every context in which shared memory is allocated needs it.
void registerScratchModels(mlir::DialectRegistry &registry);

/// Bytes of scratch of a conversion, reduction or scan; 0 for operations without. The lowering uses the same plan.
std::size_t getScratchBytes(mlir::Operation *op);

} // namespace triton::analysis
