// RUN: triton-opt %s --split-input-file --convert-triton-gpu-to-llvm --verify-diagnostics | FileCheck %s

#row = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#wide = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 2>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>
#barrier = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 8192 : i32} {

// The first warp reserves columns, and all read their address.
// CHECK-LABEL: llvm.func {{.*}}@columns
// CHECK: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], 64; tcgen05.relinquish_alloc_permit
// CHECK: barrier.cta.sync
// CHECK: %[[ADDRESS:.*]] = llvm.load
// CHECK: barrier.cta.sync
// CHECK: tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, 64
tt.func public @columns() {
  %0 = ttng.tmem_reserve 64 {allocation.offset = 0 : i32}
  ttng.tmem_release %0, 64
  tt.return
}

// Two elements of 16 bits are in a column, or one in its lower half.
// CHECK-LABEL: llvm.func {{.*}}@halves
// CHECK: tcgen05.st.sync.aligned.32x32b.x16.b32 [$0+0], {$1, {{.*}}, $16}; tcgen05.wait::st
// CHECK: tcgen05.ld.sync.aligned.32x32b.x32.b32 {$0, {{.*}}, $31}, [$32+0]; tcgen05.wait::ld
tt.func public @halves(%address: i32, %x: tensor<128x32xf16, #row>, %p: i1) -> tensor<128x32xf16, #row> {
  %packed = ttng.tmem_place %address, 0 : !ttg.memdesc<128x32xf16, #tmem, #ttng.tensor_memory, mutable>
  ttng.tmem_store %x, %packed, %p : tensor<128x32xf16, #row> -> !ttg.memdesc<128x32xf16, #tmem, #ttng.tensor_memory, mutable>
  %single = ttng.tmem_place %address, 16 : !ttg.memdesc<128x32xf16, #wide, #ttng.tensor_memory, mutable>
  %y = ttng.tmem_load %single : !ttg.memdesc<128x32xf16, #wide, #ttng.tensor_memory, mutable> -> tensor<128x32xf16, #row>
  tt.return %y : tensor<128x32xf16, #row>
}

// Floats of 8 bits, 32 of them deep: 128 rows and 32 columns, which lie side by side along K in both factors.
// CHECK-LABEL: llvm.func {{.*}}@bytes
// CHECK-DAG: llvm.mlir.constant(134742032 : i32)
// CHECK: @elected tcgen05.mma.cta_group::1.kind::f8f6f4 [$2], $3, $4, $1, starts; @elected tcgen05.mma.cta_group::1.kind::f8f6f4 [$5], $6, $7, $1, adds; }
// CHECK: @elected tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0]
tt.func public @bytes(%address: i32, %p: i1) {
  %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem, mutable>
  %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x32xf8E4M3FN, #columns, #smem, mutable>
  %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
  %d = ttng.tmem_place %address, 0 : !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tc_gen5_mma %a, %b, %d, %p, %p, %bar[%p] {is_async} : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem, mutable>, !ttg.memdesc<64x32xf8E4M3FN, #columns, #smem, mutable>, !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #barrier, #smem, mutable>
  tt.return
}

// The second half of rows of 64 bytes, whose pattern the part of A cuts: its first element is 32 bytes from the start.
// CHECK-LABEL: llvm.func {{.*}}@cut
// CHECK: llvm.getelementptr {{.*}}[32]
// CHECK: @elected tcgen05.mma.cta_group::1.kind::f8f6f4 [$2], $3, $4, $1, starts; }
tt.func public @cut(%address: i32, %p: i1) {
  %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem, mutable>
  %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<32x32xf8E4M3FN, #columns, #smem, mutable>
  %bar = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<1xi64, #barrier, #smem, mutable>
  %half = ttg.memdesc_subslice %a[0, 32] : !ttg.memdesc<128x64xf8E4M3FN, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf8E4M3FN, #shared, #smem, mutable, 128x64>
  %d = ttng.tmem_place %address, 0 : !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tc_gen5_mma %half, %b, %d, %p, %p, %bar[%p] {is_async} : !ttg.memdesc<128x32xf8E4M3FN, #shared, #smem, mutable, 128x64>, !ttg.memdesc<32x32xf8E4M3FN, #columns, #smem, mutable>, !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #barrier, #smem, mutable>
  tt.return
}
}

// -----

#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @older() {
  // expected-error @below {{not supported on cuda:90: `ttng.tmem_reserve`, which compute capabilities 10.0 to 11.0 alone have}}
  %0 = ttng.tmem_reserve 64 {allocation.offset = 0 : i32}
  tt.return
}
}
