// NVIDIA's GPUs as machines of the middle end: the targets "cuda:<compute capability>".
#pragma once

#include "gpu/target/TargetInfo.h"

namespace triton::nvidia {

/// Registers the family "cuda" for every context with the dialect ttg.
void registerNvidiaTargets(mlir::DialectRegistry &registry);

} // namespace triton::nvidia
