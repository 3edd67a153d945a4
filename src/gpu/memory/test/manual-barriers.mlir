// What the program's author wrote with barriers in memory: which fences and barriers the compiler adds, and which it keeps.
// RUN: triton-opt --tritongpu-fence-async-proxy --allocate-shared-memory --tritongpu-insert-barriers --tritongpu-remove-barriers "--tritongpu-verify-ttgir=has-barriers=true" %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#word = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!barrier = !ttg.memdesc<1xi64, #word, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>
!block = tensor<64x64xf16, #blocked>

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @copies
  tt.func @copies(%map: !map, %base: !tt.ptr<f16>, %x: !block, %n: i32, %stride: i64) -> (!block, !block) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c1_64 = arith.constant 1 : i64
    %buffer = ttg.local_alloc : () -> !tile
    %bar = ttg.local_alloc : () -> !barrier
    // CHECK: ttg.init_barrier %{{.*}} {count = 1 : i32, manual}
    // CHECK-NEXT: ttg.local_barrier {stays}
    ttg.init_barrier %bar {count = 1 : i32, manual} : !barrier
    ttg.local_barrier {stays}
    // What threads wrote, a copy replaces.
    // CHECK-NEXT: ttg.local_store
    // CHECK-NEXT: ttg.fence_async_shared
    ttg.local_store %x, %buffer : !block -> !tile
    // CHECK-NEXT: ttg.expect_bytes %{{.*}}, 8192 {byFirst}
    ttg.expect_bytes %bar, 8192 {byFirst} : !barrier
    // CHECK-NEXT: ttg.local_barrier{{$}}
    // CHECK-NEXT: ttg.async_mapped_load {{.*}} {byFirst}
    ttg.async_mapped_load %map[%c0, %c0], %buffer, %bar {byFirst} : !map -> !tile, !barrier
    // After the wait all threads may read.
    // CHECK-NEXT: ttg.wait_barrier
    ttg.wait_barrier %bar, %c0 : !barrier
    // CHECK-NEXT: ttg.local_load
    %first = ttg.local_load %buffer : !tile -> !block
    // CHECK-NEXT: ttg.expect_bytes
    ttg.expect_bytes %bar, 8192 {byFirst} : !barrier
    // Until all have read, no copy may begin.
    // CHECK-NEXT: ttg.local_barrier{{$}}
    // CHECK-NEXT: ttg.async_mapped_load
    ttg.async_mapped_load %map[%c0, %c0], %buffer, %bar {byFirst} : !map -> !tile, !barrier
    // CHECK-NEXT: ttg.wait_barrier
    ttg.wait_barrier %bar, %c1 : !barrier
    %second = ttg.local_load %buffer : !tile -> !block
    // CHECK: ttg.arrive_barrier %{{.*}} {count = 1 : i32}
    ttg.arrive_barrier %bar {count = 1 : i32} : !barrier
    // CHECK-NEXT: ttg.async_mapped_store
    ttg.async_mapped_store %buffer, %map[%c0, %c0] of %base, [%n, %n], [%stride, %c1_64] : !tile -> !map, !tt.ptr<f16>
    // One thread knows that the copy has read the buffer, and then all do.
    // CHECK-NEXT: ttg.async_store_wait {onlyReads, pendings = 0 : i32}
    ttg.async_store_wait {onlyReads, pendings = 0 : i32}
    // CHECK-NEXT: ttg.local_barrier{{$}}
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %buffer : !block -> !tile
    // CHECK: ttg.invalidate_barrier
    ttg.invalidate_barrier %bar : !barrier
    tt.return %first, %second : !block, !block
  }
}
