// RUN: triton-opt --tritongpu-alternate-groups %s | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A group has the turn from its second product to the first one of the next iteration.
  // CHECK-LABEL: tt.func @attention
  tt.func @attention(%n: i32, %zero: tensor<128x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %k = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %mover = ttg.is_mover {anyThread}
    scf.if %mover {
    } else {
      // CHECK: } else {
      // CHECK-NEXT: ttg.pass_turn {begins}
      // CHECK: ttg.wait_turn
      // CHECK-NEXT: scf.for
      // CHECK-NEXT: %[[S:.*]] = ttg.warp_group_dot {{.*}} {isAsync = true}
      // CHECK-NEXT: ttg.pass_turn
      // CHECK-NEXT: %[[W:.*]] = ttg.warp_group_dot_wait %[[S]] {pendings = 0 : i32}
      // CHECK-NEXT: math.exp2 %[[W]]
      // CHECK: ttg.wait_turn
      // CHECK-NEXT: ttg.warp_group_dot
      // CHECK: ttg.pass_turn
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
        %s = ttg.warp_group_dot %q, %k, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
        %p = math.exp2 %s : tensor<128x64xf32, #mma>
        %a = ttg.convert_layout %p : tensor<128x64xf32, #mma> -> tensor<128x64xf32, #dot>
        %t = arith.truncf %a : tensor<128x64xf32, #dot> to tensor<128x64xf16, #dot>
        %d = ttg.warp_group_dot %t, %k, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
        scf.yield %d : tensor<128x64xf32, #mma>
      }
    }
    tt.return
  }

  // A barrier of all warps, products without exponentials between, and programs whose warps are all alike have no turns.
  // CHECK-LABEL: tt.func @stays
  // CHECK-NOT: _turn
  tt.func @stays(%n: i32, %zero: tensor<128x64xf32, #mma>, %p: tensor<128x64xf16, #dot>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %k = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %mover = ttg.is_mover {anyThread}
    scf.if %mover {
    } else {
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
        %s = ttg.warp_group_dot %p, %k, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
        %x = math.exp2 %s : tensor<128x64xf32, #mma>
        ttg.local_barrier
        %d = ttg.warp_group_dot %p, %k, %x : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
        scf.yield %d : tensor<128x64xf32, #mma>
      }
      %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
        %s = ttg.warp_group_dot %p, %k, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
        %d = ttg.warp_group_dot %p, %k, %s : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
        scf.yield %d : tensor<128x64xf32, #mma>
      }
    }
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %s = ttg.warp_group_dot %p, %k, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %x = math.exp2 %s : tensor<128x64xf32, #mma>
      %d = ttg.warp_group_dot %p, %k, %x : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    tt.return
  }
}
