// RUN: triton-opt --triton-loop-unroll --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: tt.func @by_two
tt.func @by_two(%p: !tt.ptr<f32>, %n: i32) {
  // The bounds of the unrolled loop are multiples of two steps, the rest runs after it.
  // CHECK: scf.for
  // CHECK-COUNT-2: tt.store
  // CHECK: scf.for
  // CHECK-COUNT-1: tt.store
  // CHECK-NOT: tt.store
  // CHECK-NOT: tt.loop_unroll_factor
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// A known number of iterations leaves no rest; a loop that runs once is no loop.
// CHECK-LABEL: tt.func @completely
tt.func @completely(%p: !tt.ptr<f32>) {
  // CHECK-NOT: scf.for
  // CHECK-COUNT-4: tt.store
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %x = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// Carried values pass from copy to copy; a factor below two asks for nothing.
// CHECK-LABEL: tt.func @carried
tt.func @carried(%n: i32, %x: f32) -> (f32, f32) {
  // CHECK: scf.for
  // CHECK: %[[FIRST:.*]] = arith.addf
  // CHECK: arith.addf %[[FIRST]]
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: scf.yield
  // CHECK-NOT: tt.loop_unroll_factor
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (f32) : i32 {
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  } {tt.loop_unroll_factor = 2 : i32}
  %product = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (f32) : i32 {
    %t = arith.mulf %s, %x : f32
    scf.yield %t : f32
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return %sum, %product : f32, f32
}

// A factor that would make a huge function is not followed.
// CHECK-LABEL: tt.func @too_large
tt.func @too_large(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK: scf.for
  // CHECK-COUNT-1: tt.store
  // CHECK-NOT: tt.store
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  // expected-warning@+1 {{is not unrolled by 1000000: that would make more than 8192 operations}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 1000000 : i32}
  tt.return
}

// A step below one makes no loop, so that there is nothing to unroll.
// CHECK-LABEL: tt.func @backwards
tt.func @backwards(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK-COUNT-2: scf.for
  // CHECK-NOT: tt.loop_unroll_factor
  %c0 = arith.constant 0 : i32
  %cm1 = arith.constant -1 : i32
  %c10 = arith.constant 10 : i32
  %x = arith.constant 1.0 : f32
  // expected-warning @+1 {{cannot be unrolled by 2}}
  scf.for %i = %c10 to %c0 step %cm1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 2 : i32}
  // expected-warning @+1 {{cannot be unrolled by 2}}
  scf.for %i = %c0 to %c10 step %c0 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}

// Where the range is empty or long, or four steps are longer than the type, all iterations are in the loop for the rest.
// CHECK-LABEL: tt.func @guarded
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[LOWER:.*]]: i32, %[[UPPER:.*]]: i32, %[[STEP:.*]]: i32)
tt.func @guarded(%p: !tt.ptr<f32>, %lower: i32, %upper: i32, %step: i32) {
  // CHECK-DAG: %[[LONGEST:.*]] = arith.constant 536870911 : i32
  // CHECK-DAG: arith.cmpi slt, %[[LOWER]], %[[UPPER]] : i32
  // CHECK-DAG: arith.cmpi sge, %{{.*}}, %{{.*}} : i32
  // CHECK-DAG: arith.cmpi ule, %[[STEP]], %[[LONGEST]] : i32
  // CHECK: %[[END:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LOWER]] : i32
  // CHECK: scf.for %{{.*}} = %[[LOWER]] to %[[END]]
  // CHECK: scf.for %{{.*}} = %[[END]] to %[[UPPER]] step %[[STEP]]
  %x = arith.constant 1.0 : f32
  scf.for %i = %lower to %upper step %step : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// Four such steps are longer than the type.
// CHECK-LABEL: tt.func @long_steps
// CHECK-COUNT-1: tt.store
// CHECK-NOT: tt.store
// CHECK: tt.return
tt.func @long_steps(%p: !tt.ptr<f32>, %lower: i32, %upper: i32) {
  %x = arith.constant 1.0 : f32
  %step = arith.constant 536870912 : i32
  // expected-warning@+1 {{cannot be unrolled by 4}}
  scf.for %i = %lower to %upper step %step : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    tt.store %q, %x : !tt.ptr<f32>
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return
}

// Factors of nested loops multiply: the outer loop would hold the copies of the inner ones.
// CHECK-LABEL: tt.func @nest
tt.func @nest(%p: !tt.ptr<f32>, %n: i32) {
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK-COUNT-101: tt.store
  // CHECK-NOT: tt.store
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant 1.0 : f32
  // expected-warning@+1 {{is not unrolled by 100: that would make more than 8192 operations}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %q = tt.addptr %p, %j : !tt.ptr<f32>, i32
      tt.store %q, %x : !tt.ptr<f32>
    } {tt.loop_unroll_factor = 100 : i32}
  } {tt.loop_unroll_factor = 100 : i32}
  tt.return
}
