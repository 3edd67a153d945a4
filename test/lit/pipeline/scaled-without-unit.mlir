// RUN: triton-opt --triton-ttgir=target=cuda:90 --split-input-file --verify-diagnostics %s
// RUN: triton-opt --triton-ttgir=target=hip:gfx942 --split-input-file --verify-diagnostics %s

// Stage ttir leaves no scaled product for a target without units for it.
tt.func @scaled(%a: tensor<64x32xi8>, %b: tensor<32x32xi8>, %s: tensor<32x2xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{the target has no matrix unit for this scaled product; stage ttir takes such products apart}}
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = e2m1 rhs = e2m1 {fastMath = true} : tensor<64x32xi8> * tensor<32x32xi8>, tensor<32x2xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}

// -----

tt.func @mixed(%a: tensor<64x128xbf16>, %b: tensor<64x32xi8>, %s: tensor<32x4xi8>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error@+1 {{the target has no matrix unit for this scaled product}}
  %d = tt.dot_scaled %a, %b scale %s, %c lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<64x128xbf16> * tensor<64x32xi8>, tensor<32x4xi8> -> tensor<64x32xf32>
  tt.return %d : tensor<64x32xf32>
}
