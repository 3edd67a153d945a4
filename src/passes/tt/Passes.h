// The passes over the dialect tt: their creation and registration. Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace triton::tt {

#define GEN_PASS_DECL
#include "passes/tt/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/tt/Passes.h.inc"

} // namespace triton::tt
