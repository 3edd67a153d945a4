// The passes that decide what the iterations of a loop do beside one another: their creation and registration.
// Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/loops/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/loops/Passes.h.inc"

} // namespace triton::ttg
