// RUN: triton-opt --triton-describe-loads=target=cuda:90 --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

tt.func public @pointers(%p: tensor<64x32x!tt.ptr<f16>>, %q: tensor<64x32x!tt.ptr<f16>>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="its addresses are not known to be an argument, plus rows times a stride, plus columns", Remark="no producer warp loads the operand"}}
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // Not in a loop, and not an operand.
  %first = tt.load %p : tensor<64x32x!tt.ptr<f16>>
  %d = tt.dot %first, %b, %sum : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  scf.for %i = %c0 to %steps step %c1 : i32 {
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    tt.store %q, %a : tensor<64x32x!tt.ptr<f16>>
  }
  tt.return
}

tt.func public @stored(%p: tensor<64x32x!tt.ptr<f16>>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %other = arith.constant dense<1.0> : tensor<64x32xf16>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="this may store what it loads"}}
    %a = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    tt.store %p, %other : tensor<64x32x!tt.ptr<f16>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}
