// The passes over MLIR's LLVM dialect: their creation and registration. Passes.td describes them.
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace triton {

#define GEN_PASS_DECL
#include "passes/llvm/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/llvm/Passes.h.inc"

} // namespace triton
