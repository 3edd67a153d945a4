// RUN: triton-opt --tritongpu-double-buffer-operands %s | FileCheck %s
// RUN: triton-opt --tritongpu-double-buffer-operands --tritongpu-overlap-dots %s | FileCheck %s --check-prefix=OVERLAP

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func @computed
  // OVERLAP-LABEL: tt.func @computed
  tt.func @computed(%n: i32, %zero: tensor<64x64xf32, #mma>, %x: tensor<64x64xf16, #blocked>) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    // CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
    // CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[SLOT:.*]] = %{{.*}})
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
      %a = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %y = arith.addf %x, %x : tensor<64x64xf16, #blocked>
      // CHECK: %[[WRITTEN:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
      // CHECK-NEXT: ttg.local_store %{{.*}}, %[[WRITTEN]]
      // CHECK-NEXT: %[[READ:.*]] = ttg.memdesc_index %[[RING]][%[[SLOT]]]
      %b = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      // CHECK: ttg.warp_group_dot %{{.*}}, %[[READ]]
      // CHECK: ttg.advance_slot %[[SLOT]] of 2
      // OVERLAP: ttg.warp_group_dot {{.*}} {isAsync = true}
      // OVERLAP-NEXT: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
      %d = ttg.warp_group_dot %a, %b, %acc : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    tt.return %sum : tensor<64x64xf32, #mma>
  }

  // A product whose left operand is in registers, and one that does not accumulate, are over in their iteration.
  // CHECK-LABEL: tt.func @stays
  // CHECK-NOT: memdesc_index
  // CHECK: tt.return
  tt.func @stays(%n: i32, %zero: tensor<64x64xf32, #mma>, %x: tensor<64x64xf16, #blocked>, %p: tensor<64x64xf16, #dot>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
      %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %d = ttg.warp_group_dot %p, %b, %acc : tensor<64x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %y = arith.addf %x, %x : tensor<64x64xf16, #blocked>
      %c = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
      %e = ttg.warp_group_dot %a, %c, %zero : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
    }
    tt.return %sum#0, %sum#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
}
