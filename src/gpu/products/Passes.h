// The passes that bring matrix products and their operands to the units that compute them: their creation and
// registration. Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/products/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/products/Passes.h.inc"

} // namespace triton::ttg
