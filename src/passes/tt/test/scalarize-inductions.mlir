// RUN: triton-opt --triton-scalarize-inductions --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: tt.func @pointers
// CHECK-SAME: (%[[INIT:.*]]: tensor<64x!tt.ptr<f32>>, %[[N:.*]]: i32, %[[STEP:.*]]: i32)
tt.func @pointers(%init: tensor<64x!tt.ptr<f32>>, %n: i32, %step: i32) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: scf.for {{.*}} iter_args(%[[OFFSET:.*]] = %[[ZERO]]) -> (i64)
  // CHECK: %[[OFFSETS:.*]] = tt.splat %[[OFFSET]] : i64 -> tensor<64xi64>
  // CHECK: %[[P:.*]] = tt.addptr %[[INIT]], %[[OFFSETS]] : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  // CHECK: tt.store %[[P]]
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[STEP]] : i32 to i64
  // CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]], %[[WIDE]] : i64
  // CHECK: scf.yield %[[NEXT]] : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %init) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    tt.store %p, %x : tensor<64x!tt.ptr<f32>>
    %steps = tt.splat %step : i32 -> tensor<64xi32>
    %next = tt.addptr %p, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// A chain of steps, one of them constant; integers wrap at their own width; the final value is used.
// CHECK-LABEL: tt.func @integers
// CHECK-SAME: (%[[INIT:.*]]: tensor<64xi8>, %[[N:.*]]: i32, %[[STEP:.*]]: i8)
tt.func @integers(%init: tensor<64xi8>, %n: i32, %step: i8) -> tensor<64xi8> {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i8
  // CHECK: %[[FINAL:.*]] = scf.for {{.*}} iter_args(%[[OFFSET:.*]] = %[[ZERO]]) -> (i8)
  // CHECK: %[[A:.*]] = arith.addi %[[OFFSET]], %[[THREE]] : i8
  // CHECK: %[[B:.*]] = arith.addi %[[A]], %[[STEP]] : i8
  // CHECK: scf.yield %[[B]] : i8
  // CHECK: %[[FINALS:.*]] = tt.splat %[[FINAL]] : i8 -> tensor<64xi8>
  // CHECK: %[[RESULT:.*]] = arith.addi %[[INIT]], %[[FINALS]]
  // CHECK: tt.return %[[RESULT]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %three = arith.constant dense<3> : tensor<64xi8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %init) -> (tensor<64xi8>) : i32 {
    %a = arith.addi %v, %three : tensor<64xi8>
    %steps = tt.splat %step : i8 -> tensor<64xi8>
    %b = arith.addi %steps, %a : tensor<64xi8>
    scf.yield %b : tensor<64xi8>
  }
  tt.return %r : tensor<64xi8>
}

// -----

// The step may change from iteration to iteration; values that are used in the middle of the chain stay right; other
// carried values are left alone, and so are the attributes of the loop.
// CHECK-LABEL: tt.func @mixed
// CHECK-SAME: (%[[INIT:.*]]: tensor<64x!tt.ptr<i64>>
tt.func @mixed(%init: tensor<64x!tt.ptr<i64>>, %n: i64, %x: tensor<64xi64>) -> (tensor<64xi64>, tensor<64x!tt.ptr<i64>>) {
  // CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[OFFSET:.*]] = %{{.*}}) -> (tensor<64xi64>, i64)
  // CHECK: %[[FIRST:.*]] = tt.addptr %[[INIT]], %{{.*}}
  // CHECK: %[[STEPS:.*]] = tt.splat %[[I]] : i64 -> tensor<64xi64>
  // CHECK: %[[SECOND:.*]] = tt.addptr %[[FIRST]], %[[STEPS]]
  // CHECK: tt.load %[[SECOND]]
  // CHECK: arith.addi %[[OFFSET]], %[[I]] : i64
  // CHECK: tt.num_stages = 3
  // CHECK: tt.addptr %[[INIT]], %{{.*}}
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x, %p = %init) -> (tensor<64xi64>, tensor<64x!tt.ptr<i64>>) : i64 {
    %steps = tt.splat %i : i64 -> tensor<64xi64>
    %next = tt.addptr %p, %steps : tensor<64x!tt.ptr<i64>>, tensor<64xi64>
    %y = tt.load %next : tensor<64x!tt.ptr<i64>>
    %s = arith.addi %sum, %y : tensor<64xi64>
    scf.yield %s, %next : tensor<64xi64>, tensor<64x!tt.ptr<i64>>
  } {tt.num_stages = 3 : i32}
  tt.return %r#0, %r#1 : tensor<64xi64>, tensor<64x!tt.ptr<i64>>
}

// -----

// Through two loops: both carry scalars.
// CHECK-LABEL: tt.func @nested
tt.func @nested(%init: tensor<64x!tt.ptr<f32>>, %n: i32) {
  // CHECK: scf.for {{.*}} -> (i64)
  // CHECK: scf.for {{.*}} -> (i64)
  // CHECK-NOT: iter_args{{.*}}tensor
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<64xi32>
  %x = arith.constant dense<1.0> : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %init) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<64x!tt.ptr<f32>>) : i32 {
      tt.store %q, %x : tensor<64x!tt.ptr<f32>>
      %next = tt.addptr %q, %four : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tt.ptr<f32>>
    }
    scf.yield %s : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}

// -----

// A step that differs between elements, one in a branch, a product: none of these is a scalar offset.
// CHECK-LABEL: tt.func @keep
tt.func @keep(%init: tensor<64xi32>, %n: i32, %lanes: tensor<64xi32>, %c: i1) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) {
  // CHECK: scf.for {{.*}} -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>)
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<64xi32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init, %b = %init, %d = %init) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) : i32 {
    %x = arith.addi %a, %lanes : tensor<64xi32>
    %y = scf.if %c -> (tensor<64xi32>) {
      %t = arith.addi %b, %two : tensor<64xi32>
      tt.print "moved" {hex = false, isSigned = array<i32>}
      scf.yield %t : tensor<64xi32>
    } else {
      scf.yield %b : tensor<64xi32>
    }
    %z = arith.muli %d, %two : tensor<64xi32>
    scf.yield %x, %y, %z : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
  }
  tt.return %r#0, %r#1, %r#2 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
}
