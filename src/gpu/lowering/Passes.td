// The lowering of the dialects tt and ttg to LLVM.
#ifndef TRITON_GPU_LOWERING_PASSES_TD
#define TRITON_GPU_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTritonGPUToLLVM : Pass<"convert-triton-gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower a program with layouts to the code of one thread";
  let description = [{
    Every tensor becomes the values that one thread holds, in the order of its layout's registers; kernels become
    functions of the target's calling convention. What LLVM IR has no words for, such as shuffles and matrix products, the
    target that the module names writes itself. Needs the offsets of allocate-shared-memory and the barriers of
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
    Option<"flushDenormals", "flush-denormals", "bool", "false",
           "subnormal f32 inputs and results of approximations may become 0">,
    Option<"checkAssertions", "check-assertions", "bool", "false", "stop programs whose assertions fail">,
    ListOption<"targetOptions", "target-options", "std::string", "what the target is told, each as name=value">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif
