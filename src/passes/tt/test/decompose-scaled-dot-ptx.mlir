// RUN: triton-opt --triton-decompose-scaled-dot=takes-ptx=true %s | FileCheck %s

// Four bytes become four words, each with the two elements of a byte: bytes of tables, and signs.
// CHECK-LABEL: tt.func @pairs
tt.func @pairs(%a: tensor<64x32xi8>, %b: tensor<64x32xbf16>, %h: tensor<64x32xf16>, %c: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  // CHECK: %[[WORDS:.*]] = tt.elementwise_inline_asm "{ {{.*}}prmt.b32 l, 0xc0800000, 0xc0804000, m;{{.*}}prmt.b32 h, 0x3f3f3f00, 0x40404040, m;{{.*}}}" {constraints = "=r,=r,=r,=r,r", packed_element = 4 : i32, pure = true} %{{.*}} : tensor<64x32xi8> -> tensor<64x32xi32>
  // CHECK: arith.shrui %[[WORDS]]
  // CHECK: %[[FIRST:.*]] = arith.trunci %[[WORDS]] : tensor<64x32xi32> to tensor<64x32xi16>
  // CHECK: tt.join %{{.*}} : tensor<64x32xbf16> -> tensor<64x32x2xbf16>
  %d = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = bf16 {fastMath = true} : tensor<64x32xi8> * tensor<64x32xbf16> -> tensor<64x32xf32>
  // CHECK: prmt.b32 l, 0x00000000, 0x00000000, m;{{.*}}prmt.b32 h, 0x3e3c3800, 0x46444240, m;
  %e = tt.dot_scaled %a, %h, %c lhs = e2m1 rhs = fp16 {fastMath = true} : tensor<64x32xi8> * tensor<64x32xf16> -> tensor<64x32xf32>
  tt.return %d, %e : tensor<64x32xf32>, tensor<64x32xf32>
}
