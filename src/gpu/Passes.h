// The pass that checks the rules of TTGIR: its creation and registration. Passes.td describes it.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace triton::ttg {

#define GEN_PASS_DECL
#include "gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "gpu/Passes.h.inc"

} // namespace triton::ttg
