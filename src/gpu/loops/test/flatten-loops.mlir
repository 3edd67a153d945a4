// RUN: triton-opt --tritongpu-flatten-loops --canonicalize --tritongpu-combine-tensor-select-and-if --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: triton-opt --tritongpu-flatten-loops --tritongpu-assign-latencies=num-stages=3 --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --split-input-file --verify-diagnostics %s | FileCheck --check-prefix=PIPELINE %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
!base = !tt.ptr<f16>
!pointers = tensor<32x32x!tt.ptr<f16>, #blocked>
!outputs = tensor<32x32x!tt.ptr<f32>, #mma>
!offsets = tensor<32x32xi32, #blocked>
!tile = tensor<32x32xf16, #blocked>
!buffer = !ttg.memdesc<32x32xf16, #shared, #ttg.shared_memory>
!left = tensor<32x32xf16, #a>
!right = tensor<32x32xf16, #b>
!sum = tensor<32x32xf32, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  // A persistent product. The sum starts anew, in a branch, after the last position of each outer iteration; the addresses
  // of the next tile do not wait for what is stored there. The offset of the tile is computed at its first position and
  // carried, and once more where the results are stored.
  // CHECK-LABEL: tt.func @persistent
  // CHECK-SAME: %[[N:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32)
  // CHECK-DAG: %[[OUTER:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
  // CHECK-DAG: %[[INNER:.*]] = arith.cmpi sgt, %[[K]], %c0_i32
  // CHECK: %[[SOME:.*]] = arith.andi %[[OUTER]], %[[INNER]]
  // CHECK: scf.if %[[SOME]] {
  // CHECK:   %[[ALL:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
  // CHECK:   %[[LAST:.*]] = arith.subi
  // CHECK:   scf.for unsigned %{{.*}} = %c0_i64 to %[[ALL]] step %c1_i64 iter_args(%[[AT:[a-z0-9]*]] = %c0_i32, %[[I:[a-z0-9]*]] = %c0_i32, %[[ACC:[a-z0-9]*]] = %{{[a-z0-9]*}}, %[[Q:[a-z0-9]*]] = %{{[a-z0-9]*}})
  // CHECK:     %[[FIRST:.*]] = arith.cmpi eq, %[[AT]], %c0_i32
  // CHECK:     %[[NEWQ:.*]] = scf.if %[[FIRST]]
  // CHECK:       arith.divsi %[[I]]
  // CHECK:     } else {
  // CHECK:       scf.yield %[[Q]]
  // CHECK:     tt.load
  // CHECK:     %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[ACC]]
  // CHECK:     %[[ISLAST:.*]] = arith.cmpi eq, %[[AT]], %[[LAST]]
  // CHECK:     scf.if %[[ISLAST]] {
  // CHECK:       arith.divsi %[[I]]
  // CHECK:       tt.store %{{.*}}, %[[D]]
  // CHECK:     %[[NEXT:.*]]:2 = scf.if %[[ISLAST]]
  // CHECK:       scf.yield %{{.*}}, %[[ZERO:.*]] :
  // CHECK:     } else {
  // CHECK:       scf.yield %[[I]], %[[D]]
  // CHECK:     scf.yield %{{.*}}, %[[NEXT]]#0, %[[NEXT]]#1, %[[NEWQ]]
  // CHECK:   } {tt.disjoint_arguments}
  // CHECK: } else {
  // CHECK:   scf.for
  // CHECK-NOT: tt.dot
  // CHECK:     tt.store
  //
  // Two copies before the loop; in it the copies of the tile after the next, whatever outer iteration it belongs to, and
  // nothing waits for all of them.
  // PIPELINE-LABEL: tt.func @persistent
  // PIPELINE: ttg.async_copy_global_to_local
  // PIPELINE: ttg.async_copy_global_to_local
  // PIPELINE: scf.for unsigned
  // PIPELINE: ttg.async_wait %{{.*}} {num = 1 : i32}
  // PIPELINE: tt.dot
  // PIPELINE: tt.store
  // PIPELINE: ttg.async_copy_global_to_local
  // PIPELINE: scf.yield
  // PIPELINE: ttg.async_wait {num = 0 : i32}
  tt.func @persistent(%p: !base {tt.divisibility = 16 : i32}, %o: !outputs, %y: !right,
                      %at: tensor<32x32xi32, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                      %n: i32, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c1024 = arith.constant 1024 : i32
    %zero = arith.constant dense<0.0> : !sum
    scf.for %i = %c0 to %n step %c1 : i32 {
      %row = arith.divsi %i, %k : i32
      %start = arith.muli %row, %c1024 : i32
      %r = scf.for %j = %c0 to %k step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
        %in = arith.muli %j, %c1024 : i32
        %offset = arith.addi %start, %in : i32
        %q = tt.addptr %p, %offset : !base, i32
        %s = tt.splat %q : !base -> !pointers
        %t = tt.addptr %s, %at : !pointers, !offsets
        %x = tt.load %t : !pointers
        %b = ttg.local_alloc %x : (!tile) -> !buffer
        %a = ttg.local_load %b : !buffer -> !left
        %d = tt.dot %a, %y, %acc : !left * !right -> !sum
        scf.yield %d : !sum
      }
      %os = tt.splat %start : i32 -> tensor<32x32xi32, #mma>
      %to = tt.addptr %o, %os : !outputs, tensor<32x32xi32, #mma>
      tt.store %to, %r : !outputs
    } {tt.flatten}
    tt.return
  }

  // What the outer loop carries: %next by itself, with the position; %total from the results of the inner loop. The inner
  // loop starts from what each outer iteration gives it. Both are known to run.
  // CHECK-LABEL: tt.func @carried
  // CHECK-NOT: scf.if
  // CHECK: %[[R:.*]]:6 = scf.for unsigned {{.*}} iter_args(%[[AT:[a-z0-9]*]] = %c0_i32, %{{[a-z0-9]*}} = %c0_i32, %[[TOTAL:[a-z0-9]*]] = %{{[a-z0-9_]*}}, %[[NEXT:[a-z0-9]*]] = %c0_i32, %[[POINTERS:[a-z0-9]*]] = %{{[a-z0-9]*}}, %[[ACC:[a-z0-9]*]] = %{{[a-z0-9_]*}})
  // CHECK: %[[CURRENT:.*]] = scf.if
  // CHECK:   tt.addptr
  // CHECK: } else {
  // CHECK:   scf.yield %[[POINTERS]]
  // CHECK: tt.load %[[CURRENT]]
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %[[ACC]]
  // CHECK: scf.if
  // CHECK:   arith.addf %[[TOTAL]]
  // CHECK: scf.if
  // CHECK:   arith.addi %[[NEXT]]
  // CHECK: tt.return %[[R]]#2, %[[R]]#3
  // PIPELINE-LABEL: tt.func @carried
  // PIPELINE: ttg.async_copy_global_to_local
  tt.func @carried(%p: !base {tt.divisibility = 16 : i32}, %y: !right,
                   %at: tensor<32x32xi32, #blocked> {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>}) -> (!sum, i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %n = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %c1024 = arith.constant 1024 : i32
    %k = arith.constant dense<32> : !offsets
    %zero = arith.constant dense<0.0> : !sum
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%total = %zero, %next = %c0) -> (!sum, i32) : i32 {
      %start = arith.muli %next, %c1024 : i32
      %q = tt.addptr %p, %start : !base, i32
      %s = tt.splat %q : !base -> !pointers
      %t = tt.addptr %s, %at : !pointers, !offsets
      %inner:2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%u = %t, %acc = %zero) -> (!pointers, !sum) : i32 {
        %x = tt.load %u : !pointers
        %b = ttg.local_alloc %x : (!tile) -> !buffer
        %a = ttg.local_load %b : !buffer -> !left
        %d = tt.dot %a, %y, %acc : !left * !right -> !sum
        %v = tt.addptr %u, %k : !pointers, !offsets
        scf.yield %v, %d : !pointers, !sum
      }
      %m = math.exp %inner#1 : !sum
      %new = arith.addf %total, %m : !sum
      %after = arith.addi %next, %c1 : i32
      scf.yield %new, %after : !sum, i32
    } {tt.flatten}
    tt.return %r#0, %r#1 : !sum, i32
  }

  // CHECK-LABEL: tt.func @refused
  // CHECK-NOT: scf.for unsigned
  // CHECK: tt.return
  tt.func @refused(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                   %w: !base, %y: !right, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !sum
    %h = arith.constant 0.0 : f16
    // expected-warning @below {{`flatten` has no effect on this loop}}
    // expected-note @below {{there is no loop in it}}
    scf.for %i = %c0 to %n step %c1 : i32 {
    } {tt.flatten}
    // expected-warning @below {{`flatten` has no effect on this loop}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.for %j = %c0 to %n step %c1 : i32 {
      }
      // expected-note @below {{this is a second loop in it, and only one can become one with it}}
      scf.for %j = %c0 to %n step %c1 : i32 {
      }
    } {tt.flatten}
    // expected-warning @below {{`flatten` has no effect on this loop}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{the number of iterations of this loop may be another in each iteration of the outer one}}
      scf.for %j = %c0 to %i step %c1 : i32 {
      }
    } {tt.flatten}
    // expected-warning @below {{`flatten` has no effect on this loop}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{one stage leaves nothing in flight from one iteration to the next}}
      scf.for %j = %c0 to %n step %c1 : i32 {
      } {tt.num_stages = 1 : i32}
    } {tt.flatten}
    // expected-warning @below {{`flatten` has no effect on this loop}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-note @below {{no load in it fills a buffer that products read}}
      scf.for %j = %c0 to %n step %c1 : i32 {
        tt.store %w, %h : !base
      }
    } {tt.flatten}
    // expected-warning @below {{`flatten` has no effect on this loop}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = tt.load %p : !pointers
      // expected-note @below {{each iteration of the outer loop has a buffer of its own here}}
      %b = ttg.local_alloc %x : (!tile) -> !buffer
      scf.for %j = %c0 to %n step %c1 : i32 {
        %a = ttg.local_load %b : !buffer -> !left
      }
    } {tt.flatten}
    tt.return
  }

  // A loop that stores through the argument that it loads from keeps its order, whatever it promises.
  // CHECK-LABEL: tt.func @sameArgument
  // CHECK-NOT: scf.for unsigned
  // CHECK: tt.return
  tt.func @sameArgument(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                        %y: !right, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : !sum
    // expected-warning @below {{`flatten` has no effect on this loop}}
    // expected-note @below {{this may write what a load of a later iteration reads}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
        %x = tt.load %p : !pointers
        %b = ttg.local_alloc %x : (!tile) -> !buffer
        %a = ttg.local_load %b : !buffer -> !left
        %d = tt.dot %a, %y, %acc : !left * !right -> !sum
        scf.yield %d : !sum
      }
      %h = arith.truncf %r : !sum to tensor<32x32xf16, #mma>
      %c = ttg.convert_layout %h : tensor<32x32xf16, #mma> -> !tile
      tt.store %p, %c : !pointers
    } {tt.flatten}
    tt.return
  }

  // Each outer iteration's addresses come from what the one before has computed by products.
  // CHECK-LABEL: tt.func @dependent
  // CHECK-NOT: scf.for unsigned
  // CHECK: tt.return
  tt.func @dependent(%p: !pointers {tt.divisibility = 16 : i32, tt.contiguity = dense<[1, 32]> : tensor<2xi32>},
                     %y: !right, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %zero = arith.constant dense<0.0> : !sum
    // expected-warning @below {{`flatten` has no effect on this loop}}
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%from = %c0) -> (i32) : i32 {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sum) : i32 {
        %m = arith.muli %from, %c32 : i32
        %s = tt.splat %m : i32 -> !offsets
        %q = tt.addptr %p, %s : !pointers, !offsets
        // expected-note @below {{the addresses of this load depend on what must not run ahead}}
        %x = tt.load %q : !pointers
        %b = ttg.local_alloc %x : (!tile) -> !buffer
        %a = ttg.local_load %b : !buffer -> !left
        %d = tt.dot %a, %y, %acc : !left * !right -> !sum
        scf.yield %d : !sum
      }
      %v = "tt.reduce"(%r) <{axis = 1 : i32}> ({
      ^bb0(%x: f32, %z: f32):
        %f = arith.addf %x, %z : f32
        tt.reduce.return %f : f32
      }) : (!sum) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #mma}>>
      %e = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%x: f32, %z: f32):
        %f = arith.addf %x, %z : f32
        tt.reduce.return %f : f32
      }) : (tensor<32xf32, #ttg.slice<{dim = 1, parent = #mma}>>) -> f32
      %next = arith.fptosi %e : f32 to i32
      scf.yield %next : i32
    } {tt.flatten}
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:75"} {
  tt.func @old(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-warning @below {{`flatten` has no effect on this loop}}
    // expected-note @below {{the target has no asynchronous copies}}
    scf.for %i = %c0 to %n step %c1 : i32 {
    } {tt.flatten}
    tt.return
  }
}
