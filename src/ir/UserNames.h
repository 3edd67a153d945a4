// What users call the operations of TTIR, for messages.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::tt {

/// The function that the user wrote for the operation, such as "tl.histogram" for tt.histogram; the operation's own
/// name when there is none.
std::string userName(mlir::Operation *op);

/// The same in quotation marks, with what to write instead where there is something.
std::string describeUnsupported(mlir::Operation *op);

} // namespace triton::tt
