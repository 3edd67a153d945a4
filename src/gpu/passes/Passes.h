// The passes over the dialect ttg: their creation and registration. Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/passes/Passes.h.inc"

} // namespace triton::ttg
