// RUN: triton-opt --tritongpu-check-asynchronous-uses --split-input-file --verify-diagnostics %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A loop carries the sum, and what waits for it comes behind.
  tt.func public @awaited(%a: !tile, %c: tensor<64x64xf32, #mma>, %n: index) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) {
      %d = ttg.warp_group_dot %a, %a, %acc {isAsync = true} : !tile * !tile -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %end = ttg.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %negated = arith.negf %end : tensor<64x64xf32, #mma>
    tt.return %negated : tensor<64x64xf32, #mma>
  }

  tt.func public @made(%bars: i32) {
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @used_behind_a_loop(%a: !tile, %c: tensor<64x64xf32, #mma>, %n: index) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) {
      %d = ttg.warp_group_dot %a, %a, %acc {isAsync = true} : !tile * !tile -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    // expected-error @below {{uses the result of an asynchronous product}}
    %negated = arith.negf %sum : tensor<64x64xf32, #mma>
    tt.return %negated : tensor<64x64xf32, #mma>
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @never_made(%phase: i32) {
    %bar = ttg.local_alloc : () -> !bar
    // expected-error @below {{the kernel never makes this barrier}}
    ttg.wait_barrier %bar, %phase : !bar
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A loop may arrive often enough, and the phase before the first has ended.
  tt.func public @enough(%n: index, %phase: i32, %once: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %odd = arith.constant 1 : i32
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 2 : i32, manual} : !bar
    scf.for %i = %c0 to %n step %c1 {
      ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    }
    ttg.wait_barrier %bar, %phase : !bar
    %free = ttg.local_alloc : () -> !bar
    ttg.init_barrier %free {count = 1 : i32, manual} : !bar
    ttg.wait_barrier %free, %odd : !bar
    // As a producer waits for a slot: the phase before the first, but that is not known here.
    %before = arith.xori %phase, %odd : i32
    ttg.wait_barrier %free, %before : !bar
    tt.return
  }

  tt.func public @phases_in_order() {
    %even = arith.constant 0 : i32
    %odd = arith.constant 1 : i32
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.wait_barrier %bar, %odd : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    ttg.wait_barrier %bar, %even : !bar
    ttg.wait_barrier %bar, %even : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    ttg.wait_barrier %bar, %odd : !bar
    // A barrier that is made again begins again.
    ttg.invalidate_barrier %bar : !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    ttg.wait_barrier %bar, %even : !bar
    ttg.wait_barrier %bar, %odd : !bar
    ttg.wait_barrier %bar, %even : !bar
    tt.return
  }

  tt.func public @second_phase() {
    %even = arith.constant 0 : i32
    %odd = arith.constant 1 : i32
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 2 : i32, manual} : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    ttg.arrive_barrier %bar {count = 2 : i32} : !bar
    ttg.wait_barrier %bar, %even : !bar
    // expected-error @below {{this wait cannot end: each of the 2 phases until then of the barrier takes 2 arrivals, and the kernel has 3}}
    ttg.wait_barrier %bar, %odd : !bar
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @too_often(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 2 : i32, manual} : !bar
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @below {{this arrives 3 times at once, and a phase of the barrier takes 2 arrivals}}
      ttg.arrive_barrier %bar {count = 3 : i32} : !bar
    }
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @too_seldom(%once: i1) {
    %even = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 3 : i32, manual} : !bar
    scf.if %once {
      ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    }
    ttg.expect_bytes %bar, 0 {byFirst} : !bar
    // expected-error @below {{this wait cannot end: a phase of the barrier takes 3 arrivals, and the kernel has 2}}
    ttg.wait_barrier %bar, %even : !bar
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // What a branch announces may be the rest.
  tt.func public @as_many_bytes(%map: !map, %more: i1) {
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %buffer = ttg.local_alloc : () -> !tile
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.expect_bytes %bar, 16384 {byFirst} : !bar
    ttg.async_mapped_load %map[%c0, %c0], %buffer, %bar {byFirst} : !map -> !tile, !bar
    ttg.async_mapped_load %map[%c0, %c0], %buffer, %bar {byFirst} : !map -> !tile, !bar
    ttg.wait_barrier %bar, %c0 : !bar
    %other = ttg.local_alloc : () -> !bar
    ttg.init_barrier %other {count = 1 : i32, manual} : !bar
    ttg.expect_bytes %other, 8192 {byFirst} : !bar
    scf.if %more {
      ttg.async_mapped_load %map[%c0, %c0], %buffer, %other {byFirst} : !map -> !tile, !bar
    }
    tt.return
  }

  tt.func public @other_bytes(%map: !map) {
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %buffer = ttg.local_alloc : () -> !tile
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    // expected-error @below {{the kernel announces 4096 bytes at this barrier, and its copies bring 8192}}
    ttg.expect_bytes %bar, 4096 {byFirst} : !bar
    ttg.async_mapped_load %map[%c0, %c0], %buffer, %bar {byFirst} : !map -> !tile, !bar
    ttg.wait_barrier %bar, %c0 : !bar
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!map = !tt.tensordesc<tensor<64x64xf16>>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @no_bytes(%map: !map, %n: index) {
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %buffer = ttg.local_alloc : () -> !tile
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    // expected-error @below {{nothing announces the bytes of this copy at its barrier}}
    ttg.async_mapped_load %map[%c0, %c0], %buffer, %bar {byFirst} : !map -> !tile, !bar
    ttg.wait_barrier %bar, %c0 : !bar
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A barrier that has ended is used again once it is made again.
  tt.func public @ends_and_begins() {
    %even = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.invalidate_barrier %bar : !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    ttg.wait_barrier %bar, %even : !bar
    ttg.invalidate_barrier %bar : !bar
    tt.return
  }

  tt.func public @has_ended(%once: i1) {
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.invalidate_barrier %bar : !bar
    scf.if %once {
      // expected-error @below {{this uses a barrier after its `mbarrier.invalidate`; call that later}}
      ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    }
    tt.return
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @begins_twice() {
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.arrive_after_copies %bar {isCounted} : !bar
    // expected-error @below {{the kernel is wrong: this makes a barrier that is there already; leave it out}}
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    tt.return
  }
}

// -----

#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!ring = !ttg.memdesc<2x128xf32, #row, #ttg.shared_memory, mutable>
!slot = !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1250"} {
  // Another slot, or what a branch may have waited for, may be read.
  tt.func public @awaited(%p: tensor<128x!tt.ptr<f32>, #lanes>, %waits: i1, %k: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ring = ttg.local_alloc : () -> !ring
    %first = ttg.memdesc_index %ring[%zero] : !ring -> !slot
    %second = ttg.memdesc_index %ring[%one] : !ring -> !slot
    %any = ttg.memdesc_index %ring[%k] : !ring -> !slot
    %t = ttg.async_copy_global_to_local %p, %first : tensor<128x!tt.ptr<f32>, #lanes> -> !slot
    %a = ttg.local_load %second : !slot -> tensor<128xf32, #lanes>
    %b = ttg.local_load %any : !slot -> tensor<128xf32, #lanes>
    scf.if %waits {
      %w = ttg.async_wait {num = 0 : i32}
    }
    %c = ttg.local_load %first : !slot -> tensor<128xf32, #lanes>
    tt.store %p, %c : tensor<128x!tt.ptr<f32>, #lanes>
    tt.return
  }

  tt.func public @early(%p: tensor<128x!tt.ptr<f32>, #lanes>, %n: i32) {
    %zero = arith.constant 0 : i32
    %same = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %true = arith.constant true
    %ring = ttg.local_alloc : () -> !ring
    %first = ttg.memdesc_index %ring[%zero] : !ring -> !slot
    scf.if %true {
      %t = ttg.async_copy_global_to_local %p, %first : tensor<128x!tt.ptr<f32>, #lanes> -> !slot
    }
    scf.for %i = %zero to %n step %one : i32 {
      %again = ttg.memdesc_index %ring[%same] : !ring -> !slot
      // expected-error @below {{the kernel is wrong: this reads a buffer to which a copy was started, and nothing waits for the copy before}}
      %c = ttg.local_load %again : !slot -> tensor<128xf32, #lanes>
      tt.store %p, %c : tensor<128x!tt.ptr<f32>, #lanes>
    }
    tt.return
  }
}

// -----

#lanes = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!slot = !ttg.memdesc<128xf32, #row, #ttg.shared_memory, mutable>

// Here the simulator sees it.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @simulated(%p: tensor<128x!tt.ptr<f32>, #lanes>) {
    %buffer = ttg.local_alloc : () -> !slot
    %t = ttg.async_copy_global_to_local %p, %buffer : tensor<128x!tt.ptr<f32>, #lanes> -> !slot
    %c = ttg.local_load %buffer : !slot -> tensor<128xf32, #lanes>
    tt.store %p, %c : tensor<128x!tt.ptr<f32>, #lanes>
    tt.return
  }
}
