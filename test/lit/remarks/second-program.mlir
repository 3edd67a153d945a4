// RUN: triton-opt --triton-describe-loads=target=cuda:90 --triton-select-mapped-loads="shared-bytes=232448 target=cuda:90" --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s | FileCheck %s

// Three results of 64 registers each and an operand: two programs of four warps fit, and of five warps one.
// CHECK-LABEL: tt.func public @costsProgram
// CHECK-NOT: tt.mapped_load
tt.func public @costsProgram(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: tensor<128x64xf16>, %o: tensor<128x64xf16>,
    %out: tensor<128x64x!tt.ptr<f32>>, %n: i32 {tt.nonnegative}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %base = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %rows = arith.addi %at, %r64 : tensor<64xi32>
    %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %first = arith.muli %rows2, %stride : tensor<64x1xi32>
    %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x64xi32>
    %offset = arith.addi %first2, %columns2 : tensor<64x64xi32>
    %pointers = tt.addptr %base, %offset : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    // expected-remark @below {{Reason="a producer warp would take the registers of a second program on the multiprocessor"}}
    %k = tt.load %pointers : tensor<64x64x!tt.ptr<f16>>
    %kt = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tt.dot %q, %kt, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %t = tt.dot %o, %kt, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %product = arith.mulf %s, %t : tensor<128x64xf32>
    %left = arith.truncf %product : tensor<128x64xf32> to tensor<128x64xf16>
    %d = tt.dot %left, %k, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %next = arith.addf %acc, %d : tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// Sums of 144 registers of a thread, beside which 24 are too few for a product: it would be spilled in each iteration.
// CHECK-LABEL: tt.func public @unequalSums
// CHECK-NOT: tt.mapped_load
tt.func public @unequalSums(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: tensor<128x64xf16>, %o: tensor<128x64xf16>,
    %low: tensor<64x16xf16>, %out: tensor<128x64x!tt.ptr<f32>>, %out2: tensor<128x16x!tt.ptr<f32>>, %n: i32 {tt.nonnegative}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %zero2 = arith.constant dense<0.0> : tensor<128x16xf32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %base = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %sums:3 = scf.for %i = %c0 to %n step %c64 iter_args(%a = %zero, %b = %zero, %c = %zero2)
      -> (tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x16xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %rows = arith.addi %at, %r64 : tensor<64xi32>
    %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %first = arith.muli %rows2, %stride : tensor<64x1xi32>
    %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x64xi32>
    %offset = arith.addi %first2, %columns2 : tensor<64x64xi32>
    %pointers = tt.addptr %base, %offset : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    // expected-remark @below {{Reason="a producer warp would take the registers of a second program on the multiprocessor"}}
    %k = tt.load %pointers : tensor<64x64x!tt.ptr<f16>>
    %s = tt.dot %q, %k, %a : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %t = tt.dot %o, %k, %b : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %u = tt.dot %q, %low, %c : tensor<128x64xf16> * tensor<64x16xf16> -> tensor<128x16xf32>
    scf.yield %s, %t, %u : tensor<128x64xf32>, tensor<128x64xf32>, tensor<128x16xf32>
  }
  %sum = arith.addf %sums#0, %sums#1 : tensor<128x64xf32>
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.store %out2, %sums#2 : tensor<128x16x!tt.ptr<f32>>
  tt.return
}

// Half as many registers: both programs have a producer warp.
// CHECK-LABEL: tt.func public @fits
// CHECK: tt.mapped_load
tt.func public @fits(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: tensor<64x64xf16>, %o: tensor<64x64xf16>,
    %out: tensor<64x64x!tt.ptr<f32>>, %n: i32 {tt.nonnegative}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %base = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %rows = arith.addi %at, %r64 : tensor<64xi32>
    %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %first = arith.muli %rows2, %stride : tensor<64x1xi32>
    %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x64xi32>
    %offset = arith.addi %first2, %columns2 : tensor<64x64xi32>
    %pointers = tt.addptr %base, %offset : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %k = tt.load %pointers : tensor<64x64x!tt.ptr<f16>>
    %kt = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tt.dot %q, %kt, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %t = tt.dot %o, %kt, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %product = arith.mulf %s, %t : tensor<64x64xf32>
    %left = arith.truncf %product : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tt.dot %left, %k, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %next = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.store %out, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// Shared memory holds one program anyway.
// CHECK-LABEL: tt.func public @manyStages
// CHECK: tt.mapped_load
tt.func public @manyStages(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: tensor<128x64xf16>, %o: tensor<128x64xf16>,
    %out: tensor<128x64x!tt.ptr<f32>>, %n: i32 {tt.nonnegative}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %base = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %at = tt.splat %i : i32 -> tensor<64xi32>
    %rows = arith.addi %at, %r64 : tensor<64xi32>
    %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %first = arith.muli %rows2, %stride : tensor<64x1xi32>
    %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x64xi32>
    %offset = arith.addi %first2, %columns2 : tensor<64x64xi32>
    %pointers = tt.addptr %base, %offset : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %k = tt.load %pointers : tensor<64x64x!tt.ptr<f16>>
    %kt = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tt.dot %q, %kt, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %t = tt.dot %o, %kt, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %product = arith.mulf %s, %t : tensor<128x64xf32>
    %left = arith.truncf %product : tensor<128x64xf32> to tensor<128x64xf16>
    %d = tt.dot %left, %k, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %next = arith.addf %acc, %d : tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  } {tt.num_stages = 12 : i32}
  tt.store %out, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}

// There are no more programs than multiprocessors.
// CHECK-LABEL: tt.func public @persistent
// CHECK: tt.mapped_load
tt.func public @persistent(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: tensor<128x64xf16>, %o: tensor<128x64xf16>,
    %out: tensor<128x64x!tt.ptr<f32>>, %n: i32 {tt.nonnegative}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns2 = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %base = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %all = scf.for %j = %c0 to %n step %c64 iter_args(%before = %zero) -> (tensor<128x64xf32>) : i32 {
    %sum = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %before) -> (tensor<128x64xf32>) : i32 {
      %at = tt.splat %i : i32 -> tensor<64xi32>
      %rows = arith.addi %at, %r64 : tensor<64xi32>
      %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
      %first = arith.muli %rows2, %stride : tensor<64x1xi32>
      %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x64xi32>
      %offset = arith.addi %first2, %columns2 : tensor<64x64xi32>
      %pointers = tt.addptr %base, %offset : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
      %k = tt.load %pointers : tensor<64x64x!tt.ptr<f16>>
      %kt = tt.trans %k {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
      %s = tt.dot %q, %kt, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      %t = tt.dot %o, %kt, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      %product = arith.mulf %s, %t : tensor<128x64xf32>
      %left = arith.truncf %product : tensor<128x64xf32> to tensor<128x64xf16>
      %d = tt.dot %left, %k, %zero : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
      %next = arith.addf %acc, %d : tensor<128x64xf32>
      scf.yield %next : tensor<128x64xf32>
    }
    scf.yield %sum : tensor<128x64xf32>
  }
  tt.store %out, %all : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
