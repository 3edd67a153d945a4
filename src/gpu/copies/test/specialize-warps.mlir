// RUN: triton-opt --tritongpu-specialize-warps %s | FileCheck %s
// RUN: triton-opt --tritongpu-specialize-warps --tritongpu-overlap-dots %s | FileCheck %s --check-prefix=OVERLAP

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// A group of four warps moves data, and gives its registers to the others.
// CHECK: module attributes {{.*}}ttg.launch_warps = 12 : i32
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Rows beyond 256, and columns beyond the swizzle, take several boxes.
  // CHECK-LABEL: tt.func public @persistent
  // CHECK-SAME: !tt.tensordesc<tensor<128x64xf16>> {ttg.tensor_map = {base = "arg:0", box = array<i32: 128, 64>, name = "x", shape = ["arg:2", "arg:3"], strides = ["const:64"], swizzle = 128 : i32}}
  // CHECK-SAME: !tt.tensordesc<tensor<1x128x64xf16>> {ttg.tensor_map = {base = "arg:1", box = array<i32: 1, 128, 64>
  // OVERLAP-LABEL: tt.func public @persistent
  tt.func public @persistent(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %m: i32, %k: i32, %tiles: i32, %p: tensor<128x128x!tt.ptr<f32>, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
    // CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xf16
    // CHECK: %[[B:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xf16
    // CHECK: %[[FULL:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
    // CHECK: ttg.init_barrier %[[FULL]] {count = 1 : i32}
    // CHECK: %[[EMPTY:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x1xi64
    // CHECK: ttg.init_barrier %[[EMPTY]] {count = 8 : i32}
    // CHECK: ttg.local_barrier {allWarps}
    // CHECK: %[[WARP:.*]] = ttg.is_mover {anyThread}
    // CHECK: scf.if %[[WARP]]
    // CHECK: ttg.set_registers 40
    // CHECK: %[[THREAD:.*]] = ttg.is_mover
    // CHECK: scf.if %[[THREAD]]
    // CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (i32)
    // CHECK: scf.for %[[J:.*]] = %{{.*}} iter_args(%[[Q:.*]] = %[[P]]) -> (i32)
    // CHECK: %[[IS_SECOND:.*]] = arith.cmpi sge, %[[Q]]
    // CHECK: %[[PARITY:.*]] = arith.extui %[[IS_SECOND]]
    // CHECK: %[[OTHER:.*]] = arith.xori %[[PARITY]]
    // CHECK: %[[E:.*]] = ttg.memdesc_index %[[EMPTY]]
    // CHECK: ttg.wait_barrier %[[E]], %[[OTHER]]
    // CHECK: %[[F:.*]] = ttg.memdesc_index %[[FULL]]
    // CHECK: ttg.expect_bytes %[[F]], 32768
    // CHECK: %[[NEXT:.*]] = ttg.advance_slot %[[Q]] of 6
    // CHECK: ttg.async_mapped_load %arg6[%[[I]], %[[J]]], %{{.*}}, %[[F]]
    // CHECK: ttg.async_mapped_load %arg7[%{{.*}}, %[[I]], %[[J]]], %{{.*}}, %[[F]]
    // CHECK: scf.yield %[[NEXT]]
    // CHECK-NOT: tt.store
    // CHECK: } else {
    // CHECK: ttg.set_registers 232 {raises}
    // CHECK-NOT: tt.flatten
    // OVERLAP: ttg.set_registers 232
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      %sum = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
        %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["arg:2", "arg:3"], strides = ["const:64"]} [%i, %j] : tensor<128x64xf16, #blocked>
        %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
        %b = tt.mapped_load {base = "arg:1", block = array<i32: 1, 128, 64>, name = "y", shape = ["const:4", "arg:2", "arg:3"], strides = ["arg:3", "const:64"]} [%c0, %i, %j] : tensor<128x64xf16, #blocked>
        %sb = ttg.local_alloc %b : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
        %tb = ttg.memdesc_trans %sb {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
        // CHECK: ttg.wait_barrier %{{.*}}, %{{.*}} :
        // CHECK: %[[TA:.*]] = ttg.memdesc_index %[[A]]
        // CHECK: %[[TB:.*]] = ttg.memdesc_index %[[B]]
        // CHECK: ttg.warp_group_dot
        // CHECK: %[[R:.*]] = ttg.memdesc_index %[[EMPTY]]
        // CHECK: ttg.arrive_barrier %[[R]] releases %[[TA]], %[[TB]]
        // The products of an iteration release its slots in the next one.
        // OVERLAP: iter_args(%{{.*}}, %[[BEFORE:.*]] = %{{.*}}) -> (tensor<128x128xf32, #mma>, i32, i32)
        // OVERLAP: ttg.warp_group_dot {{.*}} {isAsync = true}
        // OVERLAP: ttg.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
        // OVERLAP: %[[USED:.*]] = arith.cmpi sge, %[[BEFORE]]
        // OVERLAP: %[[S:.*]] = ttg.memdesc_index %{{.*}}[%[[BEFORE]]]
        // OVERLAP: ttg.arrive_barrier %[[S]] if %[[USED]]
        // OVERLAP: ttg.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
        // OVERLAP: ttg.arrive_barrier %{{.*}} if %{{.*}}
        %d = ttg.warp_group_dot %sa, %tb, %acc : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
        scf.yield %d : tensor<128x128xf32, #mma>
      }
      // CHECK: tt.store
      tt.store %p, %sum : tensor<128x128x!tt.ptr<f32>, #mma>
    } {tt.flatten, tt.warp_specialize}
    tt.return
  }

  // What stays in its slot for a whole loop has one; loops that exclude each other share a ring. A block that is no
  // operand of its product as it is comes to registers.
  // CHECK-LABEL: tt.func public @exclusive
  tt.func public @exclusive(%x: !tt.ptr<f16>, %c: i1, %k: i32, %zero: tensor<128x128xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK-COUNT-1: ttg.local_alloc : () -> !ttg.memdesc<1x128x64xf16
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<4x128x64xf16
    // CHECK-NOT: ttg.local_alloc : () -> !ttg.memdesc<{{.}}x128x64xf16
    %q = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<128x64xf16, #blocked>
    %sq = ttg.local_alloc %q : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
    // CHECK: } else {
    // CHECK: ttg.wait_barrier
    // CHECK: %[[POSITION:.*]] = scf.if
    scf.if %c {
      // CHECK: scf.for
      // CHECK: ttg.wait_barrier
      // CHECK: %[[V:.*]] = ttg.memdesc_index
      // CHECK: ttg.local_load %[[V]]
      // CHECK: ttg.arrive_barrier %{{.*}} releases %[[V]]
      scf.for %j = %c0 to %k step %c1 : i32 {
        %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%j, %c0] : tensor<128x64xf16, #blocked>
        tt.print " a: " {hex = false, isSigned = array<i32: 0>} : %a : tensor<128x64xf16, #blocked>
      }
    } else {
      scf.for %j = %c0 to %k step %c1 : i32 {
        %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%j, %c0] : tensor<128x64xf16, #blocked>
        %sa = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
        %ta = ttg.memdesc_trans %sa {order = array<i32: 1, 0>} : !ttg.memdesc<128x64xf16, #shared, #smem> -> !ttg.memdesc<64x128xf16, #shared1, #smem>
        %d = ttg.warp_group_dot %sq, %ta, %zero : !ttg.memdesc<128x64xf16, #shared, #smem> * !ttg.memdesc<64x128xf16, #shared1, #smem> -> tensor<128x128xf32, #mma>
      } {tt.num_stages = 4 : i32}
    }
    // CHECK: ttg.arrive_barrier
    // CHECK: tt.return
    tt.return
  }
}
