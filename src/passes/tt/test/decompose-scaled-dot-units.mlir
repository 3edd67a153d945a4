// RUN: triton-opt --triton-decompose-scaled-dot=scaling-depths=128,64 --split-input-file %s | FileCheck %s
// RUN: triton-opt --triton-decompose-scaled-dot=scaling-depths=128,0 --split-input-file %s | FileCheck %s --check-prefix=DEEP
// RUN: triton-opt --triton-decompose-scaled-dot=scaling-depths=0,64 --split-input-file %s | FileCheck %s --check-prefix=WIDE

// Units multiply 8- and 4-bit floats whose scales are powers of two, one for 32 of them.
// CHECK-LABEL: tt.func @units
tt.func @units(%a: tensor<64x128xf8E4M3FN>, %s: tensor<64x4xi8>, %b: tensor<64x32xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // CHECK-NEXT: tt.dot_scaled
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN>, tensor<64x4xi8> * tensor<64x32xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// CHECK-LABEL: tt.func @groups
tt.func @groups(%a: tensor<64x128xf8E4M3FN>, %s: tensor<64x8xi8>, %b: tensor<64x32xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // CHECK-NOT: tt.dot_scaled
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN>, tensor<64x8xi8> * tensor<64x32xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// CHECK-LABEL: tt.func @formats
tt.func @formats(%a: tensor<64x128xbf16>, %b: tensor<64x32xi8>, %s: tensor<32x4xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // CHECK-NOT: tt.dot_scaled
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<64x128xbf16> * tensor<64x32xi8>, tensor<32x4xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

// The smallest tile of an instruction is 16 x 16 x 128 or 32 x 32 x 64.
// CHECK-LABEL: tt.func @small
tt.func @small(%a: tensor<16x64xf8E5M2>, %s: tensor<16x2xi8>, %b: tensor<64x32xf8E5M2>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // CHECK-NOT: tt.dot_scaled
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E5M2>, tensor<16x2xi8> * tensor<64x32xf8E5M2> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}

// -----

// CHECK-LABEL: tt.func @wide
// DEEP-LABEL: tt.func @wide
tt.func @wide(%a: tensor<32x64xf8E5M2>, %s: tensor<32x2xi8>, %b: tensor<64x32xf8E5M2>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // CHECK-NEXT: tt.dot_scaled
  // DEEP-NOT: tt.dot_scaled
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<32x64xf8E5M2>, tensor<32x2xi8> * tensor<64x32xf8E5M2> -> tensor<32x32xf32>
  tt.return %d : tensor<32x32xf32>
}

// -----

// CHECK-LABEL: tt.func @deep
// DEEP-LABEL: tt.func @deep
// WIDE-LABEL: tt.func @deep
tt.func @deep(%a: tensor<16x128xf8E5M2>, %s: tensor<16x4xi8>, %b: tensor<128x32xf8E5M2>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // CHECK-NEXT: tt.dot_scaled
  // DEEP-NEXT: tt.dot_scaled
  // WIDE-NOT: tt.dot_scaled
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<16x128xf8E5M2>, tensor<16x4xi8> * tensor<128x32xf8E5M2> -> tensor<16x32xf32>
  tt.return %d : tensor<16x32xf32>
}
