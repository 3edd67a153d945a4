// The passes of Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"

#include <string>

namespace mlir {
class ModuleOp;
}

namespace triton::cpu {

#define GEN_PASS_DECL
#include "backends/cpu/Passes.h.inc"

/// Registers the passes for tools that run passes by name.
void registerCpuPasses();

} // namespace triton::cpu
