// TTIR to ttcir: kernels over tensors as loops over native vectors. See Lowering.h for the method.
#pragma once

#include "backends/cpu/emitters/TargetDescription.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace triton::cpu {

struct CpuCodegenOptions {
  const TargetDescription *target = nullptr; ///< null: the host
  bool debug = false;                        ///< check device_assert
  bool fuse = true;                          ///< a*b+c may become one fused operation
};

/// Module attribute: bytes of scratch area that a thread running the module's kernel needs.
inline constexpr llvm::StringLiteral scratchBytesAttrName = "triton_cpu.scratch_bytes";

/// Replaces the kernels of `module` by functions with the signature of cpu::CpuEntry. Fails with a diagnostic at an
/// operation that the backend does not support.
mlir::LogicalResult lowerTilesToLoops(mlir::ModuleOp module, const CpuCodegenOptions &options);

/// The same as a pass. Registered as `triton-cpu-lower-tiles`.
std::unique_ptr<mlir::Pass> createLowerTilesPass(const CpuCodegenOptions &options = {});
void registerCpuCodegenPasses();

} // namespace triton::cpu
