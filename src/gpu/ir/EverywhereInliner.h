// Lets functions with operations of a dialect be inlined.
#pragma once

#include "mlir/Transforms/InliningUtils.h"

namespace triton::ttg {

/// In Gluon functions have layouts and buffers before they are inlined.
struct EverywhereInliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const override { return true; }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const override { return true; }
};

} // namespace triton::ttg
