// AMD's GPUs as machines of the middle end: the targets "hip:<processor>", and "hip:<processor>:matrix=<extent>" where
// only matrix instructions with so many rows and columns may be used, 16 or 32.
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::amd {

/// Registers the family "hip" for every context with the dialect ttg.
void registerAmdTargets(mlir::DialectRegistry &registry);

} // namespace triton::amd
