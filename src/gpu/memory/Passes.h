// The passes that place buffers in shared memory and order its accesses: their creation and registration. Passes.td
// describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/memory/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/memory/Passes.h.inc"

} // namespace triton::ttg
