// RUN: triton-opt --triton-rewrite-tensor-pointer --canonicalize --cse --split-input-file %s | FileCheck %s

// No check: addresses alone. The start of the block is added to the scalar base.
// CHECK-LABEL: tt.func @load_unchecked
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<f32>, %[[N:.*]]: i64, %[[STRIDE:.*]]: i64, %[[START:.*]]: i32)
tt.func @load_unchecked(%base: !tt.ptr<f32>, %n: i64, %stride: i64, %start: i32) -> tensor<64xf32> {
  // CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[START]] : i32 to i64
  // CHECK-DAG: %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // CHECK-DAG: %[[LANES:.*]] = arith.extsi %[[RANGE]] : tensor<64xi32> to tensor<64xi64>
  // CHECK-DAG: %[[MOVE:.*]] = arith.muli %[[WIDE]], %[[STRIDE]] : i64
  // CHECK-DAG: %[[MOVED:.*]] = tt.addptr %[[BASE]], %[[MOVE]] : !tt.ptr<f32>, i64
  // CHECK-DAG: %[[STRIDES:.*]] = tt.splat %[[STRIDE]] : i64 -> tensor<64xi64>
  // CHECK-DAG: %[[OFFSETS:.*]] = arith.muli %[[LANES]], %[[STRIDES]] : tensor<64xi64>
  // CHECK-DAG: %[[BASES:.*]] = tt.splat %[[MOVED]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // CHECK-DAG: %[[POINTERS:.*]] = tt.addptr %[[BASES]], %[[OFFSETS]] : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  // CHECK: tt.load %[[POINTERS]] evictionPolicy = evict_first : tensor<64x!tt.ptr<f32>>
  %p = tt.make_tensor_ptr %base, [%n], [%stride], [%start] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.load %p evictionPolicy = evict_first : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// -----

// A checked dimension is masked on both sides; the other is not.
// CHECK-LABEL: tt.func @load_checked
// CHECK-SAME: (%[[BASE:.*]]: !tt.ptr<f16>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[I:.*]]: i32)
tt.func @load_checked(%base: !tt.ptr<f16>, %m: i64, %n: i64, %i: i32) -> (tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x32xf16>) {
  // CHECK-DAG: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<64x32xf16>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x32xf16>
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<64xi64>
  // CHECK-DAG: %[[EXTENTS:.*]] = tt.splat %[[M]] : i64 -> tensor<64xi64>
  // CHECK-NOT: tt.splat %[[N]] : i64 -> tensor<32xi64>
  // CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[ROWS:.*]], %[[ZEROS]]
  // CHECK: %[[HIGH:.*]] = arith.cmpi slt, %[[ROWS]], %[[EXTENTS]]
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[LOW]], %[[HIGH]]
  // CHECK: %[[COLUMN:.*]] = tt.expand_dims %[[INSIDE]] {axis = 1 : i32}
  // CHECK: %[[MASK:.*]] = tt.broadcast %[[COLUMN]] : tensor<64x1xi1> -> tensor<64x32xi1>
  // CHECK: tt.load %[[P:.*]], %[[MASK]], %[[ZERO]] : tensor<64x32x!tt.ptr<f16>>
  // CHECK: tt.load %[[P]], %[[MASK]], %[[NAN]] : tensor<64x32x!tt.ptr<f16>>
  // CHECK: tt.load %[[P]], %[[MASK]] : tensor<64x32x!tt.ptr<f16>>
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %base, [%m, %n], [%n, %one], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %x = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  %y = tt.load %p {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  %z = tt.load %p {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
  tt.return %x, %y, %z : tensor<64x32xf16>, tensor<64x32xf16>, tensor<64x32xf16>
}

// -----

// Through a loop only the offset that changes is carried.
// CHECK-LABEL: tt.func @for
tt.func @for(%base: !tt.ptr<f32>, %m: i64, %n: i64, %c: i32) -> tensor<64x32xf32> {
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[OFFSET:.*]] = %{{.*}}) -> (tensor<64x32xf32>, i64)
  // CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]], %{{.*}} : i64
  // CHECK: scf.yield %{{.*}}, %[[NEXT]] : tensor<64x32xf32>, i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %init = tt.make_tensor_ptr %base, [%m, %n], [%n, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf32>>
  %r:2 = scf.for %i = %c0 to %c step %c1 iter_args(%sum = %zero, %p = %init) -> (tensor<64x32xf32>, !tt.ptr<tensor<64x32xf32>>) : i32 {
    %x = tt.load %p {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf32>>
    %s = arith.addf %sum, %x : tensor<64x32xf32>
    %next = tt.advance %p, [%c0, %c32] : <tensor<64x32xf32>>
    scf.yield %s, %next : tensor<64x32xf32>, !tt.ptr<tensor<64x32xf32>>
  }
  tt.return %r#0 : tensor<64x32xf32>
}

// -----

// CHECK-LABEL: tt.func @while
tt.func @while(%base: !tt.ptr<f32>, %n: i64, %limit: f32) -> tensor<64xf32> {
  // CHECK: scf.while
  // CHECK: scf.condition
  // CHECK-NOT: !tt.ptr<tensor
  // CHECK: tt.return
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %init = tt.make_tensor_ptr %base, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %r = scf.while (%p = %init) : (!tt.ptr<tensor<64xf32>>) -> !tt.ptr<tensor<64xf32>> {
    %x = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<64xf32>) -> f32
    %go = arith.cmpf olt, %s, %limit : f32
    scf.condition(%go) %p : !tt.ptr<tensor<64xf32>>
  } do {
  ^bb0(%p: !tt.ptr<tensor<64xf32>>):
    %next = tt.advance %p, [%c64] : <tensor<64xf32>>
    scf.yield %next : !tt.ptr<tensor<64xf32>>
  }
  %x = tt.load %r {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return %x : tensor<64xf32>
}

// -----

// Branches, selects, other blocks and calls.
// CHECK-LABEL: tt.func @control_flow
tt.func @control_flow(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %n: i64, %c: i1, %x: tensor<64xf32>) {
  // CHECK-NOT: !tt.ptr<tensor
  // CHECK: tt.call @callee(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!tt.ptr<f32>, i64, i64, i64, i32) -> (!tt.ptr<f32>, i64, i64, i64)
  // CHECK: tt.store
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %p = tt.make_tensor_ptr %a, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %q = tt.make_tensor_ptr %b, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %r = scf.if %c -> (!tt.ptr<tensor<64xf32>>) {
    tt.print "first" {hex = false, isSigned = array<i32>}
    scf.yield %p : !tt.ptr<tensor<64xf32>>
  } else {
    scf.yield %q : !tt.ptr<tensor<64xf32>>
  }
  %s = arith.select %c, %r, %q : !tt.ptr<tensor<64xf32>>
  cf.br ^next(%s : !tt.ptr<tensor<64xf32>>)
^next(%t: !tt.ptr<tensor<64xf32>>):
  %u = tt.call @callee(%t, %c0) : (!tt.ptr<tensor<64xf32>>, i32) -> !tt.ptr<tensor<64xf32>>
  tt.store %u, %x {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
  tt.return
}

// Attributes of other parameters stay with them.
// CHECK-LABEL: tt.func private @callee
// CHECK-SAME: (%{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i32 {tt.divisibility = 16 : i32}) -> (!tt.ptr<f32>, i64, i64, i64)
tt.func private @callee(%p: !tt.ptr<tensor<64xf32>>, %i: i32 {tt.divisibility = 16 : i32}) -> !tt.ptr<tensor<64xf32>> attributes {noinline = true} {
  %q = tt.advance %p, [%i] : <tensor<64xf32>>
  tt.return %q : !tt.ptr<tensor<64xf32>>
}
