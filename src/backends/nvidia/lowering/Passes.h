// The pass of Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace triton::nvidia {

#define GEN_PASS_DECL
#include "backends/nvidia/lowering/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "backends/nvidia/lowering/Passes.h.inc"

} // namespace triton::nvidia
