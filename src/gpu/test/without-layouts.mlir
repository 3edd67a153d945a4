// A pass that needs layouts refuses tensors without them: here the reduction of a loop, as stage ttir has it.
// RUN: triton-opt --tritongpu-accelerate-matmul --verify-diagnostics %s
// RUN: triton-opt --tritongpu-alternate-groups --verify-diagnostics %s
// RUN: triton-opt --tritongpu-carry-transposed --verify-diagnostics %s
// RUN: triton-opt --tritongpu-fence-async-proxy --verify-diagnostics %s
// RUN: triton-opt --tritongpu-hoist-dots --verify-diagnostics %s
// RUN: triton-opt --tritongpu-split-dots --verify-diagnostics %s
// RUN: triton-opt --tritongpu-optimize-thread-locality --verify-diagnostics %s
// RUN: triton-opt --tritongpu-overlap-dots --verify-diagnostics %s
// RUN: triton-opt --tritongpu-rotate-loops --verify-diagnostics %s
// RUN: triton-opt --tritongpu-schedule-loops --verify-diagnostics %s
// RUN: triton-opt --tritongpu-share-gathered-tiles --verify-diagnostics %s
// RUN: triton-opt --tritongpu-stage-loads --verify-diagnostics %s
// RUN: triton-opt --tritongpu-coalesce --verify-diagnostics %s
// RUN: triton-opt --tritongpu-pipeline --verify-diagnostics %s
// RUN: triton-opt --tritongpu-remove-layout-conversions --verify-diagnostics %s
// RUN: triton-opt --tritongpu-reorder-instructions --verify-diagnostics %s
// RUN: triton-opt --tritongpu-park-operands --verify-diagnostics %s
// RUN: triton-opt --tritongpu-transpose-in-threads --verify-diagnostics %s
// RUN: triton-opt --tritongpu-split-f32-dots --verify-diagnostics %s
// RUN: triton-opt --tritongpu-specialize-warps --verify-diagnostics %s
// RUN: triton-opt --tritongpu-double-buffer-operands --verify-diagnostics %s
// RUN: triton-opt --tritongpu-optimize-dot-operands --verify-diagnostics %s
// RUN: triton-opt --tritongpu-assign-latencies --verify-diagnostics %s
// RUN: triton-opt --tritongpu-order-copies --verify-diagnostics %s
// RUN: triton-opt --tritongpu-flatten-loops --verify-diagnostics %s
// RUN: triton-opt --tritongpu-buffer-mapped-stores --verify-diagnostics %s

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @below {{ttgir-1: 'tensor<16x16xf32>' has no layout}}
  tt.func @sum(%x: tensor<16x16xf32>, %start: f32, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %start) -> (f32) : i32 {
      %rows = "tt.reduce"(%x) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<16x16xf32>) -> tensor<16xf32>
      %all = "tt.reduce"(%rows) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<16xf32>) -> f32
      %next = arith.addf %sum, %all : f32
      scf.yield %next : f32
    }
    tt.return %r : f32
  }
}
