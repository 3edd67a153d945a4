// RUN: triton-opt --triton-licm --split-input-file %s | FileCheck %s

// Arithmetic and loads move; the load reads nothing when the loop does not run.
// CHECK-LABEL: tt.func @load
// CHECK-SAME: (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[M:.*]]: tensor<64xi1>, %[[N:.*]]: i32)
tt.func @load(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %n: i32) -> tensor<64xf32> {
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
  // CHECK: %[[ALL:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<64xi1>
  // CHECK: %[[X:.*]] = tt.load %[[P]], %[[ALL]]
  // CHECK: %[[DOUBLED:.*]] = arith.addf %[[X]], %[[X]]
  // CHECK: %[[ALL2:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<64xi1>
  // CHECK: %[[MASK:.*]] = arith.andi %[[M]], %[[ALL2]]
  // CHECK: %[[Y:.*]] = tt.load %[[P]], %[[MASK]], %{{.*}}
  // CHECK: scf.for
  // CHECK-NOT: tt.load
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) : i32 {
    %x = tt.load %p : tensor<64x!tt.ptr<f32>>
    %d = arith.addf %x, %x : tensor<64xf32>
    %y = tt.load %p, %m, %zero : tensor<64x!tt.ptr<f32>>
    %e = arith.addf %d, %y : tensor<64xf32>
    %s = arith.addf %acc, %e : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  tt.return %r : tensor<64xf32>
}

// -----

// A loop that surely runs needs no mask.
// CHECK-LABEL: tt.func @known_to_run
tt.func @known_to_run(%p: !tt.ptr<f32>) -> f32 {
  // CHECK: tt.load %{{[^,]*}} : !tt.ptr<f32>
  // CHECK: scf.for
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  tt.return %r : f32
}

// -----

// What the loop writes may be what it loads; volatile loads and guarded ones stay as well.
// CHECK-LABEL: tt.func @keep
tt.func @keep(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32, %c: i1) {
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.store
  // CHECK: scf.for
  // CHECK: tt.load %{{.*}} {isVolatile = true}
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK-NEXT: tt.load
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.atomic_rmw
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %x = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %x = scf.if %c -> (f32) {
      %y = tt.load %p : !tt.ptr<f32>
      scf.yield %y : f32
    } else {
      scf.yield %acc : f32
    }
    scf.yield %x : f32
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %q, %x : (!tt.ptr<f32>, f32) -> f32
  }
  tt.return
}

// -----

// CHECK-LABEL: tt.func @disabled
tt.func @disabled(%p: !tt.ptr<f32>, %x: f32) -> f32 {
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: arith.mulf
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %x) -> (f32) : i32 {
    %y = tt.load %p : !tt.ptr<f32>
    %z = arith.mulf %x, %x : f32
    %s = arith.addf %acc, %y : f32
    %t = arith.addf %s, %z : f32
    scf.yield %t : f32
  } {llvm.loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
  tt.return %r : f32
}

// -----

// A load that leaves the inner loop leaves the outer one too.
// CHECK-LABEL: tt.func @nested
tt.func @nested(%p: !tt.ptr<f32>, %n: i32) -> f32 {
  // CHECK: tt.load
  // CHECK: scf.for
  // CHECK: scf.for
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %zero) -> (f32) : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %outer) -> (f32) : i32 {
      %x = tt.load %p : !tt.ptr<f32>
      %t = arith.addf %inner, %x : f32
      scf.yield %t : f32
    }
    scf.yield %s : f32
  }
  tt.return %r : f32
}

// -----

// How long a loop runs is not known: it stays where the loop around it may have no iteration.
// CHECK-LABEL: tt.func @loops_within
tt.func @loops_within(%n: i32, %m: i32) -> i32 {
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %c0) -> (i32) : i32 {
    %s = scf.for %j = %n to %m step %c1 iter_args(%inner = %c0) -> (i32) : i32 {
      %t = arith.xori %inner, %j : i32
      scf.yield %t : i32
    }
    %u = arith.addi %outer, %s : i32
    scf.yield %u : i32
  }
  tt.return %r : i32
}

// -----

// CHECK-LABEL: tt.func @loops_within_iterations
tt.func @loops_within_iterations(%n: i32, %m: i32) -> i32 {
  // CHECK: %[[S:.*]] = scf.for
  // CHECK: scf.for
  // CHECK-NEXT: arith.addi %{{.*}}, %[[S]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%outer = %c0) -> (i32) : i32 {
    %s = scf.for %j = %n to %m step %c1 iter_args(%inner = %c0) -> (i32) : i32 {
      %t = arith.xori %inner, %j : i32
      scf.yield %t : i32
    }
    %u = arith.addi %outer, %s : i32
    scf.yield %u : i32
  }
  tt.return %r : i32
}
