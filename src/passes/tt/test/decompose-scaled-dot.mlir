// RUN: triton-opt --triton-decompose-scaled-dot --split-input-file --verify-diagnostics %s | FileCheck %s

// Exponents become numbers of bf16 by their bits; each is repeated for its group.
// CHECK-LABEL: tt.func @bytes
// CHECK-SAME: (%[[A:.*]]: tensor<64x64xf8E4M3FN>, %[[S:.*]]: tensor<64x2xi8>, %[[B:.*]]: tensor<64x32xf8E5M2>, %[[C:.*]]: tensor<64x32xf32>)
tt.func @bytes(%a: tensor<64x64xf8E4M3FN>, %s: tensor<64x2xi8>, %b: tensor<64x32xf8E5M2>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // CHECK: %[[A16:.*]] = tt.fp_to_fp %[[A]] : tensor<64x64xf8E4M3FN> -> tensor<64x64xbf16>
  // CHECK: %[[E:.*]] = arith.extui %[[S]] : tensor<64x2xi8> to tensor<64x2xi16>
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[E]]
  // CHECK: arith.maxui %[[SHIFTED]]
  // CHECK: %[[NAN:.*]] = arith.cmpi eq, %[[E]]
  // CHECK: arith.select %[[NAN]]
  // CHECK: tt.bitcast %{{.*}} : tensor<64x2xi16> -> tensor<64x2xbf16>
  // CHECK: tt.expand_dims %{{.*}} {axis = 2 : i32} : tensor<64x2xbf16> -> tensor<64x2x1xbf16>
  // CHECK: tt.broadcast %{{.*}} : tensor<64x2x1xbf16> -> tensor<64x2x32xbf16>
  // CHECK: %[[SCALES:.*]] = tt.reshape %{{.*}} : tensor<64x2x32xbf16> -> tensor<64x64xbf16>
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[A16]], %[[SCALES]] : tensor<64x64xbf16>
  // CHECK: %[[B16:.*]] = tt.fp_to_fp %[[B]] : tensor<64x32xf8E5M2> -> tensor<64x32xbf16>
  // CHECK: tt.dot %[[SCALED]], %[[B16]], %[[C]] : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<64x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x32xf8E5M2> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// Pairs stand behind the dimension that they are packed along. Scales of the right side are transposed.
// CHECK-LABEL: tt.func @pairs
tt.func @pairs(%a: tensor<64x32xi8>, %b: tensor<32x32xi8>, %s: tensor<32x2xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // CHECK: tt.join %{{.*}} : tensor<64x32xbf16> -> tensor<64x32x2xbf16>
  // CHECK-NEXT: tt.reshape %{{.*}} : tensor<64x32x2xbf16> -> tensor<64x64xbf16>
  // CHECK: tt.join %{{.*}} : tensor<32x32xbf16> -> tensor<32x32x2xbf16>
  // CHECK-NEXT: tt.trans %{{.*}} {order = array<i32: 0, 2, 1>} : tensor<32x32x2xbf16> -> tensor<32x2x32xbf16>
  // CHECK-NEXT: tt.reshape %{{.*}} : tensor<32x2x32xbf16> -> tensor<64x32xbf16>
  // CHECK-NOT: arith.cmpi eq
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<32x64xbf16> -> tensor<64x32xbf16>
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = e2m1 rhs = e2m1 {fastMath = true} : tensor<64x32xi8> * tensor<32x32xi8>, tensor<32x2xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// CHECK-LABEL: tt.func @pairs_along_the_rows
tt.func @pairs_along_the_rows(%a: tensor<32x64xi8>, %b: tensor<64x16xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // CHECK: tt.trans %{{.*}} {order = array<i32: 0, 2, 1>} : tensor<32x64x2xbf16> -> tensor<32x2x64xbf16>
  // CHECK-NEXT: tt.reshape %{{.*}} : tensor<32x2x64xbf16> -> tensor<64x64xbf16>
  // CHECK: tt.reshape %{{.*}} : tensor<64x16x2xbf16> -> tensor<64x32xbf16>
  %d = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = true, lhs_k_pack = false, rhs_k_pack = false} : tensor<32x64xi8> * tensor<64x16xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// fp16 alone stays; with scales it needs more exponents, which tf32 has.
// CHECK-LABEL: tt.func @halves
tt.func @halves(%a: tensor<64x64xf16>, %b: tensor<64x32xf8E5M2>, %s: tensor<32x2xi8>, %c: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  // CHECK: tt.dot %{{.*}} : tensor<64x64xf16> * tensor<64x32xf16> -> tensor<64x32xf32>
  %d = tt.dot_scaled %a, %b, %c lhs = fp16 rhs = e5m2 {fastMath = false} : tensor<64x64xf16> * tensor<64x32xf8E5M2> -> tensor<64x32xf32>
  // CHECK: arith.extf %{{.*}} : tensor<64x64xf16> to tensor<64x64xf32>
  // CHECK: tt.dot %{{.*}}, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x32xf32> -> tensor<64x32xf32>
  %e = tt.dot_scaled %a, %b scale %s, %c lhs = fp16 rhs = e5m2 {fastMath = false} : tensor<64x64xf16> * tensor<64x32xf8E5M2>, tensor<32x2xi8> -> tensor<64x32xf32>
  tt.return %d, %e : tensor<64x32xf32>, tensor<64x32xf32>
}

// -----

tt.func @six_bits(%a: tensor<64x64xi8>, %b: tensor<64x32xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @below {{elements of the format e2m3; use e2m1, e4m3, e5m2, bf16 or fp16}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = e4m3 {fastMath = false} : tensor<64x64xi8> * tensor<64x32xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}
