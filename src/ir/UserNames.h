// The names by which users know the operations of TTIR, for messages.
#pragma once

#include "mlir/IR/Operation.h"

namespace triton::tt {

/// The function that the user wrote for the operation, such as "tl.histogram" for tt.histogram. If there is none, the
/// operation's own name.
std::string userName(mlir::Operation *op);

/// The same in quotation marks, followed by what to write instead, if that is known.
std::string describeUnsupported(mlir::Operation *op);

} // namespace triton::tt
