// RUN: triton-opt --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: tt.func @splat_of_constant
tt.func @splat_of_constant() -> (tensor<64xf32>, tensor<1x64xi32>) {
  // CHECK-DAG: %[[F:.*]] = arith.constant dense<2.000000e+00> : tensor<64xf32>
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<3> : tensor<1x64xi32>
  // CHECK: tt.return %[[F]], %[[I]]
  %f = arith.constant 2.0 : f32
  %i = arith.constant 3 : i32
  %a = tt.splat %f : f32 -> tensor<64xf32>
  %b = tt.splat %i : i32 -> tensor<64xi32>
  %c = tt.expand_dims %b {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  tt.return %a, %c : tensor<64xf32>, tensor<1x64xi32>
}

// CHECK-LABEL: tt.func @rearranged_splat
// CHECK-SAME: (%[[X:.*]]: f32)
tt.func @rearranged_splat(%x: f32) -> (tensor<64x32xf32>, tensor<2048xf32>, tensor<64x64xf32>) {
  // CHECK-DAG: %[[A:.*]] = tt.splat %[[X]] : f32 -> tensor<64x32xf32>
  // CHECK-DAG: %[[B:.*]] = tt.splat %[[X]] : f32 -> tensor<2048xf32>
  // CHECK-DAG: %[[C:.*]] = tt.splat %[[X]] : f32 -> tensor<64x64xf32>
  // CHECK: tt.return %[[A]], %[[B]], %[[C]]
  %s = tt.splat %x : f32 -> tensor<32xf32>
  %e = tt.expand_dims %s {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
  %b = tt.broadcast %e : tensor<1x32xf32> -> tensor<64x32xf32>
  %r = tt.reshape %b : tensor<64x32xf32> -> tensor<2048xf32>
  %q = tt.splat %x : f32 -> tensor<64x64xf32>
  %t = tt.trans %q {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return %b, %r, %t : tensor<64x32xf32>, tensor<2048xf32>, tensor<64x64xf32>
}

// CHECK-LABEL: tt.func @same_shape
// CHECK-SAME: (%[[X:.*]]: tensor<64x32xf32>)
tt.func @same_shape(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
  // CHECK-NEXT: tt.return %[[X]], %[[X]], %[[X]], %[[X]]
  %a = tt.broadcast %x : tensor<64x32xf32> -> tensor<64x32xf32>
  %b = tt.reshape %x : tensor<64x32xf32> -> tensor<64x32xf32>
  %c = tt.trans %x {order = array<i32: 0, 1>} : tensor<64x32xf32> -> tensor<64x32xf32>
  %d = tt.bitcast %x : tensor<64x32xf32> -> tensor<64x32xf32>
  tt.return %a, %b, %c, %d : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}

// CHECK-LABEL: tt.func @compose
// CHECK-SAME: (%[[X:.*]]: tensor<8x4x2xf32>, %[[R:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<1x1x8xf32>)
tt.func @compose(%x: tensor<8x4x2xf32>, %r: tensor<64xf32>, %b: tensor<1x1x8xf32>) -> (tensor<2x8x4xf32>, tensor<16x4xf32>, tensor<4x2x8xf32>) {
  // CHECK-DAG: %[[T:.*]] = tt.trans %[[X]] {order = array<i32: 2, 0, 1>} : tensor<8x4x2xf32> -> tensor<2x8x4xf32>
  // CHECK-DAG: %[[S:.*]] = tt.reshape %[[R]] allow_reorder : tensor<64xf32> -> tensor<16x4xf32>
  // CHECK-DAG: %[[U:.*]] = tt.broadcast %[[B]] : tensor<1x1x8xf32> -> tensor<4x2x8xf32>
  // CHECK: tt.return %[[T]], %[[S]], %[[U]]
  %t = tt.trans %x {order = array<i32: 1, 2, 0>} : tensor<8x4x2xf32> -> tensor<4x2x8xf32>
  %u = tt.trans %t {order = array<i32: 1, 2, 0>} : tensor<4x2x8xf32> -> tensor<2x8x4xf32>
  %s = tt.reshape %r allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
  %v = tt.reshape %s : tensor<8x8xf32> -> tensor<16x4xf32>
  %w = tt.broadcast %b : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
  %y = tt.broadcast %w : tensor<1x2x8xf32> -> tensor<4x2x8xf32>
  tt.return %u, %v, %y : tensor<2x8x4xf32>, tensor<16x4xf32>, tensor<4x2x8xf32>
}

// CHECK-LABEL: tt.func @trans_back
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>)
tt.func @trans_back(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: tt.return %[[X]]
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tt.return %u : tensor<8x4xf32>
}

// CHECK-LABEL: tt.func @reshape_of_constant
tt.func @reshape_of_constant() -> tensor<2x2xi32> {
  // CHECK: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %r = tt.reshape %c : tensor<4xi32> -> tensor<2x2xi32>
  tt.return %r : tensor<2x2xi32>
}

// CHECK-LABEL: tt.func @expand_of_broadcast
tt.func @expand_of_broadcast(%x: tensor<1x8xf32>) -> tensor<4x1x8xf32> {
  // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<1x8xf32> -> tensor<1x1x8xf32>
  // CHECK: tt.broadcast %{{.*}} : tensor<1x1x8xf32> -> tensor<4x1x8xf32>
  %b = tt.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %e = tt.expand_dims %b {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4x1x8xf32>
  tt.return %e : tensor<4x1x8xf32>
}

// CHECK-LABEL: tt.func @split_of_join
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
tt.func @split_of_join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: tt.return %[[X]], %[[Y]]
  %j = tt.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %a, %b = tt.split %j : tensor<8x2xf32> -> tensor<8xf32>
  tt.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: tt.func @addresses
// CHECK-SAME: (%[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i32, %[[A:.*]]: i64)
tt.func @addresses(%p: !tt.ptr<f32>, %i: i32, %a: i64) -> (!tt.ptr<f32>, tensor<64x!tt.ptr<f32>>, i64, !tt.ptr<f32>) {
  // CHECK: %[[M:.*]] = tt.addptr %[[P]], %[[I]] : !tt.ptr<f32>, i32
  // CHECK: %[[S:.*]] = tt.splat %[[M]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  // CHECK: tt.return %[[P]], %[[S]], %[[A]], %[[P]]
  %zero = arith.constant 0 : i32
  %q = tt.addptr %p, %zero : !tt.ptr<f32>, i32
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %is = tt.splat %i : i32 -> tensor<64xi32>
  %s = tt.addptr %ps, %is : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ap = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %b = tt.ptr_to_int %ap : !tt.ptr<f32> -> i64
  %pi = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %r = tt.int_to_ptr %pi : i64 -> !tt.ptr<f32>
  tt.return %q, %s, %b, %r : !tt.ptr<f32>, tensor<64x!tt.ptr<f32>>, i64, !tt.ptr<f32>
}

// -----

// CHECK-LABEL: tt.func @masks
// CHECK-SAME: (%[[P:.*]]: tensor<64x!tt.ptr<f32>>, %[[O:.*]]: tensor<64xf32>)
tt.func @masks(%p: tensor<64x!tt.ptr<f32>>, %o: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
  // CHECK-DAG: %[[X:.*]] = tt.load %[[P]] : tensor<64x!tt.ptr<f32>>
  // CHECK: %[[V:.*]] = tt.load %[[P]], %{{.*}}, %[[O]] {isVolatile = true}
  // CHECK: tt.store %[[P]], %[[O]] : tensor<64x!tt.ptr<f32>>
  // CHECK-NOT: tt.store
  // CHECK: tt.return %[[X]], %[[O]], %[[ZEROS]], %[[V]]
  %all = arith.constant dense<true> : tensor<64xi1>
  %none = arith.constant dense<false> : tensor<64xi1>
  %x = tt.load %p, %all, %o : tensor<64x!tt.ptr<f32>>
  %y = tt.load %p, %none, %o : tensor<64x!tt.ptr<f32>>
  %z = tt.load %p, %none : tensor<64x!tt.ptr<f32>>
  %v = tt.load %p, %none, %o {isVolatile = true} : tensor<64x!tt.ptr<f32>>
  tt.store %p, %o, %all : tensor<64x!tt.ptr<f32>>
  tt.store %p, %o, %none : tensor<64x!tt.ptr<f32>>
  tt.return %x, %y, %z, %v : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// What is unused goes, unless it has an effect.
// CHECK-LABEL: tt.func @unused
tt.func @unused(%p: !tt.ptr<f32>, %c: i1, %x: tensor<64xf32>) {
  // CHECK-NEXT: tt.load %{{.*}} {isVolatile = true}
  // CHECK-NEXT: tt.extern_elementwise
  // CHECK-NEXT: tt.print
  // CHECK-NEXT: tt.assert %{{.*}}, "checked"
  // CHECK-NEXT: "tt.reduce"
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: tt.assert
  // CHECK-NEXT: tt.reduce.return
  // CHECK-NEXT: }) :
  // CHECK-NEXT: tt.return
  %true = arith.constant true
  %a = tt.load %p : !tt.ptr<f32>
  %b = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %d = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<64xf32>) -> tensor<64xf32>
  %e = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<64xf32>) -> tensor<64xf32>
  tt.print "here" {hex = false, isSigned = array<i32>}
  tt.assert %c, "checked" : i1
  tt.assert %true, "always" : i1
  %f = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.assert %c, "inside" : i1
    tt.reduce.return %l : f32
  }) : (tensor<64xf32>) -> f32
  %g = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    tt.reduce.return %l : f32
  }) : (tensor<64xf32>) -> f32
  tt.return
}

// -----

// CHECK-LABEL: tt.func @constants
tt.func @constants(%i: i32) -> (f16, f32, i32, i32, tensor<1xi32>, f32) {
  // CHECK-DAG: %[[H:.*]] = arith.constant 1.500000e+00 : f16
  // CHECK-DAG: %[[F:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK-DAG: %[[HIGH:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<7> : tensor<1xi32>
  // CHECK-DAG: %[[X:.*]] = arith.constant 4.000000e+00 : f32
  // CHECK: tt.return %[[H]], %[[F]], %[[HIGH]], %[[ZERO]], %[[ONE]], %[[X]]
  %a = arith.constant 1.5 : f32
  %b = tt.fp_to_fp %a, rounding = rtne : f32 -> f16
  %c = arith.constant 0.5 : f8E5M2
  %d = tt.fp_to_fp %c : f8E5M2 -> f32
  %e = arith.constant 65536 : i32
  %f = tt.mulhiui %e, %e : i32
  %one = arith.constant 1 : i32
  %g = tt.mulhiui %i, %one : i32
  %h = tt.make_range {end = 8 : i32, start = 7 : i32} : tensor<1xi32>
  %t = arith.constant dense<4.0> : tensor<1x1xf32>
  %u = tt.unsplat %t : tensor<1x1xf32>
  tt.return %b, %d, %f, %g, %h, %u : f16, f32, i32, i32, tensor<1xi32>, f32
}

// An overflow or a NaN depends on the target's format.
// CHECK-LABEL: tt.func @keep_overflow
tt.func @keep_overflow() -> f8E4M3FN {
  // CHECK: tt.fp_to_fp
  %a = arith.constant 1.0e10 : f32
  %b = tt.fp_to_fp %a, rounding = rtne : f32 -> f8E4M3FN
  tt.return %b : f8E4M3FN
}
