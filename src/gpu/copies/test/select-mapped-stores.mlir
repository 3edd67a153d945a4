// RUN: triton-opt --triton-select-mapped-stores --split-input-file %s | FileCheck %s
// RUN: triton-opt --triton-select-mapped-stores=shared-bytes=24576 --split-input-file %s | FileCheck %s --check-prefix=SMALL

// The launch computes the map from arguments and constants. What loads say of padding is nothing to stores.
// CHECK-LABEL: tt.func public @result
// SMALL-LABEL: tt.func public @result
tt.func public @result(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32},
                       %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] {padding = 2 : i32} : <f16>, <tensor<64x32xf16>>
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tt.dot %a, %a, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  // CHECK: tt.mapped_store %arg0, [%arg1, %arg2], [%arg3, %{{.*}}] {base = "arg:0", block = array<i32: 64, 32>, name = "{{.*}}", shape = ["arg:1", "arg:2"], strides = ["arg:3"]}[%arg5, %{{.*}}], %arg4 : <f16>, tensor<64x32xf16>
  // The operands of the product take all of the smaller memory.
  // SMALL: tt.descriptor_store
  tt.descriptor_store %d[%i, %c8], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

// -----

// A kernel without warps that move data stores through pointers.
// CHECK-LABEL: tt.func public @no_movers
tt.func public @no_movers(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32},
                          %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // CHECK: tt.descriptor_store
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

// -----

// Of three arrays the first begins anywhere, the second is read as well, and blocks of the third begin anywhere in a row.
// CHECK-LABEL: tt.func public @unfit
tt.func public @unfit(%x: !tt.ptr<f16>, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                      %z: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32},
                      %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %dy = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %dz = tt.make_tensor_descriptor %z, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // CHECK-COUNT-4: tt.descriptor_store
  tt.descriptor_store %dx[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_store %dy[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_store %dz[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_store %dz[%c0, %i], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  %l = tt.load %y : !tt.ptr<f16>
  tt.return
}

// -----

// Who acquires what is released finds what was stored before.
// CHECK-LABEL: tt.func public @released
tt.func public @released(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 16 : i32},
                         %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>, %flag: !tt.ptr<i32>, %t: i1) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // CHECK: tt.descriptor_store
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  %l = tt.atomic_rmw add, release, gpu, %flag, %c0, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// -----

// Stores through one argument are copies, or none is: here shared memory does not hold the larger block.
// SMALL-LABEL: tt.func public @sizes
tt.func public @sizes(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32,
                      %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 8 : i32}, %v: tensor<64x32xf16>, %w: tensor<64x64xf16>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %e = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x64xf16>>
  %f = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // SMALL-COUNT-2: tt.descriptor_store
  // SMALL: tt.mapped_store
  tt.descriptor_store %d[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_store %e[%c0, %c0], %w : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.descriptor_store %f[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.return
}

// -----

// Copies add to floats of 16 bits. What threads do with words is not slower.
// CHECK-LABEL: tt.func public @reductions
tt.func public @reductions(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32},
                           %m: i32, %n: i32 {tt.divisibility = 16 : i32}, %s: i64 {tt.divisibility = 8 : i32},
                           %v: tensor<64x32xf16>, %w: tensor<64x32xi32>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %a = tt.mapped_load {base = "arg:0", block = array<i32: 64, 64>, name = "y", shape = ["const:64", "const:64"], strides = ["const:64"]} [%c0, %c0] : tensor<64x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %dy = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <i32>, <tensor<64x32xi32>>
  // CHECK: tt.mapped_store add, %arg0
  // CHECK: tt.descriptor_reduce min
  tt.descriptor_reduce add, %dx[%c0, %c0], %v : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  tt.descriptor_reduce min, %dy[%c0, %c0], %w : !tt.tensordesc<tensor<64x32xi32>>, tensor<64x32xi32>
  tt.return
}
