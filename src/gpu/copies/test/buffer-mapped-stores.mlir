// RUN: triton-opt --tritongpu-buffer-mapped-stores=num-stages=4 --split-input-file %s | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: tt.func public @tiles
  // CHECK-SAME: %[[MAP:arg[0-9]+]]: !tt.tensordesc<tensor<64x64xf16>> {ttg.tensor_map = {base = "arg:0", box = array<i32: 64, 64>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"], swizzle = 128 : i32}}
  tt.func public @tiles(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %tiles: i32, %v: tensor<64x64xf16, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    // CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1x64x64xf16
    // CHECK: scf.for %[[I:.*]] =
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      // CHECK: ttg.async_store_wait %[[RING]] {pendings = 0 : i32}
      // CHECK: %[[VIEW:.*]] = ttg.memdesc_index %[[RING]][%{{.*}}]
      // CHECK: ttg.local_store %arg5, %[[VIEW]]
      // CHECK: ttg.async_mapped_store %[[VIEW]], %[[MAP]][%[[I]], %{{.*}}] of %arg0, [%arg1, %arg2], [%arg3, %{{.*}}]
      tt.mapped_store %x, [%m, %n], [%s, %one] {base = "arg:0", block = array<i32: 64, 64>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"]} [%i, %c0], %v : <f16>, tensor<64x64xf16, #mma>
    }
    // CHECK: ttg.async_store_wait %[[RING]] {onlyReads, pendings = 0 : i32}
    // CHECK-NEXT: tt.return
    tt.return
  }

  // Blocks that lie apart have buffers of their own, and the second need not wait; one that may overlap them does.
  // CHECK-LABEL: tt.func public @side_by_side
  tt.func public @side_by_side(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %i: i32, %j: i32, %v: tensor<64x64xf16, #mma>) {
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %one = arith.constant 1 : i64
    %j2 = arith.addi %j, %c64 : i32
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16
    // CHECK: ttg.async_store_wait %{{.*}} {pendings = 0 : i32}
    // CHECK: ttg.async_mapped_store
    // CHECK-NOT: ttg.async_store_wait
    // CHECK: ttg.async_mapped_store
    // CHECK: ttg.async_store_wait %{{.*}} {pendings = 0 : i32}
    // CHECK: ttg.async_mapped_store
    tt.mapped_store %x, [%m, %n], [%s, %one] {base = "arg:0", block = array<i32: 64, 64>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"]} [%i, %j], %v : <f16>, tensor<64x64xf16, #mma>
    tt.mapped_store %x, [%m, %n], [%s, %one] {base = "arg:0", block = array<i32: 64, 64>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"]} [%i, %j2], %v : <f16>, tensor<64x64xf16, #mma>
    tt.mapped_store %x, [%m, %n], [%s, %one] {base = "arg:0", block = array<i32: 64, 64>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"]} [%i, %c0], %v : <f16>, tensor<64x64xf16, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // Four slots of 48 KiB leave two buffers of 64 columns.
  // CHECK-LABEL: tt.func public @parts
  tt.func public @parts(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %k: i32, %v: tensor<128x256xf16, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    scf.for %i = %c0 to %k step %c1 : i32 {
      %a = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%i, %c0] : tensor<128x64xf16, #blocked>
      %b = tt.mapped_load {base = "arg:0", block = array<i32: 256, 64>, name = "x", shape = ["const:128", "const:64"], strides = ["const:64"]} [%i, %c0] : tensor<256x64xf16, #blocked>
      tt.print " a: " {hex = false, isSigned = array<i32: 0, 0>} : %a, %b : tensor<128x64xf16, #blocked>, tensor<256x64xf16, #blocked>
    }
    // CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x128x64xf16
    // CHECK: ttg.async_store_wait %[[RING]] {pendings = 0 : i32}
    // CHECK: %[[P0:.*]] = ttg.take_columns %arg5 from 0 : tensor<128x256xf16, #mma> -> tensor<128x64xf16, #linear>
    // CHECK: %[[C0:.*]] = arith.constant 0 : i32
    // CHECK: %[[V0:.*]] = ttg.memdesc_index %[[RING]][%[[C0]]]
    // CHECK: ttg.local_store %[[P0]], %[[V0]]
    // CHECK: ttg.async_mapped_store %[[V0]]
    // CHECK-NOT: ttg.async_store_wait
    // CHECK: ttg.take_columns %arg5 from 64
    // CHECK: ttg.async_mapped_store
    // CHECK: ttg.async_store_wait %[[RING]] {onlyReads, pendings = 1 : i32}
    // CHECK: ttg.take_columns %arg5 from 128
    // CHECK: ttg.async_store_wait %[[RING]] {onlyReads, pendings = 1 : i32}
    // CHECK: %[[P3:.*]] = ttg.take_columns %arg5 from 192
    // CHECK: %[[C1:.*]] = arith.constant 1 : i32
    // CHECK: %[[V3:.*]] = ttg.memdesc_index %[[RING]][%[[C1]]]
    // CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
    // CHECK: ttg.async_mapped_store %[[V3]], %{{.*}}[%{{.*}}, %[[LAST]]]
    tt.mapped_store %x, [%m, %n], [%s, %one] {base = "arg:0", block = array<i32: 128, 256>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"]} [%c0, %c0], %v : <f16>, tensor<128x256xf16, #mma>
    tt.return
  }
}
