#include "backends/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace triton::cpu {
namespace {
#define GEN_PASS_REGISTRATION
#include "backends/cpu/Passes.h.inc"
} // namespace

void registerCpuPasses() { registerTritonCpuPasses(); }

} // namespace triton::cpu
