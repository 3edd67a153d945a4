// The layouts of values by the places of the kernel's text that they come from.
#pragma once

#include "gpu/ir/NamedValues.h"

#include "mlir/IR/BuiltinOps.h"

namespace triton::ttg {

struct PlacedLayout {
  std::string file;
  unsigned line, column; ///< from 1 on
  LaidOutType type;
};

/// In the order of the module. A value that is copied into another layout, or to shared memory, has the layouts of its
/// copies as well, and a value of an inlined function has the places of the calls.
std::vector<PlacedLayout> placedLayouts(mlir::ModuleOp module);

} // namespace triton::ttg
