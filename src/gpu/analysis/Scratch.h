// Shared memory that an operation needs only while it runs, in addition to buffers.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace triton::analysis {

/// Lets operations say what scratch they need. Every context in which shared memory is allocated needs this.
void registerScratchModels(mlir::DialectRegistry &registry);

/// The bytes of scratch of a conversion, reduction or scan; 0 for operations without scratch. The lowering uses the
/// same plan.
std::size_t getScratchBytes(mlir::Operation *op);

/// Whether `allocate-shared-memory` gave every buffer and all scratch a place. An error at the first that has none.
mlir::LogicalResult verifyHavePlaces(mlir::ModuleOp module);

} // namespace triton::analysis
