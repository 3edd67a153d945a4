// RUN: triton-opt --triton-select-mapped-loads --split-input-file %s | FileCheck %s

// The launch computes the map from arguments and constants.
// CHECK-LABEL: tt.func public @operands
tt.func public @operands(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32,
                         %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32},
                         %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %wide = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %rows = arith.muli %m, %n : i32
  %offset = arith.constant 8 : i32
  %behind = tt.addptr %y, %offset : !tt.ptr<f16>, i32
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %dy = tt.make_tensor_descriptor %behind, [%rows, %c64], [%wide, %one] {padding = 2 : i32} : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.mapped_load {base = "arg:0", block = array<i32: 64, 32>, name = "{{.*}}", shape = ["arg:1", "arg:2"], strides = ["arg:3"]}[%{{.*}}, %{{.*}}] : tensor<64x32xf16>
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    // CHECK: tt.mapped_load {base = "arg:4 const:8 const:2 mul add", block = array<i32: 64, 32>, name = "{{.*}}", nan, shape = ["arg:1 arg:2 mul sext32", "const:64"], strides = ["const:64"]}
    %b = tt.descriptor_load %dy[%c0, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    %d = tt.dot %a, %t, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// Nothing is known of the address.
// CHECK-LABEL: tt.func public @unaligned_base
tt.func public @unaligned_base(%x: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// A row may begin anywhere.
// CHECK-LABEL: tt.func public @unaligned_stride
tt.func public @unaligned_stride(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64, %y: !tt.ptr<f16>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// A copy faults where a block begins elsewhere in a row.
// CHECK-LABEL: tt.func public @unaligned_column
tt.func public @unaligned_column(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %begin: i32, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %begin to %steps step %c8 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %a = tt.descriptor_load %dx[%c0, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: scf.for
  %other = scf.for %i = %c0 to %steps step %c8 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.mapped_load
    %a = tt.descriptor_load %dx[%c0, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// The kernel writes what it loads.
// CHECK-LABEL: tt.func public @stored
tt.func public @stored(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %p = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    tt.store %p, %a : tensor<64x32x!tt.ptr<f16>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// Writing elsewhere is no reason against it.
// CHECK-LABEL: tt.func public @stored_elsewhere
tt.func public @stored_elsewhere(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.mapped_load
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %p = tt.splat %y : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
    %q = arith.constant dense<1.0> : tensor<64x32xf16>
    tt.store %p, %q : tensor<64x32x!tt.ptr<f16>>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// The launch does not know the number of the program.
// CHECK-LABEL: tt.func public @base_of_program
tt.func public @base_of_program(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %pid = tt.get_program_id x : i32
  %own = tt.addptr %x, %pid : !tt.ptr<f16>, i32
  %dx = tt.make_tensor_descriptor %own, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// Another warp can load a scalar as well.
// CHECK-LABEL: tt.func public @scalar_loaded
tt.func public @scalar_loaded(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32, %table: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.mapped_load
    %l = tt.load %table : !tt.ptr<i32>
    %a = tt.descriptor_load %dx[%l, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// But not the sum of a tensor.
// CHECK-LABEL: tt.func public @scalar_computed
tt.func public @scalar_computed(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32, %v: tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %l = "tt.reduce"(%v) ({
    ^bb0(%l0: i32, %r0: i32):
      %s0 = arith.addi %l0, %r0 : i32
      tt.reduce.return %s0 : i32
    }) {axis = 0 : i32} : (tensor<64xi32>) -> i32
    %a = tt.descriptor_load %dx[%l, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// A counter that all programs share must be asked once.
// CHECK-LABEL: tt.func public @counted
tt.func public @counted(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32, %counter: !tt.ptr<i32>, %t: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %l = tt.atomic_rmw add, relaxed, gpu, %counter, %c1, %t : (!tt.ptr<i32>, i32, i1) -> i32
    %a = tt.descriptor_load %dx[%l, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// What another program has released is not there before the kernel looks.
// CHECK-LABEL: tt.func public @acquired
tt.func public @acquired(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32, %flag: !tt.ptr<i32>, %t: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %l = tt.atomic_rmw add, acquire, gpu, %flag, %c0, %t : (!tt.ptr<i32>, i32, i1) -> i32
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// The order of a compare-and-swap says what it waits for, as that of other atomic operations does.
// CHECK-LABEL: tt.func public @swapped_acquire
tt.func public @swapped_acquire(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %steps: i32, %flag: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %l = tt.atomic_cas acquire, gpu, %flag, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// The order of a compare-and-swap says what it waits for, as that of other atomic operations does.
// CHECK-LABEL: tt.func public @swapped_relaxed
tt.func public @swapped_relaxed(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %steps: i32, %flag: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.mapped_load
    %l = tt.atomic_cas relaxed, gpu, %flag, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// To release has no effect on what is loaded later.
// CHECK-LABEL: tt.func public @released
tt.func public @released(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32, %flag: !tt.ptr<i32>, %t: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.mapped_load
    %l = tt.atomic_rmw add, release, gpu, %flag, %c0, %t : (!tt.ptr<i32>, i32, i1) -> i32
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// A block that is computed with goes to registers.
// CHECK-LABEL: tt.func public @computed
tt.func public @computed(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32, %s: i64 {tt.divisibility = 8 : i32}, %y: !tt.ptr<f16>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %dx = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] : <f16>, <tensor<64x32xf16>>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tt.descriptor_load
    %a = tt.descriptor_load %dx[%i, %c0] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %e = arith.addf %a, %a : tensor<64x32xf16>
    scf.yield %d : tensor<64x64xf32>
  }
  tt.return
}

// -----

// Products round f32 to tf32, and copies do it for those that units read without threads. Others need all bits.
// CHECK-LABEL: tt.func public @rounded
tt.func public @rounded(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: i32, %s: i64 {tt.divisibility = 4 : i32}, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.make_tensor_descriptor %x, [%m, %m], [%s, %one] : <f32>, <tensor<64x32xf32>>
  %sum:2 = scf.for %i = %c0 to %steps step %c32 iter_args(%acc = %zero, %whole = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    // CHECK: %[[A:.*]] = tt.mapped_load {{.*}}, tf32}
    %a = tt.descriptor_load %d[%c0, %i] : !tt.tensordesc<tensor<64x32xf32>> -> tensor<64x32xf32>
    // CHECK: %[[B:.*]] = tt.mapped_load
    // CHECK-NOT: tf32
    // CHECK: : tensor<64x32xf32>
    %b = tt.descriptor_load %d[%c0, %i] : !tt.tensordesc<tensor<64x32xf32>> -> tensor<64x32xf32>
    %at = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
    %bt = tt.trans %b {order = array<i32: 1, 0>} : tensor<64x32xf32> -> tensor<32x64xf32>
    %p = tt.dot %a, %at, %acc, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %q = tt.dot %b, %bt, %whole : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tt.return
}
