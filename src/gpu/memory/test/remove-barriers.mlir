// RUN: triton-opt --tritongpu-remove-barriers %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!ring = !ttg.memdesc<3x32x32xf32, #shared, #ttg.shared_memory, mutable>
!pair = !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
!half = !ttg.memdesc<16x32xf32, #shared, #ttg.shared_memory, mutable, 32x32>

module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Iteration i reads slot i mod 3 and fills slot (i + 2) mod 3, which iteration i - 1 has read: the barrier after the
  // wait is enough. Copies to different slots before the loop need none.
  // CHECK-LABEL: tt.func @ring
  // CHECK-NOT: ttg.local_barrier
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK: ttg.local_load
  // CHECK-NOT: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.yield
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.local_barrier
  // CHECK: ttg.local_store
  tt.func @ring(%p: !pointers, %x: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ring
    %s0 = ttg.memdesc_index %ring[%c0] : !ring -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %s0 : !pointers -> !slot
    %g0 = ttg.async_commit_group
    %s1 = ttg.memdesc_index %ring[%c1] : !ring -> !slot
    ttg.local_barrier
    %t1 = ttg.async_copy_global_to_local %p, %s1 : !pointers -> !slot
    %g1 = ttg.async_commit_group
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %filled = %c1, %used = %c2) -> (!tile, i32, i32) : i32 {
      %un = ttg.advance_slot %used of 3
      %w = ttg.async_wait {num = 1 : i32}
      ttg.local_barrier
      %su = ttg.memdesc_index %ring[%un] : !ring -> !slot
      %z = ttg.local_load %su : !slot -> !tile
      %fn = ttg.advance_slot %filled of 3
      %sf = ttg.memdesc_index %ring[%fn] : !ring -> !slot
      ttg.local_barrier
      %t = ttg.async_copy_global_to_local %p, %sf : !pointers -> !slot
      %g = ttg.async_commit_group
      scf.yield %z, %fn, %un : !tile, i32, i32
    }
    %w = ttg.async_wait {num = 0 : i32}
    ttg.local_barrier
    ttg.local_store %r#0, %s0 : !tile -> !slot
    tt.return %r#0 : !tile
  }

  // The same where an iteration reads parts of a slot.
  // CHECK-LABEL: tt.func @parts
  // CHECK: ttg.local_barrier
  // CHECK: ttg.memdesc_subslice
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.return
  tt.func @parts(%p: !pointers, %x: tensor<16x32xf32, #blocked>, %n: i32) -> tensor<16x32xf32, #blocked> {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ring
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %filled = %c1, %used = %c2) -> (tensor<16x32xf32, #blocked>, i32, i32) : i32 {
      %un = ttg.advance_slot %used of 3
      %w = ttg.async_wait {num = 1 : i32}
      ttg.local_barrier
      %su = ttg.memdesc_index %ring[%un] : !ring -> !slot
      %half = ttg.memdesc_subslice %su[16, 0] : !slot -> !half
      %z = ttg.local_load %half : !half -> tensor<16x32xf32, #blocked>
      %fn = ttg.advance_slot %filled of 3
      %sf = ttg.memdesc_index %ring[%fn] : !ring -> !slot
      ttg.local_barrier
      %t = ttg.async_copy_global_to_local %p, %sf : !pointers -> !slot
      %g = ttg.async_commit_group
      scf.yield %z, %fn, %un : tensor<16x32xf32, #blocked>, i32, i32
    }
    tt.return %r#0 : tensor<16x32xf32, #blocked>
  }

  // With two slots the copy goes where this iteration reads: both barriers stay.
  // CHECK-LABEL: tt.func @tooShort
  // CHECK: scf.for
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_load
  // CHECK: ttg.local_barrier
  // CHECK: ttg.async_copy_global_to_local
  tt.func @tooShort(%p: !pointers, %x: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !pair
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %filled = %c1, %used = %c1) -> (!tile, i32, i32) : i32 {
      %un = ttg.advance_slot %used of 2
      %w = ttg.async_wait {num = 1 : i32}
      ttg.local_barrier
      %su = ttg.memdesc_index %ring[%un] : !pair -> !slot
      %z = ttg.local_load %su : !slot -> !tile
      %fn = ttg.advance_slot %filled of 2
      %sf = ttg.memdesc_index %ring[%fn] : !pair -> !slot
      ttg.local_barrier
      %t = ttg.async_copy_global_to_local %p, %sf : !pointers -> !slot
      %g = ttg.async_commit_group
      scf.yield %z, %fn, %un : !tile, i32, i32
    }
    tt.return %r#0 : !tile
  }

  // A counter that does not go on by one slot in each iteration tells nothing.
  // CHECK-LABEL: tt.func @unknown
  // CHECK: scf.for
  // CHECK: ttg.local_load
  // CHECK: ttg.local_barrier
  // CHECK: ttg.local_store
  tt.func @unknown(%x: !tile, %n: i32, %first: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ring
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %used = %first) -> (!tile, i32) : i32 {
      %un = ttg.advance_slot %used of 3
      %su = ttg.memdesc_index %ring[%un] : !ring -> !slot
      ttg.local_barrier
      %z = ttg.local_load %su : !slot -> !tile
      %s0 = ttg.memdesc_index %ring[%c0] : !ring -> !slot
      ttg.local_barrier
      ttg.local_store %z, %s0 : !tile -> !slot
      scf.yield %z, %un : !tile, i32
    }
    tt.return %r#0 : !tile
  }

  // Two barriers with nothing between do the work of one, and one before everything that of none.
  // CHECK-LABEL: tt.func @repeated
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: tt.return
  tt.func @repeated(%x: !tile) -> !tile {
    ttg.local_barrier
    %b = ttg.local_alloc %x {allocation.offset = 0 : i32} : (!tile) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    ttg.local_barrier
    ttg.local_barrier
    %z = ttg.local_load %b : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> !tile
    tt.return %z : !tile
  }

  // The last fence before threads meet orders the writes to both buffers; the barrier stands between it and the next.
  // CHECK-LABEL: tt.func @fences
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.fence_async_shared
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: ttg.local_load
  // CHECK-NEXT: ttg.local_alloc
  // CHECK-NEXT: ttg.fence_async_shared
  // CHECK-NEXT: tt.return
  tt.func @fences(%x: !tile) -> !tile {
    %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (!tile) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    ttg.fence_async_shared
    %b = ttg.local_alloc %x {allocation.offset = 4096 : i32} : (!tile) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    ttg.fence_async_shared
    ttg.local_barrier
    %y = ttg.local_load %a : !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory> -> !tile
    %c = ttg.local_alloc %x {allocation.offset = 8192 : i32} : (!tile) -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
    ttg.fence_async_shared
    tt.return %y : !tile
  }
}
