// The passes that decide what tiles a program computes, of which types and with how many warps. Each has a source file
// and a lit test of its name, in test/lit/ttg.
#ifndef TRITON_GPU_TILES_PASSES_TD
#define TRITON_GPU_TILES_PASSES_TD

include "mlir/Pass/PassBase.td"

def TritonGPUWidenFloat8 : Pass<"tritongpu-widen-float8", "::mlir::ModuleOp"> {
  let summary = "compute on 8-bit floats in f32";
  let description = [{
    GPUs convert and multiply 8-bit floats, but do not compute with single ones. Each operation gets its operands in f32
    and rounds its result; a reduction or scan by one operation rounds once, at its end.

    ```mlir
    %y = arith.mulf %x, %x : tensor<64xf8E5M2>
    ```
    becomes
    ```mlir
    %w = tt.fp_to_fp %x : tensor<64xf8E5M2> -> tensor<64xf32>
    %p = arith.mulf %w, %w : tensor<64xf32>
    %y = tt.fp_to_fp %p, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
    ```
  }];
  let dependentDialects = ["::triton::tt::TritonDialect"];
}

def TritonGPULimitWarps : Pass<"tritongpu-limit-warps", "::mlir::ModuleOp"> {
  let summary = "use fewer warps for programs on small tensors";
  let description = [{
    A warp whose threads move less than a whole vector costs as many instructions as any other warp, and it takes the
    place of another program, whose loads could be in flight. If all accesses of global memory and all tensors need
    fewer warps at the full width of the widest access, the pass marks the module with that number, and
    `convert-triton-to-tritongpu` uses it. Each warp executes the steps of reductions and scans, so a program with
    them gets as few as one warp for each scheduler, as long as a thread loads at most 64 bytes at once and its
    tensors fit in registers. Programs with matrix products, atomics or inline assembly keep all warps.
  }];
  let options = [
    Option<"target", "target", "std::string", "", "the machine, as in family:architecture">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps that were asked for">
  ];
  let dependentDialects = ["::triton::ttg::TritonGPUDialect"];
}

#endif
