// The pass that translates inline PTX: its creation and registration. Passes.td describes it.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace triton::tt {

#define GEN_PASS_DECL
#include "passes/ptx/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/ptx/Passes.h.inc"

} // namespace triton::tt
