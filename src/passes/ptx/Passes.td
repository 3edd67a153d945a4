// The pass that translates inline PTX. Its lit test is test/translate-ptx.mlir.
#ifndef TRITON_PASSES_PTX_PASSES_TD
#define TRITON_PASSES_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonTranslatePtx : Pass<"triton-translate-ptx", "::mlir::ModuleOp"> {
  let summary = "replace inline PTX by operations that every target has";
  let description = [{
    For targets other than NVIDIA's GPUs. Arithmetic, comparisons, conversions and moves are translated; loads, stores,
    atomic operations and fences; branches to a later place, and loops of scalars; and a barrier of the program or a wait
    for earlier launches, alone. PTX with any other instruction is an error. Other assembly stays as it is. Text that
    takes one element of each operand becomes operations on tensors:

    ```mlir
    %y = tt.elementwise_inline_asm "ex2.approx.ftz.f32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32,
        pure = true} %x : tensor<64xf32> -> tensor<64xf32>
    ```
    becomes
    ```mlir
    %y = math.exp2 %x : tensor<64xf32>
    ```

    What text does with scalars happens once for the program, and not in each of its threads. Text that takes several
    elements becomes a `tt.map_elementwise`, or, if it accesses memory, operations on one tensor for each place in its groups.
    Approximate functions are as exact as the target computes them, and subnormal numbers are kept.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

#endif
