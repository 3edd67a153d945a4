// RUN: triton-opt --allocate-shared-memory --tritongpu-insert-barriers --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Between the write of a buffer and its read; not between two reads.
  // CHECK-LABEL: tt.func @readAfterWrite
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_load
  // CHECK-NOT: ttg.local_barrier
  tt.func @readAfterWrite(%x: tensor<32x32xf32, #blocked>) -> (tensor<32x32xf32, #blocked>, tensor<32x32xf32, #other>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    %0 = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #blocked>
    %1 = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #other>
    tt.return %0, %1 : tensor<32x32xf32, #blocked>, tensor<32x32xf32, #other>
  }

  // A buffer whose life is over gives its bytes to the next, which must not write before all have read.
  // CHECK-LABEL: tt.func @reuse
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_load
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_alloc {{.*}}allocation.offset = 0
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_load
  tt.func @reuse(%x: tensor<32x32xf32, #blocked>) -> (tensor<32x32xf32, #other>, tensor<32x32xf32, #other>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    %0 = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #other>
    %c = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    %1 = ttg.local_load %c : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> tensor<32x32xf32, #other>
    tt.return %0, %1 : tensor<32x32xf32, #other>, tensor<32x32xf32, #other>
  }

  // The hazard may lie in the iteration before.
  // CHECK-LABEL: tt.func @carried
  // CHECK: scf.for
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_store
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @carried(%x: tensor<32x32xf32, #blocked>, %n: i32) -> tensor<32x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<32x32xf32, #blocked>) : i32 {
      ttg.local_store %y, %b : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
      %z = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable> -> tensor<32x32xf32, #blocked>
      scf.yield %z : tensor<32x32xf32, #blocked>
    }
    tt.return %r : tensor<32x32xf32, #blocked>
  }

  // A wait says that this thread's copies are there; a barrier says it of the others'.
  // CHECK-LABEL: tt.func @copies
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @copies(%p: tensor<32x32x!tt.ptr<f32>, #blocked>) -> tensor<32x32xf32, #blocked> {
    %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
    %t = ttg.async_copy_global_to_local %p, %b : tensor<32x32x!tt.ptr<f32>, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
    %g = ttg.async_commit_group tokens %t
    ttg.local_barrier
    %w = ttg.async_wait %g {num = 0 : i32}
    %z = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable> -> tensor<32x32xf32, #blocked>
    tt.return %z : tensor<32x32xf32, #blocked>
  }
}
