// RUN: triton-opt %s --split-input-file --convert-triton-gpu-to-llvm | FileCheck %s

// The lanes of one warp wait for one another alone.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @one_warp
// CHECK: "llvm.nvvm.bar.warp.sync"
// CHECK-NOT: barrier.cta
tt.func public @one_warp() {
  gpu.barrier
  tt.return
}
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @two_warps
// CHECK: "llvm.nvvm.barrier.cta.sync.aligned.all"
tt.func public @two_warps() {
  gpu.barrier
  tt.return
}
}
