// The encodings of views of buffers.
#pragma once

#include "gpu/ir/Dialect.h"

namespace triton::ttg {

/// That of the view whose dimension i is dimension `order[i]` of the buffer; null if there is none.
mlir::Attribute getPermutedEncoding(MemDescType buffer, llvm::ArrayRef<int32_t> order);

} // namespace triton::ttg
