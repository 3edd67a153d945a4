// Each rule of docs/rules.md that this pass checks, broken once.
// RUN: triton-opt --allow-unregistered-dialect --tritongpu-verify-ttgir=has-barriers=true --split-input-file --verify-diagnostics %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!ring = !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>

// A loop whose copies, waits, places and barriers are right.
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 8192 : i32} {
  tt.func @right(%p: !pointers, %x: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ring
    %s0 = ttg.memdesc_index %ring[%c0] : !ring -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %s0 : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %filled = %c0, %used = %c1, %group = %g0) -> (!tile, i32, i32, !ttg.async.token) : i32 {
      %w = ttg.async_wait %group {num = 0 : i32}
      ttg.local_barrier
      %u = ttg.advance_slot %used of 2
      %su = ttg.memdesc_index %ring[%u] : !ring -> !slot
      %z = ttg.local_load %su token %w : !slot -> !tile
      %f = ttg.advance_slot %filled of 2
      %sf = ttg.memdesc_index %ring[%f] : !ring -> !slot
      %t = ttg.async_copy_global_to_local %p, %sf : !pointers -> !slot
      %g = ttg.async_commit_group tokens %t
      scf.yield %z, %f, %u, %g : !tile, i32, i32, !ttg.async.token
    }
    tt.return %r#0 : !tile
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir1_noLayout() {
    // expected-error @below {{ttgir-1: 'tensor<64xi32>' has no layout}}
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir1_otherEncoding() {
    // expected-error @below {{ttgir-1: the encoding of 'tensor<64xi32, #other<"lines">>' is not a layout over threads}}
    %r = "other.lines"() : () -> tensor<64xi32, #other<"lines">>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir1_blocks() {
    // expected-error @below {{is over 2 blocks, the program has 1}}
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #line>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir1_warps() {
    // expected-error @below {{ttgir-1: the layout of}}
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tall = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#other = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Threads hold the same elements of the source in both.
  tt.func @ttgir2_broadcast(%x: tensor<1x32xf32, #blocked>) -> tensor<32x32xf32, #tall> {
    %y = tt.broadcast %x : tensor<1x32xf32, #blocked> -> tensor<32x32xf32, #tall>
    tt.return %y : tensor<32x32xf32, #tall>
  }

  tt.func @ttgir2_operands(%p: tensor<32x32x!tt.ptr<f32>, #blocked>, %i: tensor<32x32xi32, #other>) -> tensor<32x32x!tt.ptr<f32>, #blocked> {
    // expected-error @below {{ttgir-2: operands have the layouts of}}
    %r = tt.addptr %p, %i : tensor<32x32x!tt.ptr<f32>, #blocked>, tensor<32x32xi32, #other>
    tt.return %r : tensor<32x32x!tt.ptr<f32>, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#wide = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir2_product(%a: tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 2}>>,
                          %b: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>,
                          %c: tensor<32x32xf32, #mma>) -> tensor<32x32xf32, #mma> {
    // expected-error @below {{ttgir-2: operand 0 has the layout of}}
    %d = tt.dot %a, %b, %c : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #wide, kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<32x32xf32, #mma>
    tt.return %d : tensor<32x32xf32, #mma>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The read is of the first buffer of a ring, and before what is copied to it later.
  tt.func @ttgir3_otherBuffer(%p: !pointers) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable>
    %b0 = ttg.memdesc_index %b[%c0] : !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable> -> !slot
    %b1 = ttg.memdesc_index %b[%c1] : !ttg.memdesc<2x32x32xf32, #shared, #ttg.shared_memory, mutable> -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %b0 : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    %t1 = ttg.async_copy_global_to_local %p, %b1 : !pointers -> !slot
    %g1 = ttg.async_commit_group tokens %t1
    %w = ttg.async_wait %g0 {num = 1 : i32}
    ttg.local_barrier
    %x = ttg.local_load %b0 token %w : !slot -> !tile
    ttg.local_barrier
    %t2 = ttg.async_copy_global_to_local %p, %b0 : !pointers -> !slot
    %g2 = ttg.async_commit_group tokens %t2
    %w2 = ttg.async_wait %g1, %g2 {num = 0 : i32}
    tt.return %x : !tile
  }

  // The first copy has ended before the loop, whose reads have tokens of the others.
  tt.func @ttgir3_endedCopy(%p: !pointers, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    %w0 = ttg.async_wait %g0 {num = 0 : i32}
    ttg.local_barrier
    %x = ttg.local_load %b token %w0 : !slot -> !tile
    ttg.local_barrier
    %t1 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
    %g1 = ttg.async_commit_group tokens %t1
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %g = %g1) -> (!tile, !ttg.async.token) : i32 {
      %w = ttg.async_wait %g {num = 0 : i32}
      ttg.local_barrier
      %z = ttg.local_load %b token %w : !slot -> !tile
      ttg.local_barrier
      %t2 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
      %g2 = ttg.async_commit_group tokens %t2
      scf.yield %z, %g2 : !tile, !ttg.async.token
    }
    tt.return %r#0 : !tile
  }

  // A later loop copies to the buffer that is read here. Where a program returns early, no block repeats.
  tt.func @ttgir3_earlyReturn(%p: !pointers, %isOver: i1, %c0: i32, %c1: i32, %n: i32) {
    cf.cond_br %isOver, ^over, ^work
  ^over:
    tt.return
  ^work:
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    %w0 = ttg.async_wait %g0 {num = 0 : i32}
    ttg.local_barrier
    %x = ttg.local_load %b token %w0 : !slot -> !tile
    tt.store %p, %x : !pointers
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%g = %g0) -> (!ttg.async.token) : i32 {
      ttg.local_barrier
      %t1 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
      %g1 = ttg.async_commit_group tokens %t1
      scf.yield %g1 : !ttg.async.token
    }
    tt.return
  }

  // The copies of an inner loop have ended before the next tile begins.
  tt.func @ttgir3_tiles(%p: !pointers, %c0: i32, %c1: i32, %n: i32) {
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    scf.for %tile = %c0 to %n step %c1 : i32 {
      ttg.local_barrier
      %t0 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
      %g0 = ttg.async_commit_group tokens %t0
      %w0 = ttg.async_wait %g0 {num = 0 : i32}
      ttg.local_barrier
      %x = ttg.local_load %b token %w0 : !slot -> !tile
      tt.store %p, %x : !pointers
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%g = %g0) -> (!ttg.async.token) : i32 {
        ttg.local_barrier
        %t1 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
        %g1 = ttg.async_commit_group tokens %t1
        scf.yield %g1 : !ttg.async.token
      }
      %w = ttg.async_wait {num = 0 : i32}
    }
    tt.return
  }

  // What reads comes between the copy and the wait for it.
  tt.func @ttgir3_before(%p: !pointers) -> !tile {
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    // expected-note @below {{the copy}}
    %t0 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    ttg.local_barrier
    // expected-error @below {{ttgir-3: reads a buffer without the token of a wait for what is copied to it}}
    %x = ttg.local_load %b : !slot -> !tile
    %w0 = ttg.async_wait %g0 {num = 0 : i32}
    tt.return %x : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The wait is for the first copy, the read for both.
  tt.func @ttgir3_otherCopy(%p: !pointers) -> !tile {
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    // expected-note @below {{the copy}}
    %t1 = ttg.async_copy_global_to_local %p, %b : !pointers -> !slot
    %g1 = ttg.async_commit_group tokens %t1
    %w = ttg.async_wait %g0 {num = 0 : i32}
    ttg.local_barrier
    // expected-error @below {{ttgir-3: reads a buffer without the token of a wait for what is copied to it}}
    %z = ttg.local_load %b token %w : !slot -> !tile
    tt.return %z : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!pointers = tensor<32x32x!tt.ptr<f32>, #blocked>
!ring = !ttg.memdesc<3x32x32xf32, #shared, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // The group of the iteration before is the youngest one.
  tt.func @ttgir4_loop(%p: !pointers, %x: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ring
    %s0 = ttg.memdesc_index %ring[%c0] : !ring -> !slot
    %t0 = ttg.async_copy_global_to_local %p, %s0 : !pointers -> !slot
    %g0 = ttg.async_commit_group tokens %t0
    %empty = ttg.async_commit_group
    %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %filled = %c0, %used = %c0, %group = %g0) -> (!tile, i32, i32, !ttg.async.token) : i32 {
      // expected-error @below {{ttgir-4: leaves 1 groups in flight, but on some path only 0 are younger than those it is for}}
      %w = ttg.async_wait %group {num = 1 : i32}
      ttg.local_barrier
      %u = ttg.advance_slot %used of 3
      %su = ttg.memdesc_index %ring[%used] : !ring -> !slot
      %z = ttg.local_load %su token %w : !slot -> !tile
      %f = ttg.advance_slot %filled of 3
      %sf = ttg.memdesc_index %ring[%f] : !ring -> !slot
      %t = ttg.async_copy_global_to_local %p, %sf : !pointers -> !slot
      %g = ttg.async_commit_group tokens %t
      scf.yield %z, %f, %u, %g : !tile, i32, i32, !ttg.async.token
    }
    tt.return %r#0 : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 8192 : i32} {
  tt.func @ttgir5_overlap(%x: !tile) -> (!tile, !tile) {
    // expected-note @below {{the other}}
    %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (!tile) -> !buffer
    // expected-error @below {{ttgir-5: shares bytes with what lives at the same time}}
    %b = ttg.local_alloc %x {allocation.offset = 2048 : i32} : (!tile) -> !buffer
    ttg.local_barrier
    %0 = ttg.local_load %a : !buffer -> !tile
    %1 = ttg.local_load %b : !buffer -> !tile
    tt.return %0, %1 : !tile, !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 4096 : i32} {
  tt.func @ttgir5_no_offset(%x: !tile) -> !tile {
    // expected-error @below {{ttgir-5: needs 4096 bytes of shared memory, but its attribute `allocation.offset` is missing, which says where; leave `ttg.shared` of the module out}}
    %a = ttg.local_alloc %x : (!tile) -> !buffer
    ttg.local_barrier
    %0 = ttg.local_load %a : !buffer -> !tile
    tt.return %0 : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 2048 : i32} {
  tt.func @ttgir5_outside(%x: !tile) -> !tile {
    // expected-error @below {{ttgir-5: needs 4096 bytes of shared memory, aligned to 1024, and does not have one in the 2048 of the program}}
    %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (!tile) -> !buffer
    ttg.local_barrier
    %0 = ttg.local_load %a : !buffer -> !tile
    tt.return %0 : !tile
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
!tile = tensor<32x32xf32, #blocked>
!buffer = !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 4096 : i32} {
  tt.func @ttgir6_barrier(%x: !tile) -> !tile {
    %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (!tile) -> !buffer
    // expected-error @below {{ttgir-6: a barrier is missing between this and an access of the same memory before it}}
    %0 = ttg.local_load %a : !buffer -> !tile
    tt.return %0 : !tile
  }
}

// -----

tt.func @ttgir7_schedule(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{ttgir-7: the schedule of the loop is incomplete}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @below {{needs `loop.stage` and `loop.cluster`}}
    %x = tt.load %p : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir2_unknown(%x: tensor<128xf32, #line>) {
    // expected-error @below {{ttgir-2: `test.unknown` does not say how the layouts of its tensors are related (LayoutOpInterface)}}
    %y = "test.unknown"(%x) : (tensor<128xf32, #line>) -> tensor<128xf32, #line>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!buffer = !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 8192 : i32} {
  // No barrier waits for a product that is under way.
  tt.func @ttgir6_product(%x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buffer
    %d = ttg.warp_group_dot %a, %a, %c {isAsync = true} : !buffer * !buffer -> tensor<64x64xf32, #mma>
    ttg.local_barrier
    // expected-error @below {{ttgir-6: a barrier is missing between this and an access of the same memory before it}}
    ttg.local_store %x, %a : tensor<64x64xf16, #blocked> -> !buffer
    tt.return
  }

  // Behind the wait for it one does.
  tt.func @waited(%x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buffer
    %d = ttg.warp_group_dot %a, %a, %c {isAsync = true} : !buffer * !buffer -> tensor<64x64xf32, #mma>
    %w = ttg.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #mma>
    ttg.local_barrier
    ttg.local_store %x, %a : tensor<64x64xf16, #blocked> -> !buffer
    tt.return
  }

  // A product that the program waits for ends those before it, too.
  tt.func @ended_by_later(%x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>) {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buffer
    %d = ttg.warp_group_dot %a, %a, %c {isAsync = true} : !buffer * !buffer -> tensor<64x64xf32, #mma>
    %e = ttg.warp_group_dot %a, %a, %c : !buffer * !buffer -> tensor<64x64xf32, #mma>
    %w = ttg.warp_group_dot_wait %d {pendings = 1 : i32} : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #mma>
    ttg.local_barrier
    ttg.local_store %x, %a : tensor<64x64xf16, #blocked> -> !buffer
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @ttgir5_without_places(%x: tensor<512xi32, #line>) -> tensor<512xi32, #wide> {
    // expected-error @below {{ttgir-5: needs shared memory and has no place there; allocate-shared-memory writes it to `allocation.offset`}}
    %0 = ttg.convert_layout %x : tensor<512xi32, #line> -> tensor<512xi32, #wide>
    tt.return %0 : tensor<512xi32, #wide>
  }
}

// -----

// No layouts can help a function without a bound on its memory.
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @calls_the_caller(%p: !tt.ptr<i32>) {
    tt.call @calls_itself(%p) : (!tt.ptr<i32>) -> ()
    tt.return
  }
  tt.func @calls_itself(%p: !tt.ptr<i32>) {
    // expected-error @below {{a function calls itself here, also through others, which kernels cannot; write a loop}}
    tt.call @calls_the_caller(%p) : (!tt.ptr<i32>) -> ()
    tt.return
  }
}
