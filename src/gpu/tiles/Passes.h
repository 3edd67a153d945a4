// The passes that decide what tiles a program computes, of which types, at which addresses and with how many warps:
// their creation and registration. Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/tiles/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/tiles/Passes.h.inc"

} // namespace triton::ttg
