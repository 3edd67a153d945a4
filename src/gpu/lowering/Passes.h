// The pass of Passes.td.
#pragma once

#include "gpu/target/EmitterOptions.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace triton::gpu {

#define GEN_PASS_DECL
#include "gpu/lowering/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/lowering/Passes.h.inc"

} // namespace triton::gpu
