// RUN: triton-opt --tritongpu-carry-transposed --canonicalize %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#turned = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 8]}>
#linear = #ttg.linear<{register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32]], block = []}>
#left = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @sum
  tt.func @sum(%n: i32, %a: !ttg.memdesc<64x32xf32, #left, #smem>, %b: !ttg.memdesc<32x128xf32, #left, #smem>) -> tensor<128x64xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #[[TURNED:.*]]>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32, #blocked>
    // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[C:.*]] = %[[ZERO]]) -> (tensor<64x128xf32, #[[TURNED]]>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x64xf32, #blocked>) : i32 {
      // CHECK-NEXT: %[[M:.*]] = ttg.convert_layout %[[C]]
      // CHECK-NEXT: %[[D:.*]] = ttg.warp_group_dot %{{.*}}, %{{.*}}, %[[M]]
      // CHECK-NEXT: %[[NEXT:.*]] = ttg.convert_layout %[[D]] : {{.*}} -> tensor<64x128xf32, #[[TURNED]]>
      // CHECK-NEXT: scf.yield %[[NEXT]]
      %t = tt.trans %sum {order = array<i32: 1, 0>} : tensor<128x64xf32, #blocked> -> tensor<64x128xf32, #turned>
      %c = ttg.convert_layout %t : tensor<64x128xf32, #turned> -> tensor<64x128xf32, #mma>
      %d = ttg.warp_group_dot %a, %b, %c, inputPrecision = tf32 : !ttg.memdesc<64x32xf32, #left, #smem> * !ttg.memdesc<32x128xf32, #left, #smem> -> tensor<64x128xf32, #mma>
      %u = tt.trans %d {order = array<i32: 1, 0>} : tensor<64x128xf32, #mma> -> tensor<128x64xf32, #linear>
      %next = ttg.convert_layout %u : tensor<128x64xf32, #linear> -> tensor<128x64xf32, #blocked>
      scf.yield %next : tensor<128x64xf32, #blocked>
    }
    // CHECK: %[[BACK:.*]] = tt.trans %[[R]] {order = array<i32: 1, 0>}
    // CHECK-NEXT: tt.return %[[BACK]]
    tt.return %r : tensor<128x64xf32, #blocked>
  }

  // Something else uses the value as it is.
  // CHECK-LABEL: tt.func @used
  tt.func @used(%n: i32, %zero: tensor<128x64xf32, #blocked>, %p: tensor<128x64x!tt.ptr<f32>, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for {{.*}} -> (tensor<128x64xf32, #blocked>)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<128x64xf32, #blocked>) : i32 {
      tt.store %p, %sum : tensor<128x64x!tt.ptr<f32>, #blocked>
      %t = tt.trans %sum {order = array<i32: 1, 0>} : tensor<128x64xf32, #blocked> -> tensor<64x128xf32, #turned>
      %d = arith.addf %t, %t : tensor<64x128xf32, #turned>
      %next = tt.trans %d {order = array<i32: 1, 0>} : tensor<64x128xf32, #turned> -> tensor<128x64xf32, #blocked>
      scf.yield %next : tensor<128x64xf32, #blocked>
    }
    tt.store %p, %r : tensor<128x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
