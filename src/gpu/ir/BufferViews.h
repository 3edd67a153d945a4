// The encodings of views of buffers.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// That of the view whose dimension i is dimension `order[i]` of the buffer; null if there is none.
mlir::Attribute getPermutedEncoding(MemDescType buffer, llvm::ArrayRef<int32_t> order);

/// Whether the places of elements of a part, from its start on, are not those of its start and of the element added,
/// but their exclusive or. So are those of parts of such a part.
bool cutsPattern(MemDescSubsliceOp part);

/// By how much the places of the elements of `view` are changed by exclusive or because parts cut patterns.
int64_t findCutStart(mlir::Value view);

/// Whether a tensor and a buffer, of which `op` is a copy, contain the same elements in the same shape.
llvm::LogicalResult verifyTransfer(mlir::Operation *op, mlir::Type tensor, MemDescType buffer);

} // namespace triton::ttg
