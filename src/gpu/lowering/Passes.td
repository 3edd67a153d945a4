// The lowering of the dialects tt and ttg to LLVM.
#ifndef TRITON_GPU_LOWERING_PASSES_TD
#define TRITON_GPU_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTritonGPUToLLVM : Pass<"convert-triton-gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower a program with layouts to the code of one thread";
  let description = [{
    Every tensor becomes the values that one thread holds, in the order of its layout's registers; kernels become
    functions of the calling convention `ptx_kernel`. Needs the offsets of allocate-shared-memory and the barriers of
    tritongpu-insert-barriers.

    ```mlir
    %s = arith.addf %x, %y : tensor<256xf32, #blocked>   // two elements a thread
    ```
    becomes
    ```mlir
    %s0 = llvm.fadd %x0, %y0 : f32
    %s1 = llvm.fadd %x1, %y1 : f32
    ```
  }];
  let options = [
    Option<"maxRegisters", "max-registers", "unsigned", "0", "most registers of a thread; 0: the assembler's choice">,
    Option<"flushDenormals", "flush-denormals", "bool", "false",
           "subnormal f32 inputs and results of approximations may become 0">,
    Option<"checkAssertions", "check-assertions", "bool", "false", "stop programs whose assertions fail">,
    Option<"ptxVersion", "ptx-version", "unsigned", "0", "newest version of PTX that may be used, times 10; 0: any">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif
