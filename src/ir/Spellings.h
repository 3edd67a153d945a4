// Operations that Triton writes otherwise than they are printed.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace triton::tt {

/// Reads an operation that has the same text under another name.
template <typename Op> mlir::ParseResult parseRenamed(mlir::OpAsmParser &parser, mlir::OperationState &result) {
  result.name = mlir::OperationName(Op::getOperationName(), parser.getContext());
  return Op::parse(parser, result);
}

} // namespace triton::tt
