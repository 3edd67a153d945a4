// RUN: triton-opt --allow-unregistered-dialect --tritongpu-widen-float8 %s | FileCheck %s

// CHECK-LABEL: tt.func @product
tt.func @product(%x: tensor<64xf8E5M2>, %y: tensor<64xf8E5M2>) -> tensor<64xf8E5M2> {
  // CHECK-DAG: %[[X:.*]] = tt.fp_to_fp %arg0 : tensor<64xf8E5M2> -> tensor<64xf32>
  // CHECK-DAG: %[[Y:.*]] = tt.fp_to_fp %arg1 : tensor<64xf8E5M2> -> tensor<64xf32>
  // CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : tensor<64xf32>
  // CHECK: %[[R:.*]] = tt.fp_to_fp %[[P]], rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
  // CHECK: tt.return %[[R]]
  %p = arith.mulf %x, %y : tensor<64xf8E5M2>
  tt.return %p : tensor<64xf8E5M2>
}

// A sum is rounded once.
// CHECK-LABEL: tt.func @sum
tt.func @sum(%x: tensor<64xf8E4M3FN>) -> f8E4M3FN {
  // CHECK: "tt.reduce"
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tt.reduce.return %[[S]] : f32
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f8E4M3FN
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
    %c = arith.addf %a, %b : f8E4M3FN
    tt.reduce.return %c : f8E4M3FN
  }) : (tensor<64xf8E4M3FN>) -> f8E4M3FN
  tt.return %s : f8E4M3FN
}

// Moves, selections and conversions stay, and so do wider types.
// CHECK-LABEL: tt.func @others
tt.func @others(%c: tensor<64xi1>, %x: tensor<64xf8E5M2>, %y: tensor<64xf16>) -> (tensor<64xf8E5M2>, tensor<64xf16>) {
  // CHECK-NOT: f32
  // CHECK: tt.return
  %s = arith.select %c, %x, %x : tensor<64xi1>, tensor<64xf8E5M2>
  %h = arith.addf %y, %y : tensor<64xf16>
  tt.return %s, %h : tensor<64xf8E5M2>, tensor<64xf16>
}

// Operations of dialects that nobody knows stay as they are.
// CHECK-LABEL: tt.func @unknown
// CHECK: "other.product"(%{{.*}}) : (tensor<64xf8E5M2>) -> tensor<64xf8E5M2>
tt.func @unknown(%x: tensor<64xf8E5M2>) -> tensor<64xf8E5M2> {
  %y = "other.product"(%x) : (tensor<64xf8E5M2>) -> tensor<64xf8E5M2>
  tt.return %y : tensor<64xf8E5M2>
}
