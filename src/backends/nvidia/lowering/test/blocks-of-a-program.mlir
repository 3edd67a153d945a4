// Neighbouring blocks run a program; the launch starts them as a cluster.
// RUN: triton-opt %s --convert-triton-gpu-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: llvm.func ptx_kernelcc @ids
// CHECK-SAME: ["nvvm.cluster_dim", "4"]
// CHECK: %[[X:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"
// CHECK: llvm.lshr %[[X]], %{{.*}} : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.y"
// CHECK: %[[COUNT:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.nctaid.x"
// CHECK: llvm.lshr %[[COUNT]], %{{.*}} : i32
// CHECK: %[[BLOCK:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"
// CHECK: llvm.and %[[BLOCK]], %{{.*}} : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cluster.arrive"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cluster.wait"
module attributes {tt.blocks = 4 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ids(%p: !tt.ptr<i32>) {
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %count = tt.get_num_programs x : i32
    %block = tt.get_block_rank : i32
    ttg.cluster_barrier
    tt.store %p, %x : !tt.ptr<i32>
    tt.store %p, %y : !tt.ptr<i32>
    tt.store %p, %count : !tt.ptr<i32>
    tt.store %p, %block : !tt.ptr<i32>
    tt.return
  }
}

// -----

// expected-error @below {{`tt.blocks` is 3; it must be 1, 2, 4 or 8}}
module attributes {tt.blocks = 3 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
}

// -----

// expected-error @below {{`tt.blocks` is 2; it must be 1, because the target has no clusters}}
module attributes {tt.blocks = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
}
