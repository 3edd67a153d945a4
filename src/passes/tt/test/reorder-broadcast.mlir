// RUN: triton-opt --triton-reorder-broadcast --split-input-file %s | FileCheck %s

// CHECK-LABEL: tt.func @splats
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
tt.func @splats(%x: f32, %y: f32) -> tensor<64xf32> {
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK: %[[RESULT:.*]] = tt.splat %[[SUM]]
  // CHECK: tt.return %[[RESULT]]
  %a = tt.splat %x : f32 -> tensor<64xf32>
  %b = tt.splat %y : f32 -> tensor<64xf32>
  %s = arith.addf %a, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// CHECK-LABEL: tt.func @splat_and_constant
tt.func @splat_and_constant(%n: i32) -> tensor<64xi1> {
  // CHECK: %[[LIMIT:.*]] = arith.constant 5 : i32
  // CHECK: %[[LESS:.*]] = arith.cmpi slt, %{{.*}}, %[[LIMIT]] : i32
  // CHECK: tt.splat %[[LESS]] : i1 -> tensor<64xi1>
  %a = tt.splat %n : i32 -> tensor<64xi32>
  %five = arith.constant dense<5> : tensor<64xi32>
  %c = arith.cmpi slt, %a, %five : tensor<64xi32>
  tt.return %c : tensor<64xi1>
}

// Properties of the operation stay: the flags of a fast operation, the rounding of a conversion.
// CHECK-LABEL: tt.func @properties
tt.func @properties(%x: f32) -> (tensor<64xf32>, tensor<64xf16>) {
  // CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<nnan> : f32
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtz : f32 -> f16
  %a = tt.splat %x : f32 -> tensor<64xf32>
  %s = arith.addf %a, %a fastmath<nnan> : tensor<64xf32>
  %h = tt.fp_to_fp %a, rounding = rtz : tensor<64xf32> -> tensor<64xf16>
  tt.return %s, %h : tensor<64xf32>, tensor<64xf16>
}

// -----

// CHECK-LABEL: tt.func @broadcast_and_splat
// CHECK-SAME: (%[[A:.*]]: tensor<64x1xi32>, %[[S:.*]]: i32)
tt.func @broadcast_and_splat(%a: tensor<64x1xi32>, %s: i32) -> tensor<64x32xi32> {
  // CHECK: %[[SMALL:.*]] = tt.splat %[[S]] : i32 -> tensor<64x1xi32>
  // CHECK: %[[PRODUCT:.*]] = arith.muli %[[A]], %[[SMALL]] : tensor<64x1xi32>
  // CHECK: tt.broadcast %[[PRODUCT]] : tensor<64x1xi32> -> tensor<64x32xi32>
  %b = tt.broadcast %a : tensor<64x1xi32> -> tensor<64x32xi32>
  %t = tt.splat %s : i32 -> tensor<64x32xi32>
  %p = arith.muli %b, %t : tensor<64x32xi32>
  tt.return %p : tensor<64x32xi32>
}

// CHECK-LABEL: tt.func @two_broadcasts
tt.func @two_broadcasts(%a: tensor<64x1xi32>, %b: tensor<64x1xi32>) -> tensor<64x32xi1> {
  // CHECK: %[[LESS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<64x1xi32>
  // CHECK: tt.broadcast %[[LESS]] : tensor<64x1xi1> -> tensor<64x32xi1>
  %c = tt.broadcast %a : tensor<64x1xi32> -> tensor<64x32xi32>
  %d = tt.broadcast %b : tensor<64x1xi32> -> tensor<64x32xi32>
  %e = arith.cmpi slt, %c, %d : tensor<64x32xi32>
  tt.return %e : tensor<64x32xi1>
}

// Broadcasts along different dimensions make a tensor that neither holds.
// CHECK-LABEL: tt.func @different_dimensions
tt.func @different_dimensions(%a: tensor<64x1xi32>, %b: tensor<1x32xi32>) -> tensor<64x32xi32> {
  // CHECK-COUNT-2: tt.broadcast
  // CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<64x32xi32>
  %c = tt.broadcast %a : tensor<64x1xi32> -> tensor<64x32xi32>
  %d = tt.broadcast %b : tensor<1x32xi32> -> tensor<64x32xi32>
  %e = arith.addi %c, %d : tensor<64x32xi32>
  tt.return %e : tensor<64x32xi32>
}

// CHECK-LABEL: tt.func @select_of_scalar_condition
tt.func @select_of_scalar_condition(%c: i1, %x: f32, %y: f32) -> tensor<64xf32> {
  // CHECK: %[[CHOSEN:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
  // CHECK: tt.splat %[[CHOSEN]]
  %a = tt.splat %x : f32 -> tensor<64xf32>
  %b = tt.splat %y : f32 -> tensor<64xf32>
  %s = arith.select %c, %a, %b : tensor<64xf32>
  tt.return %s : tensor<64xf32>
}

// Code with effects runs as often as it is written.
// CHECK-LABEL: tt.func @impure
tt.func @impure(%x: f32) -> tensor<64xf32> {
  // CHECK: tt.extern_elementwise %{{.*}} : (tensor<64xf32>) -> tensor<64xf32>
  %a = tt.splat %x : f32 -> tensor<64xf32>
  %b = tt.extern_elementwise %a {libname = "", libpath = "", pure = false, symbol = "f"} : (tensor<64xf32>) -> tensor<64xf32>
  tt.return %b : tensor<64xf32>
}
