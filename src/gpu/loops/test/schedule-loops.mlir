// RUN: triton-opt --tritongpu-schedule-loops --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: triton-opt --tritongpu-schedule-loops --tritongpu-pipeline --split-input-file --verify-diagnostics %s | FileCheck %s --check-prefix=EXPANDED

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!tile = tensor<32x32xf16, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // Uses first, then addresses, then loads. The offset that both the address and the product need is computed in both
  // stages.
  // CHECK-LABEL: tt.func @product
  // CHECK: arith.muli {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: arith.muli {{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
  // CHECK: tt.splat {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: tt.addptr {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: tt.load {{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  // CHECK: ttg.local_alloc {{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
  // CHECK: tt.dot {{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
  // CHECK: } {tt.scheduled_max_stage = 2 : i32}
  tt.func @product(%p: !pointers, %y: !right, %z: !sum, %n: i32) -> (!sum, i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %last = %c0) -> (!sum, i32) : i32 {
      %o = arith.muli %i, %n : i32
      %s = tt.splat %o : i32 -> tensor<32x32xi32, #blocked>
      %q = tt.addptr %p, %s : !pointers, tensor<32x32xi32, #blocked>
      %x = tt.load %q {tt.latency = 2 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      %t = arith.addi %o, %last : i32
      scf.yield %d, %t : !sum, i32
    }
    tt.return %r#0, %r#1 : !sum, i32
  }

  // Copies that refill slots come after the reads of the round, where the fewest registers hold data.
  // CHECK-LABEL: tt.func @refilled
  // CHECK: tt.load {{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  // CHECK: ttg.local_load {{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32}
  // CHECK: arith.truncf {{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32}
  // CHECK: arith.extf {{.*}} {loop.cluster = 3 : i32, loop.stage = 1 : i32}
  // CHECK: } {tt.refills_slots, tt.scheduled_max_stage = 1 : i32}
  tt.func @refilled(%p: !pointers, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> tensor<32x32xf16, #mma>
      %e = math.exp %a : tensor<32x32xf16, #mma>
      %h = arith.truncf %e : tensor<32x32xf16, #mma> to tensor<32x32xf8E5M2, #mma>
      %w = arith.extf %h : tensor<32x32xf8E5M2, #mma> to tensor<32x32xf32, #mma>
      scf.yield %w : !sum
    } {tt.refills_slots}
    tt.return %r : !sum
  }

  // With two stages the copies stand before the only product.
  // CHECK-LABEL: tt.func @twoStages
  // CHECK: tt.load {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: tt.dot {{.*}} {loop.cluster = 2 : i32, loop.stage = 1 : i32}
  // CHECK: } {tt.scheduled_max_stage = 1 : i32}
  tt.func @twoStages(%p: !pointers, %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // Loads may have latencies of their own.
  // CHECK-LABEL: tt.func @latencies
  // CHECK: tt.load {{.*}} {loop.cluster = 2 : i32, loop.stage = 1 : i32}
  // CHECK: tt.load {{.*}} {loop.cluster = 4 : i32, loop.stage = 0 : i32}
  // CHECK: } {tt.scheduled_max_stage = 2 : i32}
  tt.func @latencies(%p: !pointers, %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      %u = tt.load %p {tt.latency = 2 : i32} : !pointers
      %v = ttg.local_alloc %u : (!tile) -> !buffer
      %w = ttg.local_load %v : !buffer -> !left
      %e = tt.dot %w, %y, %d : !left * !right -> !sum
      scf.yield %e : !sum
    }
    tt.return %r : !sum
  }

  // A load of which another load takes its addresses comes with the addresses.
  // CHECK-LABEL: tt.func @indirect
  // CHECK: tt.load {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<!tt.ptr<f16>>
  // CHECK: tt.splat {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
  // CHECK: tt.load {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor
  tt.func @indirect(%p: !tt.ptr<!tt.ptr<f16>>, %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %o = tt.load %p {tt.latency = 1 : i32} : !tt.ptr<!tt.ptr<f16>>
      %q = tt.splat %o : !tt.ptr<f16> -> !pointers
      %x = tt.load %q {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // Loops without latencies stay as they are.
  // CHECK-LABEL: tt.func @none
  // CHECK-NOT: loop.stage
  tt.func @none(%p: !pointers, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
    }
    tt.return
  }

  // What is only carried to the end of the loop need not run ahead.
  // CHECK-LABEL: tt.func @carried
  // CHECK: tt.load %{{[a-z0-9]+}} : tensor
  // CHECK-NOT: tt.scheduled_max_stage
  // CHECK: tt.return
  tt.func @carried(%p: !pointers, %z: !tile, %n: i32) -> !tile {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %z) -> (!tile) : i32 {
      %s = tt.splat %i : i32 -> tensor<32x32xi32, #blocked>
      %q = tt.addptr %p, %s : !pointers, tensor<32x32xi32, #blocked>
      %x = tt.load %q {tt.latency = 2 : i32} : !pointers
      scf.yield %x : !tile
    }
    tt.return %r : !tile
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!tile = tensor<32x32xf16, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @volatile(%p: !tt.ptr<!tt.ptr<f16>>, %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %o = tt.load %p {isVolatile = true} : !tt.ptr<!tt.ptr<f16>>
      %q = tt.splat %o : !tt.ptr<f16> -> !pointers
      // expected-error @below {{has `tt.latency`, but its addresses depend on what must not run ahead}}
      %x = tt.load %q {tt.latency = 2 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %a = ttg.local_load %b : !buffer -> !left
      %d = tt.dot %a, %y, %acc : !left * !right -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!pointers = tensor<64x64x!tt.ptr<f16>, #blocked>
!tile = tensor<64x64xf16, #blocked>
!buffer = !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
!sum = tensor<64x64xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A product that adds to what the loop carries may read its operands when the next round begins: copies follow it.
  // CHECK-LABEL: tt.func @goesOn
  // CHECK: tt.load {{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  // CHECK: ttg.warp_group_dot {{.*}}loop.cluster = 0 : i32, loop.stage = 1 : i32}
  tt.func @goesOn(%p: !pointers, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %d = ttg.warp_group_dot %b, %b, %acc : !buffer * !buffer -> !sum
      scf.yield %d : !sum
    }
    tt.return %r : !sum
  }

  // What the round does after such a product runs beside the copies.
  // CHECK-LABEL: tt.func @goesOnBesideOthers
  // CHECK: tt.load {{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  // CHECK: ttg.warp_group_dot {{.*}}loop.cluster = 0 : i32, loop.stage = 1 : i32}
  // CHECK: ttg.warp_group_dot {{.*}}loop.cluster = 3 : i32, loop.stage = 1 : i32}
  // CHECK: arith.addf {{.*}}loop.cluster = 3 : i32, loop.stage = 1 : i32}
  tt.func @goesOnBesideOthers(%p: !pointers, %z: !sum, %n: i32) -> (!sum, !sum) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %other = %z) -> (!sum, !sum) : i32 {
      %x = tt.load %p {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %d = ttg.warp_group_dot %b, %b, %acc : !buffer * !buffer -> !sum
      %e = ttg.warp_group_dot %b, %b, %z : !buffer * !buffer -> !sum
      %s = arith.addf %other, %e : !sum
      scf.yield %d, %s : !sum, !sum
    }
    tt.return %r#0, %r#1 : !sum, !sum
  }

  // Other products end in their round, and copies come first: at the end, nothing would run beside them.
  // CHECK-LABEL: tt.func @ends
  // CHECK: tt.load {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: ttg.warp_group_dot {{.*}}loop.cluster = 2 : i32, loop.stage = 1 : i32}
  tt.func @ends(%p: !pointers, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      %d = ttg.warp_group_dot %b, %b, %z : !buffer * !buffer -> !sum
      %s = arith.addf %acc, %d : !sum
      scf.yield %s : !sum
    }
    tt.return %r : !sum
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!pointers = tensor<64x64x!tt.ptr<f16>, #blocked>
!tile = tensor<64x64xf16, #blocked>
!buffer = !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
!sum = tensor<64x64xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // The second product has a factor that the first has computed, which has then read its slot: that one is refilled
  // beside the second product, and the slot of the second at the end. Their common offset comes with the first copy.
  // CHECK-LABEL: tt.func @refilledInTwoTurns
  // CHECK: arith.muli {{.*}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
  // CHECK: tt.load %[[P:.*]] {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  // CHECK: tt.load %{{.*}} {loop.cluster = 7 : i32, loop.stage = 0 : i32}
  // CHECK: ttg.warp_group_dot {{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32}
  // CHECK: arith.truncf {{.*}} {loop.cluster = 0 : i32, loop.stage = 1 : i32}
  // CHECK: ttg.local_alloc {{.*}} {loop.cluster = 5 : i32, loop.stage = 1 : i32}
  // CHECK: ttg.warp_group_dot {{.*}} {loop.cluster = 5 : i32, loop.stage = 1 : i32}
  // EXPANDED-LABEL: tt.func @refilledInTwoTurns
  // EXPANDED: scf.for {{.*}} iter_args({{.*}} %[[FIRST:.*]] = %{{.*}}, %[[SECOND:.*]] = %{{[^)]*}})
  // EXPANDED: ttg.async_wait %[[FIRST]] {num = 1 : i32}
  // EXPANDED: ttg.warp_group_dot
  // EXPANDED: ttg.async_copy_global_to_local
  // EXPANDED-NEXT: %[[THIRD:.*]] = ttg.async_commit_group
  // EXPANDED: ttg.async_wait %[[SECOND]] {num = 1 : i32}
  // EXPANDED: ttg.warp_group_dot
  // EXPANDED: ttg.async_copy_global_to_local
  // EXPANDED-NEXT: %[[FOURTH:.*]] = ttg.async_commit_group
  // EXPANDED-NEXT: scf.yield {{.*}}%[[THIRD]], %[[FOURTH]]
  tt.func @refilledInTwoTurns(
      %p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>},
      %q: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 64]> : tensor<2xi32>}, %k: !buffer, %zero: !sum,
      %n: i32) -> !sum {
    %c64 = arith.constant 64 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %o = arith.muli %i, %c64 : i32
      %s = tt.splat %o : i32 -> tensor<64x64xi32, #blocked>
      %pi = tt.addptr %p, %s : !pointers, tensor<64x64xi32, #blocked>
      %x = tt.load %pi {tt.latency = 1 : i32} : !pointers
      %a = ttg.local_alloc %x : (!tile) -> !buffer
      %qi = tt.addptr %q, %s : !pointers, tensor<64x64xi32, #blocked>
      %y = tt.load %qi {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %y : (!tile) -> !buffer
      %d = ttg.warp_group_dot %a, %k, %zero : !buffer * !buffer -> !sum
      %h = arith.truncf %d : !sum to tensor<64x64xf16, #mma>
      %f = ttg.local_alloc %h : (tensor<64x64xf16, #mma>) -> !buffer
      %e = ttg.warp_group_dot %f, %b, %acc : !buffer * !buffer -> !sum
      scf.yield %e : !sum
    } {tt.refills_slots}
    tt.return %r : !sum
  }

  // A load whose result waits in registers fills no slot. It comes with the later copies.
  // CHECK-LABEL: tt.func @besideWaitingFactor
  // CHECK: tt.load %{{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>
  // CHECK: tt.load %{{.*}} {loop.cluster = 9 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f16>
  // CHECK: tt.load %{{.*}} {loop.cluster = 9 : i32, loop.stage = 0 : i32} : tensor<64x64x!tt.ptr<f32>
  tt.func @besideWaitingFactor(%p: !pointers, %q: !pointers, %f: tensor<64x64x!tt.ptr<f32>, #mma>, %k: !buffer,
                               %zero: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
      %s = tt.splat %i : i32 -> tensor<64x64xi32, #blocked>
      %pi = tt.addptr %p, %s : !pointers, tensor<64x64xi32, #blocked>
      %x = tt.load %pi {tt.latency = 1 : i32} : !pointers
      %a = ttg.local_alloc %x : (!tile) -> !buffer
      %qi = tt.addptr %q, %s : !pointers, tensor<64x64xi32, #blocked>
      %y = tt.load %qi {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %y : (!tile) -> !buffer
      %factor = tt.load %f {tt.latency = 1 : i32} : tensor<64x64x!tt.ptr<f32>, #mma>
      %d = ttg.warp_group_dot %a, %k, %zero : !buffer * !buffer -> !sum
      %scaled = arith.mulf %d, %factor : !sum
      %h = arith.truncf %scaled : !sum to tensor<64x64xf16, #mma>
      %left = ttg.local_alloc %h : (tensor<64x64xf16, #mma>) -> !buffer
      %e = ttg.warp_group_dot %left, %b, %acc : !buffer * !buffer -> !sum
      scf.yield %e : !sum
    } {tt.refills_slots}
    tt.return %r : !sum
  }

  // The second product does not wait for the first: all copies refill their slots when both are over.
  // CHECK-LABEL: tt.func @refilledInOneTurn
  // CHECK: tt.load %{{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  // CHECK: tt.load %{{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32}
  tt.func @refilledInOneTurn(%p: !pointers, %q: !pointers, %k: !buffer, %zero: !sum, %n: i32) -> (!sum, !sum) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%first = %zero, %second = %zero) -> (!sum, !sum) : i32 {
      %s = tt.splat %i : i32 -> tensor<64x64xi32, #blocked>
      %pi = tt.addptr %p, %s : !pointers, tensor<64x64xi32, #blocked>
      %x = tt.load %pi {tt.latency = 1 : i32} : !pointers
      %a = ttg.local_alloc %x : (!tile) -> !buffer
      %qi = tt.addptr %q, %s : !pointers, tensor<64x64xi32, #blocked>
      %y = tt.load %qi {tt.latency = 1 : i32} : !pointers
      %b = ttg.local_alloc %y : (!tile) -> !buffer
      %d = ttg.warp_group_dot %a, %k, %first : !buffer * !buffer -> !sum
      %e = ttg.warp_group_dot %b, %k, %second : !buffer * !buffer -> !sum
      scf.yield %d, %e : !sum, !sum
    } {tt.refills_slots}
    tt.return %r#0, %r#1 : !sum, !sum
  }
}
