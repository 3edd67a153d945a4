// RUN: triton-opt --tritongpu-hoist-dots %s | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#wide = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The third product reads buffers, and nothing between the first and it writes any.
  // CHECK-LABEL: tt.func @backward
  tt.func @backward(%n: i32, %zero: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zero, %w = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %q = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem>
      // CHECK: %[[S:.*]] = ttg.warp_group_dot
      // CHECK-NEXT: %[[O:.*]] = ttg.memdesc_index
      // CHECK-NEXT: %[[D:.*]] = ttg.warp_group_dot %{{.*}}, %[[O]]
      // CHECK-NEXT: math.exp2 %[[S]]
      // CHECK: ttg.warp_group_dot
      // CHECK-NEXT: arith.mulf %{{.*}}, %[[D]]
      %s = ttg.warp_group_dot %k, %q, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %p = math.exp2 %s : tensor<64x64xf32, #mma>
      %a = ttg.convert_layout %p : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #dot>
      %t = arith.truncf %a : tensor<64x64xf32, #dot> to tensor<64x64xf16, #dot>
      %v2 = ttg.warp_group_dot %t, %q, %v : tensor<64x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %o = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttg.warp_group_dot %k, %o, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %w2 = arith.mulf %p, %d : tensor<64x64xf32, #mma>
      scf.yield %v2, %w2 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }

  // A barrier between, a sum of the first product, and products that need many registers keep their order.
  // CHECK-LABEL: tt.func @stays
  tt.func @stays(%zero: tensor<64x64xf32, #mma>, %many: tensor<64x256xf32, #wide>) {
    %k = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x256xf16, #shared, #smem, mutable>
    // CHECK: ttg.warp_group_dot
    // CHECK-NEXT: math.exp2
    // CHECK-NEXT: ttg.local_barrier
    // CHECK-NEXT: ttg.warp_group_dot
    %s = ttg.warp_group_dot %k, %k, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %p = math.exp2 %s : tensor<64x64xf32, #mma>
    ttg.local_barrier
    %d = ttg.warp_group_dot %k, %k, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    // CHECK-NEXT: math.exp2
    // CHECK-NEXT: ttg.warp_group_dot
    %e = math.exp2 %d : tensor<64x64xf32, #mma>
    %f = ttg.warp_group_dot %k, %k, %d : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }

  // CHECK-LABEL: tt.func @many
  tt.func @many(%zero: tensor<64x256xf32, #wide>) {
    %k = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x256xf16, #shared, #smem, mutable>
    // CHECK: ttg.warp_group_dot
    // CHECK-NEXT: math.exp2
    // CHECK-NEXT: ttg.warp_group_dot
    %s = ttg.warp_group_dot %k, %b, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x256xf16, #shared, #smem, mutable> -> tensor<64x256xf32, #wide>
    %p = math.exp2 %s : tensor<64x256xf32, #wide>
    %d = ttg.warp_group_dot %k, %b, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x256xf16, #shared, #smem, mutable> -> tensor<64x256xf32, #wide>
    tt.return
  }
}
