// The passes that choose the layouts of tensors, and say what follows from them: their creation and registration.
// Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/layouts/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/layouts/Passes.h.inc"

} // namespace triton::ttg
