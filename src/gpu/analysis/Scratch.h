// Shared memory that an operation needs only while it runs, in addition to buffers.
#pragma once

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace triton::analysis {

/// Lets operations say what scratch they need. Every context in which shared memory is allocated needs this.
void registerScratchModels(mlir::DialectRegistry &registry);

/// The bytes of scratch of a conversion, reduction or scan; 0 for operations without scratch. The lowering uses the
/// same plan.
std::size_t getScratchBytes(mlir::Operation *op);

} // namespace triton::analysis
