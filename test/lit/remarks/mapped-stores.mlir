// RUN: triton-opt --triton-select-mapped-stores=shared-bytes=32768 --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Why stores through tensor descriptors are not bulk copies.

tt.func public @noMovers(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // expected-remark @below {{Reason="only kernels whose loads are bulk copies (TMA) store by such"}}
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

tt.func public @ordered(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // expected-remark @below {{Reason="this orders accesses of memory, and copies end at some time of their own"}}
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  gpu.barrier
  tt.return
}

tt.func public @others(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16>, %z: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32},
                       %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>, %w: tensor<4x32xf16>, %i: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 128>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x128xf16>
  %b = tt.mapped_load {base = "arg:0", block = array<i32: 128, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<128x64xf16>
  %p = tt.dot %a, %b, %zero : tensor<64x128xf16> * tensor<128x64xf16> -> tensor<64x64xf32>
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %e = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %f = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f16>, <tensor<4x32xf16>>
  %g = tt.make_tensor_descriptor %z, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %h = arith.select %c, %d, %e : !tt.tensordesc<tensor<64x32xf16>>
  // expected-remark @below {{Reason="the kernel accesses the argument that holds its array in other ways as well"}}
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  // expected-remark @below {{Reason="its array is not known to begin at a multiple of 16 bytes"}}
  tt.descriptor_store %e[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  // expected-remark @below {{Reason="maps do not describe blocks of this shape and element type"}}
  tt.descriptor_store %f[%c0, %c0], %w : !tt.tensordesc<tensor<4x32xf16>>, tensor<4x32xf16>
  // expected-remark @below {{Reason="the block is not known to begin at a multiple of 16 bytes of its rows"}}
  tt.descriptor_store %e[%c0, %i], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  // expected-remark @below {{Reason="its descriptor is not the same at each execution"}}
  tt.descriptor_store %h[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  // expected-remark @below {{Reason="shared memory does not hold the block beside the operands of products"}}
  tt.descriptor_store %g[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

tt.func public @pieces(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %odd: i32, %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %d = tt.make_tensor_descriptor %x, [%m, %odd], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // expected-remark @below {{Reason="copies write whole pieces of 16 bytes, and rows are not known to end with one"}}
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}
