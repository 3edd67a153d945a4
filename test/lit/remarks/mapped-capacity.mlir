// RUN: triton-opt --triton-select-mapped-loads=shared-bytes=25600 --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Each block takes 4 KiB, and 17 KiB are left for other things. Two loops one after the other use the same memory.
tt.func public @exclusive(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %first = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a0 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d0 = tt.dot %a0, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %a1 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d1 = tt.dot %a1, %b, %d0 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d1 : tensor<64x64xf32>
  }
  %second = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    %a0 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d0 = tt.dot %a0, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %a1 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d1 = tt.dot %a1, %b, %d0 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d1 : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @tooMany(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="shared memory does not hold one block of each such load"}}
    %a0 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d0 = tt.dot %a0, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    // expected-remark @below {{Reason="shared memory does not hold one block of each such load"}}
    %a1 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d1 = tt.dot %a1, %b, %d0 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    // expected-remark @below {{Reason="shared memory does not hold one block of each such load"}}
    %a2 = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d2 = tt.dot %a2, %b, %d1 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d2 : tensor<64x64xf32>
  }
  tt.return
}
