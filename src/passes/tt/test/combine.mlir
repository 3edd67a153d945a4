// RUN: triton-opt --triton-combine --split-input-file %s | FileCheck %s

// Offsets that are the same everywhere are added to the scalar base.
// CHECK-LABEL: tt.func @uniform_offset
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[LANES:.*]]: tensor<64xi32>, %[[STEP:.*]]: i64)
tt.func @uniform_offset(%p: !tt.ptr<f32>, %lanes: tensor<64xi32>, %step: i64) -> tensor<64x!tt.ptr<f32>> {
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %base, %lanes : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %steps = tt.splat %step : i64 -> tensor<64xi64>
  %b = tt.addptr %a, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  // CHECK: %[[MOVED:.*]] = tt.addptr %[[P]], %[[STEP]] : !tt.ptr<f32>, i64
  // CHECK: %[[BASE:.*]] = tt.splat %[[MOVED]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // CHECK: %[[RESULT:.*]] = tt.addptr %[[BASE]], %[[LANES]]
  // CHECK: tt.return %[[RESULT]]
  tt.return %b : tensor<64x!tt.ptr<f32>>
}

// -----

// Two offsets of 64 bits wrap as the address does, so they merge; those of 32 bits could overflow together.
// CHECK-LABEL: tt.func @merge_offsets
tt.func @merge_offsets(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi64>, %j: tensor<64xi64>) -> tensor<64x!tt.ptr<f32>> {
  // CHECK: %[[SUM:.*]] = arith.addi
  // CHECK: tt.addptr %{{.*}}, %[[SUM]] : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  // CHECK-NOT: tt.addptr
  %a = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %b = tt.addptr %a, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  tt.return %b : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: tt.func @keep_narrow_offsets
tt.func @keep_narrow_offsets(%p: tensor<64x!tt.ptr<f32>>, %i: tensor<64xi32>, %j: tensor<64xi32>) -> tensor<64x!tt.ptr<f32>> {
  // CHECK-COUNT-2: tt.addptr
  // CHECK-NOT: arith.addi
  %a = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %b = tt.addptr %a, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return %b : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: tt.func @merge_constants
tt.func @merge_constants(%p: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %large = arith.constant 2147483647 : i32
  // CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : i32
  // CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i32
  // CHECK-DAG: %[[LARGE:.*]] = arith.constant 2147483647 : i32
  // CHECK: tt.addptr %{{.*}}, %[[THREE]]
  // CHECK: tt.addptr %{{.*}}, %[[SEVEN]]
  // CHECK: tt.addptr %{{.*}}, %[[LARGE]]
  %a = tt.addptr %p, %three : !tt.ptr<f32>, i32
  %b = tt.addptr %a, %four : !tt.ptr<f32>, i32
  // The sum does not fit in 32 bits.
  %c = tt.addptr %a, %large : !tt.ptr<f32>, i32
  tt.return %b, %c : !tt.ptr<f32>, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: tt.func @add_to_dot
// CHECK-SAME: (%[[A:.*]]: tensor<64x32xf32>, %[[B:.*]]: tensor<32x64xf32>, %[[C:.*]]: tensor<64x64xf32>)
tt.func @add_to_dot(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]], inputPrecision = tf32
  // CHECK: tt.return %[[D]]
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %e = arith.addf %c, %d : tensor<64x64xf32>
  tt.return %e : tensor<64x64xf32>
}

// CHECK-LABEL: tt.func @add_to_integer_dot
tt.func @add_to_integer_dot(%a: tensor<64x32xi8>, %b: tensor<32x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  // CHECK: %[[D:.*]] = tt.dot %{{.*}}, %{{.*}}, %arg2
  // CHECK: tt.return %[[D]]
  %zero = arith.constant dense<0> : tensor<64x64xi32>
  %d = tt.dot %a, %b, %zero : tensor<64x32xi8> * tensor<32x64xi8> -> tensor<64x64xi32>
  %e = arith.addi %d, %c : tensor<64x64xi32>
  tt.return %e : tensor<64x64xi32>
}

// A product that is used twice, that has an accumulator, or whose imprecise sums are bounded stays as it is.
// CHECK-LABEL: tt.func @keep_dots
tt.func @keep_dots(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  // CHECK-COUNT-3: arith.addf
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %e = arith.addf %d, %c : tensor<64x64xf32>
  %f = tt.dot %a, %b, %e : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %g = arith.addf %f, %c : tensor<64x64xf32>
  %h = tt.dot %a, %b, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
  %i = arith.addf %h, %c : tensor<64x64xf32>
  tt.return %d, %e, %g, %i : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// CHECK-LABEL: tt.func @sum_of_product
// CHECK-SAME: (%[[A:.*]]: tensor<64x32xf32>, %[[B:.*]]: tensor<32x16xf32>)
tt.func @sum_of_product(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<64x16xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
  // CHECK: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[ZERO]] : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
  // CHECK: tt.return %[[D]]
  %a3 = tt.expand_dims %a {axis = 2 : i32} : tensor<64x32xf32> -> tensor<64x32x1xf32>
  %b3 = tt.expand_dims %b {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %al = tt.broadcast %a3 : tensor<64x32x1xf32> -> tensor<64x32x16xf32>
  %bl = tt.broadcast %b3 : tensor<1x32x16xf32> -> tensor<64x32x16xf32>
  %p = arith.mulf %al, %bl : tensor<64x32x16xf32>
  %s = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tt.reduce.return %t : f32
  }) : (tensor<64x32x16xf32>) -> tensor<64x16xf32>
  tt.return %s : tensor<64x16xf32>
}

// CHECK-LABEL: tt.func @keep_maximum_of_product
tt.func @keep_maximum_of_product(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>) -> tensor<64x16xf32> {
  // CHECK-NOT: tt.dot
  // CHECK: tt.reduce
  %a3 = tt.expand_dims %a {axis = 2 : i32} : tensor<64x32xf32> -> tensor<64x32x1xf32>
  %b3 = tt.expand_dims %b {axis = 0 : i32} : tensor<32x16xf32> -> tensor<1x32x16xf32>
  %al = tt.broadcast %a3 : tensor<64x32x1xf32> -> tensor<64x32x16xf32>
  %bl = tt.broadcast %b3 : tensor<1x32x16xf32> -> tensor<64x32x16xf32>
  %p = arith.mulf %al, %bl : tensor<64x32x16xf32>
  %s = "tt.reduce"(%p) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %t = arith.maxnumf %l, %r : f32
    tt.reduce.return %t : f32
  }) : (tensor<64x32x16xf32>) -> tensor<64x16xf32>
  tt.return %s : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: tt.func @select_of_load
// CHECK-SAME: (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[OTHER:.*]]: tensor<64xf32>, %[[C:.*]]: i1)
tt.func @select_of_load(%p: tensor<64x!tt.ptr<f32>>, %other: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  // CHECK: %[[MASK:.*]] = tt.splat %[[C]]
  // CHECK: %[[X:.*]] = tt.load %[[P]], %[[MASK]], %[[OTHER]]
  // CHECK: tt.return %[[X]]
  %mask = tt.splat %c : i1 -> tensor<64xi1>
  %x = tt.load %p, %mask : tensor<64x!tt.ptr<f32>>
  %y = arith.select %c, %x, %other : tensor<64xf32>
  tt.return %y : tensor<64xf32>
}

// A store between the two may change what is loaded.
// CHECK-LABEL: tt.func @keep_select_after_store
tt.func @keep_select_after_store(%p: tensor<64x!tt.ptr<f32>>, %other: tensor<64xf32>, %c: i1) -> tensor<64xf32> {
  // CHECK: tt.load
  // CHECK: tt.store
  // CHECK: arith.select
  %mask = tt.splat %c : i1 -> tensor<64xi1>
  %x = tt.load %p, %mask : tensor<64x!tt.ptr<f32>>
  tt.store %p, %other : tensor<64x!tt.ptr<f32>>
  %y = arith.select %c, %x, %other : tensor<64xf32>
  tt.return %y : tensor<64xf32>
}
