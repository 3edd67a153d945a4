// The passes that let the machine's copy engine move blocks of arrays beside the program: their creation and
// registration. Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/copies/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/copies/Passes.h.inc"

} // namespace triton::ttg
