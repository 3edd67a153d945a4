// RUN: triton-opt --tritongpu-rotate-loops %s | FileCheck %s
// RUN: triton-opt --tritongpu-rotate-loops --tritongpu-alternate-groups %s | FileCheck %s --check-prefix=TURNS
// RUN: triton-opt --tritongpu-rotate-loops --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#rows = #ttg.slice<{dim = 1, parent = #mma}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The first product of an iteration is issued, then the last one of the iteration before.
  // CHECK-LABEL: tt.func @attention
  // TURNS-LABEL: tt.func @attention
  tt.func @attention(%n: i32, %zero: tensor<128x64xf32, #mma>) -> (tensor<128x64xf32, #mma>, tensor<128xf32, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %keys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %full2 = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %empty2 = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %mover = ttg.is_mover {anyThread}
    %r:3 = scf.if %mover -> (tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32) {
      scf.yield %zero, %none, %c0 : tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32
    } else {
    // TURNS: ttg.pass_turn {begins}
    // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB:c0.*]], %[[UB:.*]] : i32
    // CHECK: %[[R:.*]]:3 = scf.if %[[RUNS]]
    // CHECK: ttg.warp_group_dot
    // CHECK-NOT: isAsync
    // CHECK: %[[P0:.*]] = math.exp2
    // CHECK: %[[T0:.*]] = arith.truncf %{{.*}}
    // CHECK: %[[SECOND:.*]] = arith.addi %[[LB]], %{{.*}} : i32
    // CHECK: %[[L:.*]]:7 = scf.for %[[I:.*]] = %[[SECOND]] to %[[UB]] {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[SUMS:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[FACTOR:.*]] = %{{.*}}, %[[BEFORE:.*]] = %{{.*}}, %[[PARITY:.*]] = %[[LB]], %[[T:.*]] = %[[T0]])
    // CHECK-NEXT: tt.expand_dims %[[FACTOR]]
    // CHECK: %[[SCALED:.*]] = arith.mulf %[[ACC]]
    // CHECK: %[[D:.*]] = ttg.warp_group_dot {{.*}} {isAsync = true}
    // CHECK-NEXT: ttg.wait_barrier %{{.*}}, %[[PARITY]]
    // CHECK-NEXT: %[[O:.*]] = ttg.warp_group_dot %[[T]], %{{.*}}, %[[SCALED]] {isAsync = true}
    // TURNS: ttg.wait_turn
    // TURNS-NEXT: scf.for
    // TURNS: ttg.warp_group_dot {{.*}} {isAsync = true}
    // TURNS: ttg.warp_group_dot {{.*}} {isAsync = true}
    // TURNS-NEXT: ttg.pass_turn
    // CHECK-NEXT: %[[W:.*]] = ttg.warp_group_dot_wait %[[D]] {pendings = 1 : i32}
    // CHECK: ttg.arrive_barrier
    // CHECK: math.exp2 %[[W]]
    // CHECK: %[[OVER:.*]] = ttg.warp_group_dot_wait %[[O]] {pendings = 0 : i32}
    // CHECK-NEXT: ttg.arrive_barrier
    // CHECK-NEXT: scf.yield %[[OVER]]
    // TURNS: %[[S:.*]] = "tt.reduce"
    // TURNS: ttg.wait_turn after %[[S]]
    // TURNS-NEXT: ttg.warp_group_dot_wait
    // TURNS: ttg.pass_turn
    // CHECK: %[[LAST:.*]] = arith.mulf %[[L]]#0
    // CHECK: ttg.wait_barrier
    // CHECK: %[[END:.*]] = ttg.warp_group_dot %[[L]]#6, %{{.*}}, %[[LAST]] :
    // CHECK: ttg.arrive_barrier
    // CHECK: scf.yield %[[END]], %[[L]]#1, %[[L]]#2
    // CHECK: } else {
    // CHECK-NEXT: scf.yield %{{.*}}, %{{.*}}, %[[LB]]
    %o:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sums = %none, %slot = %c0) -> (tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32) : i32 {
      %f = ttg.memdesc_index %full[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.wait_barrier %f, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      %k = ttg.memdesc_index %keys[%slot] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %s = ttg.warp_group_dot %q, %k, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %e = ttg.memdesc_index %empty[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.arrive_barrier %e releases %k : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %p = math.exp2 %s : tensor<128x64xf32, #mma>
      %sum = "tt.reduce"(%p) <{axis = 1 : i32}> ({
      ^bb0(%x: f32, %y: f32):
        %z = arith.addf %x, %y : f32
        tt.reduce.return %z : f32
      }) : (tensor<128x64xf32, #mma>) -> tensor<128xf32, #rows>
      %wide = tt.expand_dims %sum {axis = 1 : i32} : tensor<128xf32, #rows> -> tensor<128x1xf32, #mma>
      %factor = tt.broadcast %wide : tensor<128x1xf32, #mma> -> tensor<128x64xf32, #mma>
      %scaled = arith.mulf %acc, %factor : tensor<128x64xf32, #mma>
      %a = ttg.convert_layout %p : tensor<128x64xf32, #mma> -> tensor<128x64xf32, #dot>
      %t = arith.truncf %a : tensor<128x64xf32, #dot> to tensor<128x64xf16, #dot>
      %f2 = ttg.memdesc_index %full2[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.wait_barrier %f2, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      %v = ttg.memdesc_index %values[%slot] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %d = ttg.warp_group_dot %t, %v, %scaled : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %e2 = ttg.memdesc_index %empty2[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.arrive_barrier %e2 releases %v : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %next = ttg.advance_slot %slot of 2
      scf.yield %d, %sum, %next : tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32
    }
      scf.yield %o#0, %o#1, %o#2 : tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32
    }
    tt.return %r#0, %r#1 : tensor<128x64xf32, #mma>, tensor<128xf32, #rows>
  }

  // A loop with one slot, and one that uses its sum for the first product, stay as they are.
  // CHECK-LABEL: tt.func @stays
  // CHECK-NOT: scf.if
  // CHECK-NOT: isAsync
  tt.func @stays(%n: i32, %zero: tensor<128x64xf32, #mma>, %p: tensor<128x64xf16, #dot>) -> (tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %one = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable>
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %v = ttg.memdesc_index %one[%c0] : !ttg.memdesc<1x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %s = ttg.warp_group_dot %q, %v, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %a = ttg.convert_layout %s : tensor<128x64xf32, #mma> -> tensor<128x64xf32, #dot>
      %t = arith.truncf %a : tensor<128x64xf32, #dot> to tensor<128x64xf16, #dot>
      %d = ttg.warp_group_dot %t, %v, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %e = ttg.memdesc_index %empty[%c0] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.arrive_barrier %e releases %v : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    %u = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x64xf32, #mma>) : i32 {
      %v = ttg.memdesc_index %ring[%i] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %s = ttg.warp_group_dot %q, %v, %acc : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %d = ttg.warp_group_dot %p, %v, %s : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %e = ttg.memdesc_index %empty[%i] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.arrive_barrier %e releases %v : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    tt.return %r, %u : tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>
  }

  // So does one with two iterations.
  // REMARK: remark: [Missed] Rotation | {{.*}}the loop has two iterations at most
  // CHECK-LABEL: tt.func @short
  // CHECK-NOT: isAsync
  tt.func @short(%n: i32, %zero: tensor<128x64xf32, #mma>) -> tensor<128x64xf32, #mma> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %none = arith.constant dense<0.0> : tensor<128xf32, #rows>
    %end = arith.addi %n, %c2 : i32
    %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %keys = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %values = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %full = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %empty = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %full2 = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %empty2 = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #flat, #smem, mutable>
    %o:3 = scf.for %i = %n to %end step %c1 iter_args(%acc = %zero, %sums = %none, %slot = %c0) -> (tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32) : i32 {
      %f = ttg.memdesc_index %full[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.wait_barrier %f, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      %k = ttg.memdesc_index %keys[%slot] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %s = ttg.warp_group_dot %q, %k, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %e = ttg.memdesc_index %empty[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.arrive_barrier %e releases %k : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %p = math.exp2 %s : tensor<128x64xf32, #mma>
      %sum = "tt.reduce"(%p) <{axis = 1 : i32}> ({
      ^bb0(%x: f32, %y: f32):
        %z = arith.addf %x, %y : f32
        tt.reduce.return %z : f32
      }) : (tensor<128x64xf32, #mma>) -> tensor<128xf32, #rows>
      %wide = tt.expand_dims %sum {axis = 1 : i32} : tensor<128xf32, #rows> -> tensor<128x1xf32, #mma>
      %factor = tt.broadcast %wide : tensor<128x1xf32, #mma> -> tensor<128x64xf32, #mma>
      %scaled = arith.mulf %acc, %factor : tensor<128x64xf32, #mma>
      %a = ttg.convert_layout %p : tensor<128x64xf32, #mma> -> tensor<128x64xf32, #dot>
      %t = arith.truncf %a : tensor<128x64xf32, #dot> to tensor<128x64xf16, #dot>
      %f2 = ttg.memdesc_index %full2[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.wait_barrier %f2, %i : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      %v = ttg.memdesc_index %values[%slot] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %d = ttg.warp_group_dot %t, %v, %scaled : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
      %e2 = ttg.memdesc_index %empty2[%slot] : !ttg.memdesc<2x1xi64, #flat, #smem, mutable> -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.arrive_barrier %e2 releases %v : !ttg.memdesc<1xi64, #flat, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %next = ttg.advance_slot %slot of 2
      scf.yield %d, %sum, %next : tensor<128x64xf32, #mma>, tensor<128xf32, #rows>, i32
    }
    tt.return %o#0 : tensor<128x64xf32, #mma>
  }
}
