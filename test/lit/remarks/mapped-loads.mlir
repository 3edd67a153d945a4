// RUN: triton-opt --triton-select-mapped-loads --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Why blocks of tensor descriptors are not bulk copies.

tt.func public @unaligned(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="its array is not known to begin at a multiple of 16 bytes", Remark="the block of the tensor descriptor is accessed through pointers"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @stride(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="the strides of its array are not known to be multiples of 16 bytes"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @stored(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="the kernel stores through the argument that holds its array"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %q = arith.constant dense<1.0> : tensor<64x32xf16>
    tt.store %p, %q : tensor<64x32x!tt.ptr<f16>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @address(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %pid = tt.get_program_id x : i32
  %own = tt.addptr %x, %pid : !tt.ptr<f16>, i32
  %dx = tt.make_tensor_descriptor %own, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="the address of its array does not follow from arguments of the kernel alone"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @column(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="the block is not known to begin at a multiple of 16 bytes of its rows"}}
    %a = tt.descriptor_load %dx[%c0, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @extents(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %pid = tt.get_program_id x : i32
  %dx = tt.make_tensor_descriptor %x, [%m, %pid], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="the extents of its array do not follow from arguments of the kernel alone"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @ownStride(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %pid = tt.get_program_id x : i32
  %s = arith.extsi %pid : i32 to i64
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="the strides of its array do not follow from arguments of the kernel alone"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @padded(%x: !tt.ptr<f8E5M2> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 16 : i32}, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf8E5M2>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] {padding = 2 : i32} : <f8E5M2>, <tensor<64x32xf8E5M2>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="it pads elements of 8 bits with NaN"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf8E5M2>> -> tensor<64x32xf8E5M2>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf8E5M2> * tensor<32x64xf8E5M2> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @chosen(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %isFirst: i1, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %first = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %other = tt.make_tensor_descriptor %x, [%n, %m], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %dx = arith.select %isFirst, %first, %other : !tt.tensordesc<tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="its descriptor is not the same at each execution"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @used(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @below {{Reason="not only products use the block"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %u = math.exp %a : tensor<64x32xf16>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @acquired(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %w = tt.load %y {isVolatile = true} : !tt.ptr<i32>
    // expected-remark @below {{Reason="this may wait for what other programs do, and the copies run ahead"}}
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @computed(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<i32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
    %k = "tt.reduce"(%r) ({
    ^bb0(%u: i32, %v: i32):
      %t = arith.addi %u, %v : i32
      tt.reduce.return %t : i32
    }) {axis = 0 : i32} : (tensor<64xi32>) -> i32
    // expected-remark @below {{Reason="another warp cannot compute what decides which block is loaded"}}
    %a = tt.descriptor_load %dx[%k, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

tt.func public @noLoop(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>) {
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %q = arith.constant dense<1.0> : tensor<64x32xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %dy = tt.make_tensor_descriptor %y, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  // expected-remark @below {{Reason="no such load is in a loop"}}
  %a = tt.descriptor_load %dx[%c0, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
  %d = tt.dot %a, %b, %zero : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
  // A block of few rows is not copied at all.
  %few = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<4x32xf16>>
  // expected-remark @below {{Reason="only loads for products, and stores, are bulk copies (TMA)"}}
  tt.descriptor_reduce add, %dy[%c0, %c0], %q : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16>
  // expected-remark @below {{Reason="maps do not describe blocks of this shape and element type"}}
  %e = tt.descriptor_load %few[%c0, %c0] : !tt.tensordesc<tensor<4x32xf16>> -> tensor<4x32xf16>
  tt.return
}
