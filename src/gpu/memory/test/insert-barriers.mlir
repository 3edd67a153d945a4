// RUN: triton-opt --allocate-shared-memory --tritongpu-insert-barriers --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
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

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#near = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A conversion by shuffles synchronizes no more than a warp: it takes no barrier's place.
  // CHECK-LABEL: tt.func @withinWarps
  // CHECK: ttg.local_alloc
  // CHECK: ttg.convert_layout
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_load
  tt.func @withinWarps(%x: tensor<32x32xf32, #blocked>, %y: tensor<4x32xf32, #near>)
      -> (tensor<4x32xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>,
          tensor<32x32xf32, #other>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %w = ttg.convert_layout %y : tensor<4x32xf32, #near> -> tensor<4x32xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    %0 = ttg.local_load %b : !buffer -> tensor<32x32xf32, #other>
    tt.return %w, %0 : tensor<4x32xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<32x32xf32, #other>
  }

  // A conversion through shared memory has a barrier of its own.
  // CHECK-LABEL: tt.func @throughShared
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func @throughShared(%x: tensor<32x32xf32, #blocked>) -> (tensor<32x32xf32, #other>, tensor<32x32xf32, #other>) {
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %w = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #other>
    %0 = ttg.local_load %b : !buffer -> tensor<32x32xf32, #other>
    tt.return %w, %0 : tensor<32x32xf32, #other>, tensor<32x32xf32, #other>
  }

  // One of two buffers is read: both count.
  // CHECK-LABEL: tt.func @selected
  // CHECK: arith.select
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @selected(%x: tensor<32x32xf32, #blocked>, %c: i1) -> tensor<32x32xf32, #other> {
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %b = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    %s = arith.select %c, %a, %b : !buffer
    %0 = ttg.local_load %s : !buffer -> tensor<32x32xf32, #other>
    tt.return %0 : tensor<32x32xf32, #other>
  }

  // A hazard may lie in the block before.
  // CHECK-LABEL: tt.func @branches
  // CHECK: ^bb1:
  // CHECK-NEXT: tt.return
  // CHECK: ^bb2:
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @branches(%x: tensor<32x32xf32, #blocked>, %c: i1) {
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    tt.return
  ^bb2:
    %0 = ttg.local_load %a : !buffer -> tensor<32x32xf32, #other>
    tt.return
  }

  // A function that is called starts with nothing under way, and may leave anything.
  // CHECK-LABEL: tt.func @calls
  // CHECK: ttg.local_alloc
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.call
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  tt.func @calls(%x: tensor<32x32xf32, #blocked>) {
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #blocked>) -> !buffer
    tt.call @callee(%x) : (tensor<32x32xf32, #blocked>) -> ()
    %0 = ttg.local_load %a : !buffer -> tensor<32x32xf32, #other>
    tt.return
  }
  tt.func private @callee(%x: tensor<32x32xf32, #blocked>) {
    %y = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #other>
    tt.return
  }

  // One thread writes a scalar or an element of which there are copies, and all read it. Where each thread has elements
  // of its own, it meets its own writes.
  // CHECK-LABEL: tt.func @global
  // CHECK: tt.store %{{.*}} : !tt.ptr<f32>
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load
  // CHECK: tt.store %{{.*}} : tensor<64x!tt.ptr<f32>
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: tt.load
  // CHECK: tt.store %{{.*}} : tensor<128x!tt.ptr<f32>
  // CHECK-NEXT: tt.load
  tt.func @global(%p: !tt.ptr<f32>, %q: tensor<64x!tt.ptr<f32>, #line>, %r: tensor<128x!tt.ptr<f32>, #line>,
                  %x: f32, %y: tensor<64xf32, #line>, %z: tensor<128xf32, #line>) {
    tt.store %p, %x : !tt.ptr<f32>
    %0 = tt.load %p : !tt.ptr<f32>
    tt.store %q, %y : tensor<64x!tt.ptr<f32>, #line>
    %1 = tt.load %q : tensor<64x!tt.ptr<f32>, #line>
    tt.store %r, %z : tensor<128x!tt.ptr<f32>, #line>
    %2 = tt.load %r : tensor<128x!tt.ptr<f32>, #line>
    tt.return
  }

  // Pointers that are computed twice in the same way are equal, others are not.
  // CHECK-LABEL: tt.func @equal_pointers
  // CHECK: scf.if
  // CHECK: tt.load
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.return
  tt.func @equal_pointers(%p: !tt.ptr<f32>, %n: i1, %y: tensor<64xf32, #line>) {
    %0 = scf.if %n -> tensor<64xf32, #line> {
      %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #line>
      %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
      %q = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
      %x = tt.load %q : tensor<64x!tt.ptr<f32>, #line>
      scf.yield %x : tensor<64xf32, #line>
    } else {
      scf.yield %y : tensor<64xf32, #line>
    }
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #line>
    %s = tt.make_range {start = 64 : i32, end = 128 : i32} : tensor<64xi32, #line>
    %b = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #line>
    %q = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
    %t = tt.addptr %b, %s : tensor<64x!tt.ptr<f32>, #line>, tensor<64xi32, #line>
    tt.store %q, %0 : tensor<64x!tt.ptr<f32>, #line>
    tt.store %t, %y : tensor<64x!tt.ptr<f32>, #line>
    tt.return
  }
}
