// Each block of a cluster gets its part of a program whose layouts are over several blocks.
// RUN: triton-opt %s --tritongpu-divide-among-blocks --split-input-file --verify-diagnostics | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1], [0]]}>
// CHECK: module attributes {tt.blocks = 4 : i32, "ttg.num-ctas" = 1 : i32
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @line
  tt.func public @line(%p: !tt.ptr<i32>) {
    // CHECK: %[[RANK:.*]] = tt.get_block_rank
    // CHECK: %[[BIT:.*]] = arith.andi %[[RANK]], %c1_i32
    // CHECK: %[[FIRST:.*]] = arith.muli %[[BIT]], %c128_i32
    // CHECK: %[[LANES:.*]] = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    // CHECK: %[[ALL:.*]] = tt.splat %[[FIRST]] : i32 -> tensor<128xi32, #blocked>
    // CHECK: arith.addi %[[LANES]], %[[ALL]]
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #line>
    // CHECK: arith.constant dense<1> : tensor<128xi32, #blocked>
    %one = arith.constant dense<1> : tensor<256xi32, #line>
    %q = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #line>
    %at = tt.addptr %q, %r : tensor<256x!tt.ptr<i32>, #line>, tensor<256xi32, #line>
    // Blocks 2 and 3 have the parts of 0 and 1.
    // CHECK: %[[COPY:.*]] = arith.andi %{{.*}}, %c2_i32
    // CHECK: %[[STORES:.*]] = arith.cmpi eq, %[[COPY]], %c0_i32
    // CHECK: scf.if %[[STORES]]
    // CHECK-NEXT: tt.store
    tt.store %at, %one : tensor<256x!tt.ptr<i32>, #line>
    // CHECK: ttg.cluster_barrier
    // CHECK-NEXT: tt.return
    tt.return
  }
}

// -----

#place = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0], [0, 0]]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1], [2]]}>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @copy
  // CHECK-SAME: !tt.tensordesc<tensor<32x64xf16>> {ttg.tensor_map = {{{.*}}box = array<i32: 32, 64>
  tt.func public @copy(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %d: !tt.tensordesc<64x64xf16> {ttg.tensor_map = {base = "arg:0", box = array<i32: 64, 64>, name = "x", shape = ["arg:1", "arg:2"], strides = ["arg:3"], swizzle = 128 : i32}}) {
    %c0 = arith.constant 0 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #place, #ttg.shared_memory, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<4xi64, #bar, #ttg.shared_memory, mutable>
    // CHECK: ttg.init_barrier %{{.*}} {count = 1 : i32, manual}
    // CHECK-NEXT: ttg.local_barrier {stays}
    // CHECK-NEXT: ttg.cluster_barrier
    ttg.init_barrier %bar {count = 1 : i32, manual} : !ttg.memdesc<4xi64, #bar, #ttg.shared_memory, mutable>
    ttg.local_barrier {stays}
    // CHECK: ttg.expect_bytes %{{.*}}, 4096 {byFirst} : !ttg.memdesc<1xi64
    ttg.expect_bytes %bar, 4096 {byFirst, fromBlocks = 3 : i32} : !ttg.memdesc<4xi64, #bar, #ttg.shared_memory, mutable>
    // CHECK: %[[ROW:.*]] = arith.addi %c0_i32,
    // CHECK: scf.if
    // CHECK-NEXT: ttg.async_mapped_load %{{.*}}[%[[ROW]], %c0_i32], %{{.*}}, %{{.*}} {byFirst, multicast = 2 : i32}
    ttg.async_mapped_load %d[%c0, %c0], %b, %bar {byFirst, multicast = 0 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #place, #ttg.shared_memory, mutable>, !ttg.memdesc<4xi64, #bar, #ttg.shared_memory, mutable>
    // CHECK: ttg.wait_barrier %{{.*}}, %c0_i32 {ofCluster}
    ttg.wait_barrier %bar, %c0 : !ttg.memdesc<4xi64, #bar, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#copies = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @moves(%x: tensor<256xi32, #line>) {
    // expected-error @below {{elements that move between the blocks of a cluster}}
    %r = ttg.convert_layout %x : tensor<256xi32, #line> -> tensor<256xi32, #copies>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @reduces(%x: tensor<256xi32, #line>) {
    // expected-error @below {{`tt.reduce` along dimension 0 of 'tensor<256xi32}}
    %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<256xi32, #line>) -> i32
    tt.return
  }
}

// -----

#line = #ttg.linear<{register = [[2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]], block = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @interleaved() {
    // expected-error @below {{of which the parts of blocks lie between one another}}
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #line>
    tt.return
  }
}
