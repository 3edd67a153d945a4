// The passes before and behind those that make TTGIR: their creation and registration. Passes.td describes them.
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
