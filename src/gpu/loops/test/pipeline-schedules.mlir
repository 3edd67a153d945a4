// Schedules written by hand.
// RUN: triton-opt --tritongpu-pipeline --canonicalize --split-input-file --verify-diagnostics %s | FileCheck %s

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
  // Three stages: the copy, the read of the operand one round before its product, the product. The read of round r uses
  // what the copy of round r - 1 brought: one slot more than the distance from the copy to the read, and no group but
  // that may be under way at the wait. The operand is carried in registers.
  // CHECK-LABEL: tt.func @prefetch
  // CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16
  // Round 0 copies; round 1 waits, reads and copies again.
  // CHECK: ttg.async_copy_global_to_local {{.*}} mask
  // CHECK: %[[G0:.*]] = ttg.async_commit_group
  // CHECK: %[[W0:.*]] = ttg.async_wait %[[G0]] {num = 0 : i32}
  // CHECK: ttg.async_copy_global_to_local {{.*}} mask
  // CHECK: %[[G1:.*]] = ttg.async_commit_group
  // CHECK: %[[O0:.*]] = ttg.local_load %{{.*}} token %[[W0]]
  // CHECK: scf.for {{.*}} iter_args({{.*}}, %[[GROUP:[a-z0-9]*]] = %[[G1]], %[[OPERAND:[a-z0-9]*]] = %[[O0]]
  // CHECK: %[[WAIT:.*]] = ttg.async_wait %[[GROUP]] {num = 0 : i32}
  // CHECK: %[[COPY:.*]] = ttg.async_copy_global_to_local
  // CHECK: %[[NEXT:.*]] = ttg.async_commit_group tokens %[[COPY]]
  // CHECK: %[[READ:.*]] = ttg.local_load %{{.*}} token %[[WAIT]]
  // CHECK: tt.dot %[[OPERAND]]
  // CHECK: scf.yield {{.*}}%[[NEXT]], %[[READ]]
  tt.func @prefetch(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                    %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !pointers
      %b = ttg.local_alloc %x {loop.stage = 1 : i32, loop.cluster = 1 : i32} : (!tile) -> !buffer
      %a = ttg.local_load %b {loop.stage = 1 : i32, loop.cluster = 1 : i32} : !buffer -> !left
      %d = tt.dot %a, %y, %acc {loop.stage = 2 : i32, loop.cluster = 2 : i32} : !left * !right -> !sum
      scf.yield %d : !sum
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return %r : !sum
  }

  // Before the loop, an iteration that does not exist divides by one, for the remainder as well. A round of the loop runs
  // after an iteration has divided by the same number.
  // CHECK-LABEL: tt.func @divides
  // CHECK: %[[D:.*]] = arith.select %{{.*}}, %[[B:.*]], %{{.*}} : i32
  // CHECK: arith.divsi %{{.*}}, %[[D]]
  // CHECK: %[[E:.*]] = arith.select %{{.*}}, %[[B]], %{{.*}} : i32
  // CHECK: arith.remsi %{{.*}}, %[[E]]
  // CHECK: scf.for
  // CHECK: arith.divsi %{{.*}}, %[[B]]
  // CHECK: arith.remsi %{{.*}}, %[[B]]
  // CHECK: scf.yield
  tt.func @divides(%p: !tt.ptr<f32>, %b: i32, %n: i32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (f32) : i32 {
      %d = arith.divsi %i, %b {loop.stage = 0 : i32, loop.cluster = 0 : i32} : i32
      %m = arith.remsi %i, %b {loop.stage = 0 : i32, loop.cluster = 0 : i32} : i32
      %o = arith.addi %d, %m {loop.stage = 0 : i32, loop.cluster = 0 : i32} : i32
      %q = tt.addptr %p, %o {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>, i32
      %x = tt.load %q {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>
      %s = arith.addf %x, %acc {loop.stage = 1 : i32, loop.cluster = 1 : i32} : f32
      scf.yield %s : f32
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %r : f32
  }

  // Copies of two stages close groups of their own. The tile of the first is waited for two rounds later, when three
  // groups follow its own; that of the second one round later, when none does: the wait is for the nearer one.
  // CHECK-LABEL: tt.func @twoDistances
  // CHECK-DAG: ttg.local_alloc : () -> !ttg.memdesc<3x32x32xf16
  // CHECK-DAG: ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16
  // CHECK: scf.for
  // CHECK: ttg.async_wait %{{.*}}, %{{.*}} {num = 0 : i32}
  // CHECK: tt.dot
  // CHECK: ttg.async_commit_group
  // CHECK: ttg.async_commit_group
  // CHECK: scf.yield
  tt.func @twoDistances(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                        %y: !right, %z: !sum, %n: i32) -> !sum {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
      %x = tt.load %p {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !pointers
      %b = ttg.local_alloc %x {loop.stage = 2 : i32, loop.cluster = 0 : i32} : (!tile) -> !buffer
      %a = ttg.local_load %b {loop.stage = 2 : i32, loop.cluster = 0 : i32} : !buffer -> !left
      %d = tt.dot %a, %y, %acc {loop.stage = 2 : i32, loop.cluster = 0 : i32} : !left * !right -> !sum
      %u = tt.load %p {loop.stage = 1 : i32, loop.cluster = 2 : i32} : !pointers
      %v = ttg.local_alloc %u {loop.stage = 2 : i32, loop.cluster = 0 : i32} : (!tile) -> !buffer
      %w = ttg.local_load %v {loop.stage = 2 : i32, loop.cluster = 0 : i32} : !buffer -> !left
      %e = tt.dot %w, %y, %d {loop.stage = 2 : i32, loop.cluster = 0 : i32} : !left * !right -> !sum
      scf.yield %e : !sum
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return %r : !sum
  }

  // A load without a buffer is carried in registers. What leaves the loop from an early stage is that of the last
  // iteration that exists; stores of the last stage keep their order.
  // CHECK-LABEL: tt.func @registers
  // CHECK: %[[EXISTS:.*]] = arith.cmpi
  // CHECK: %[[FIRST:.*]] = tt.load %{{.*}}, %[[EXISTS]]
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK: %[[KEPT:.*]] = arith.select %[[EXISTS]], %[[SUM]]
  // CHECK: scf.for {{.*}} iter_args(%[[TOTAL:[a-z0-9]*]] = %[[KEPT]], %[[X:[a-z0-9]*]] = %[[FIRST]])
  // CHECK: tt.store %{{.*}}, %[[X]]
  // CHECK: tt.store %{{.*}}, %{{[a-z0-9]+}} :
  // CHECK: %[[AHEAD:.*]] = tt.load
  // CHECK: %[[NEW:.*]] = arith.addf %[[TOTAL]], %[[AHEAD]]
  // CHECK: arith.select %{{.*}}, %[[NEW]], %[[TOTAL]]
  tt.func @registers(%p: !tt.ptr<f32>, %o: !tt.ptr<f32> {tt.noalias}, %n: i32, %zero: f32) -> f32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero) -> (f32) : i32 {
      %q = tt.addptr %p, %i {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>, i32
      %x = tt.load %q {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>
      %t = arith.addf %total, %x {loop.stage = 0 : i32, loop.cluster = 1 : i32} : f32
      tt.store %o, %x {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>
      %m = arith.negf %x {loop.stage = 1 : i32, loop.cluster = 0 : i32} : f32
      tt.store %o, %m {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>
      scf.yield %t : f32
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %r : f32
  }

  // A loop inside a scheduled one: what comes of it runs in its place.
  // CHECK-LABEL: tt.func @nested
  // CHECK: %[[OUTER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.memdesc_index %[[OUTER]]
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: scf.for
  // CHECK: ttg.async_wait
  // CHECK: ttg.local_load %{{.*}} token
  // CHECK: scf.yield
  // CHECK: tt.store
  // CHECK: ttg.async_copy_global_to_local
  // CHECK: ttg.async_commit_group
  // CHECK: scf.yield
  tt.func @nested(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                  %w: tensor<32x32x!tt.ptr<f32>, #mma> {tt.noalias}, %y: !right, %z: !sum, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !pointers
      %b = ttg.local_alloc %x {loop.stage = 1 : i32, loop.cluster = 0 : i32} : (!tile) -> !buffer
      %r = scf.for %j = %c0 to %i step %c1 iter_args(%acc = %z) -> (!sum) : i32 {
        %a = ttg.local_load %b {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !buffer -> !left
        %d = tt.dot %a, %y, %acc {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !left * !right -> !sum
        %v = tt.load %p {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !pointers
        %u = ttg.local_alloc %v {loop.stage = 1 : i32, loop.cluster = 0 : i32} : (!tile) -> !buffer
        %e = ttg.local_load %u {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !buffer -> !left
        %f = tt.dot %e, %y, %d {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !left * !right -> !sum
        scf.yield %f : !sum
      } {tt.scheduled_max_stage = 1 : i32, loop.stage = 1 : i32, loop.cluster = 0 : i32}
      tt.store %w, %r {loop.stage = 1 : i32, loop.cluster = 0 : i32} : tensor<32x32x!tt.ptr<f32>, #mma>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // What cannot be expanded is an error, and nothing has changed.
  tt.func @missing(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error @below {{needs `loop.stage` and `loop.cluster`, since its loop has `tt.scheduled_max_stage`}}
      %x = tt.load %p : !tt.ptr<f32>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @order(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %q = tt.addptr %p, %i {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>, i32
      // expected-error @below {{is scheduled before an operand of it is computed}}
      %x = tt.load %q {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @effect(%p: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{the other access}}
      ttg.local_barrier {loop.stage = 0 : i32, loop.cluster = 0 : i32}
      // expected-error @below {{is scheduled so that it changes places with an access of what may be the same memory}}
      %x = tt.load %p {loop.stage = 1 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @alias(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{the other access}}
      %x = tt.load %p {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<f32>
      // expected-error @below {{is scheduled so that it changes places with an access of what may be the same memory}}
      tt.store %o, %x {loop.stage = 1 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // A carried value becomes another one in the next round, as early as it is used there: %a is what %b was an iteration
  // before. The loop starts with the values that two iterations of the early stage have left.
  // CHECK-LABEL: tt.func @carried
  // CHECK-SAME: (%[[N:.*]]: i32, %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[O:.*]]: !tt.ptr<f32>)
  // CHECK: %[[S0:.*]] = arith.addf %[[X]], %[[Y]]
  // CHECK: %[[B0:.*]] = arith.select %{{.*}}, %[[S0]], %[[Y]]
  // CHECK: %[[A0:.*]] = arith.select %{{.*}}, %[[Y]], %[[X]]
  // CHECK: scf.for {{.*}} iter_args(%[[A:[a-z0-9]*]] = %[[A0]], %[[B:[a-z0-9]*]] = %[[B0]], %[[S:[a-z0-9]*]] = %[[S0]])
  // CHECK: %[[NEW:.*]] = arith.addf %[[A]], %[[B]]
  // CHECK: arith.negf %[[S]]
  // CHECK-DAG: %[[NEXTB:.*]] = arith.select %{{.*}}, %[[NEW]], %[[B]]
  // CHECK-DAG: %[[NEXTA:.*]] = arith.select %{{.*}}, %[[B]], %[[A]]
  // CHECK: scf.yield %[[NEXTA]], %[[NEXTB]], %[[NEW]]
  tt.func @carried(%n: i32, %x: f32, %y: f32, %o: !tt.ptr<f32>) -> (f32, f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) : i32 {
      %s = arith.addf %a, %b {loop.stage = 0 : i32, loop.cluster = 0 : i32} : f32
      %m = arith.negf %s {loop.stage = 1 : i32, loop.cluster = 1 : i32} : f32
      tt.store %o, %m {loop.stage = 1 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>
      scf.yield %b, %s : f32, f32
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %r#0, %r#1 : f32, f32
  }

  // An atomic operation of an early stage has no mask that says that its iteration does not exist: the last
  // round stands behind the loop, without it. A loop of no iterations runs one stage after the other.
  // CHECK-LABEL: tt.func @peeled
  // CHECK-SAME: (%[[LOWER:.*]]: i32, %[[UPPER:.*]]: i32
  // CHECK: %[[EXISTS:.*]] = arith.cmpi slt, %[[LOWER]], %[[UPPER]]
  // CHECK: %[[R:.*]] = scf.if %[[EXISTS]] -> (f32) {
  // CHECK:   %[[V0:.*]] = tt.atomic_rmw
  // CHECK:   %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]*]] = %{{.*}}, %[[V:[a-z0-9]*]] = %[[V0]], %[[I:[a-z0-9]*]] = %[[LOWER]])
  // CHECK:     %[[NEWSUM:.*]] = arith.addf %[[SUM]], %[[V]]
  // CHECK:     %[[NEWV:.*]] = tt.atomic_rmw
  // CHECK:     scf.yield %[[NEWSUM]], %[[NEWV]], %{{.*}}
  // CHECK:   %[[LAST:.*]] = arith.addf %[[LOOP]]#0, %[[LOOP]]#1
  // CHECK-NOT: tt.atomic_rmw
  // CHECK:   scf.yield %[[LAST]]
  // CHECK: } else {
  // CHECK:   scf.for
  // CHECK:     tt.atomic_rmw
  // CHECK:     arith.addf
  // CHECK: tt.return %[[R]]
  tt.func @peeled(%lower: i32, %upper: i32, %p: !tt.ptr<f32>, %zero: f32) -> f32 {
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %r = scf.for %i = %lower to %upper step %c1 iter_args(%sum = %zero) -> (f32) : i32 {
      %q = tt.addptr %p, %i {loop.stage = 0 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>, i32
      %v = tt.atomic_rmw fadd, relaxed, gpu, %q, %zero, %true {loop.stage = 0 : i32, loop.cluster = 1 : i32} : (!tt.ptr<f32>, f32, i1) -> f32
      %s = arith.addf %sum, %v {loop.stage = 1 : i32, loop.cluster = 0 : i32} : f32
      scf.yield %s : f32
    } {tt.scheduled_max_stage = 1 : i32}
    tt.return %r : f32
  }

  // Iterations that are known to exist need no question, and all rounds after a loop of none are its rest.
  // CHECK-LABEL: tt.func @peeledConstant
  // CHECK-NOT: scf.if
  // CHECK: tt.atomic_rmw
  // CHECK: tt.atomic_rmw
  // CHECK: scf.for
  // CHECK: tt.atomic_rmw
  // CHECK: tt.store
  // CHECK: }
  // CHECK-NOT: tt.atomic_rmw
  // CHECK: tt.store
  // CHECK: tt.store
  // CHECK-NOT: tt.store
  tt.func @peeledConstant(%p: !tt.ptr<f32> {tt.noalias}, %o: !tt.ptr<f32>, %zero: f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %true = arith.constant true
    scf.for %i = %c0 to %c7 step %c1 : i32 {
      %v = tt.atomic_rmw fadd, relaxed, gpu, %p, %zero, %true {loop.stage = 0 : i32, loop.cluster = 0 : i32} : (!tt.ptr<f32>, f32, i1) -> f32
      %w = tt.addptr %o, %i {loop.stage = 2 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>, i32
      tt.store %w, %v {loop.stage = 2 : i32, loop.cluster = 1 : i32} : !tt.ptr<f32>
    } {tt.scheduled_max_stage = 2 : i32}
    tt.return
  }
}
