// RUN: triton-opt --triton-describe-loads=target=cuda:90 --split-input-file %s | FileCheck %s
// RUN: triton-opt --triton-describe-loads="target=cuda:90 num-warps=2" --split-input-file %s | FileCheck %s --check-prefix=NONE
// RUN: triton-opt --triton-describe-loads=target=cuda:80 --split-input-file %s | FileCheck %s --check-prefix=NONE

// Two warps are too few for a unit that reads operands from shared memory, and machines of 80 have no such unit.
// NONE-NOT: tt.make_tensor_descriptor

// Rows beyond the array's end are replaced by others, whose results are not stored. Pointers advance with the loop.
// CHECK-LABEL: tt.func public @product
// CHECK-SAME: (%[[A:[^ ]*]]: !tt.ptr<f16>, %[[B:[^ ]*]]: !tt.ptr<f16>, %{{[^ ]*}}: !tt.ptr<f32>, %[[M:[^ ]*]]: i32, %[[N:[^ ]*]]: i32, %[[K:[^ ]*]]: i32, %[[SA:[^ ]*]]: i32 {tt.nonnegative}, %[[SB:[^ ]*]]: i32
tt.func public @product(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>, %m: i32, %n: i32, %k: i32,
                        %sa: i32 {tt.nonnegative}, %sb: i32 {tt.nonnegative}, %sc: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %za = arith.constant dense<0.0> : tensor<64x32xf16>
  %zb = arith.constant dense<0.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %px = tt.get_program_id x : i32
  %py = tt.get_program_id y : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = arith.muli %px, %c64 : i32
  %col = arith.muli %py, %c64 : i32
  %rows0 = tt.splat %row : i32 -> tensor<64xi32>
  %cols0 = tt.splat %col : i32 -> tensor<64xi32>
  %rows = arith.addi %rows0, %r64 : tensor<64xi32>
  %cols = arith.addi %cols0, %r64 : tensor<64xi32>
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %rm = arith.remsi %rows, %ms : tensor<64xi32>
  %rn = arith.remsi %cols, %ns : tensor<64xi32>
  %rm2 = tt.expand_dims %rm {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rn2 = tt.expand_dims %rn {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kc = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %kr = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %sas = tt.splat %sa : i32 -> tensor<64x1xi32>
  %sbs = tt.splat %sb : i32 -> tensor<32x1xi32>
  %arow = arith.muli %rm2, %sas : tensor<64x1xi32>
  %brow = arith.muli %kr, %sbs : tensor<32x1xi32>
  %arow2 = tt.broadcast %arow : tensor<64x1xi32> -> tensor<64x32xi32>
  %acol2 = tt.broadcast %kc : tensor<1x32xi32> -> tensor<64x32xi32>
  %brow2 = tt.broadcast %brow : tensor<32x1xi32> -> tensor<32x64xi32>
  %bcol2 = tt.broadcast %rn2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %aoff = arith.addi %arow2, %acol2 : tensor<64x32xi32>
  %boff = arith.addi %brow2, %bcol2 : tensor<32x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>>
  %ap = tt.addptr %as, %aoff : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %bp = tt.addptr %bs, %boff : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
  %up = arith.addi %k, %c31 : i32
  %count = arith.divsi %up, %c32 : i32
  %astep = arith.constant dense<32> : tensor<64x32xi32>
  %bstep0 = arith.muli %sb, %c32 : i32
  %bstep = tt.splat %bstep0 : i32 -> tensor<32x64xi32>
  %sum:3 = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero, %pa = %ap, %pb = %bp) -> (tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>) : i32 {
    %done = arith.muli %i, %c32 : i32
    %left = arith.subi %k, %done : i32
    %leftc = tt.splat %left : i32 -> tensor<1x32xi32>
    %leftr = tt.splat %left : i32 -> tensor<32x1xi32>
    %ma0 = arith.cmpi slt, %kc, %leftc : tensor<1x32xi32>
    %mb0 = arith.cmpi slt, %kr, %leftr : tensor<32x1xi32>
    %ma = tt.broadcast %ma0 : tensor<1x32xi1> -> tensor<64x32xi1>
    %mb = tt.broadcast %mb0 : tensor<32x1xi1> -> tensor<32x64xi1>
    // CHECK: %[[WIDE:.*]] = arith.extsi %[[SA]] : i32 to i64
    // CHECK: %[[DA:.*]] = tt.make_tensor_descriptor %[[A]], [%[[M]], %[[K]]], [%[[WIDE]], %{{.*}}] : <f16>, <tensor<64x32xf16>>
    // CHECK: %[[X:.*]] = tt.descriptor_load %[[DA]][%{{.*}}, %{{.*}}] {tt.pointers = 0 : i32}
    // CHECK: tt.load {{.*}} {tt.pointers = 0 : i32}
    // CHECK: %[[DB:.*]] = tt.make_tensor_descriptor %[[B]], [%[[K]], %[[N]]]
    // CHECK: %[[Y:.*]] = tt.descriptor_load %[[DB]][%{{.*}}, %{{.*}}] {tt.pointers = 1 : i32}
    // CHECK: tt.load {{.*}} {tt.pointers = 1 : i32}
    // CHECK: tt.dot %[[X]], %[[Y]]
    %x = tt.load %pa, %ma, %za : tensor<64x32x!tt.ptr<f16>>
    %y = tt.load %pb, %mb, %zb : tensor<32x64x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %na = tt.addptr %pa, %astep : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
    %nb = tt.addptr %pb, %bstep : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
    scf.yield %d, %na, %nb : tensor<64x64xf32>, tensor<64x32x!tt.ptr<f16>>, tensor<32x64x!tt.ptr<f16>>
  }
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %cols {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %scs = tt.splat %sc : i32 -> tensor<64x1xi32>
  %crow = arith.muli %rows2, %scs : tensor<64x1xi32>
  %crow2 = tt.broadcast %crow : tensor<64x1xi32> -> tensor<64x64xi32>
  %ccol2 = tt.broadcast %cols2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %coff = arith.addi %crow2, %ccol2 : tensor<64x64xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %coff : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %n2 = tt.splat %n : i32 -> tensor<1x64xi32>
  %in0 = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %in1 = arith.cmpi slt, %cols2, %n2 : tensor<1x64xi32>
  %in2 = tt.broadcast %in0 : tensor<64x1xi1> -> tensor<64x64xi1>
  %in3 = tt.broadcast %in1 : tensor<1x64xi1> -> tensor<64x64xi1>
  %in = arith.andi %in2, %in3 : tensor<64x64xi1>
  tt.store %cp, %sum#0, %in : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// The mask of the rows is their extent; the columns have none.
// CHECK-LABEL: tt.func public @masked
tt.func public @masked(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: %[[D:.*]] = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<64x32xf16>>
    // CHECK: %[[X:.*]] = tt.descriptor_load %[[D]][%{{.*}}, %{{.*}}] {tt.pointers = 0 : i32}
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Every element is read, so the array has no end.
// CHECK-LABEL: tt.func public @unmasked
tt.func public @unmasked(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: %[[D:.*]] = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<64x32xf16>>
    // CHECK: %[[X:.*]] = tt.descriptor_load %[[D]][%{{.*}}, %{{.*}}] {tt.pointers = 0 : i32}
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A map has no negative strides.
// CHECK-LABEL: tt.func public @sign_of_stride
tt.func public @sign_of_stride(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Rows before the array would read as zeros.
// CHECK-LABEL: tt.func public @sign_of_row
tt.func public @sign_of_row(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %start, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Maps fill up with zeros.
// CHECK-LABEL: tt.func public @other_filling
tt.func public @other_filling(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %ones : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A map does not exclude the rows before an index.
// CHECK-LABEL: tt.func public @other_mask
tt.func public @other_mask(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi sgt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Every execution reads memory anew.
// CHECK-LABEL: tt.func public @is_volatile
tt.func public @is_volatile(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p {isVolatile = true} : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// The store shows what the rows beyond the end are multiplied with.
// CHECK-LABEL: tt.func public @wrapped
tt.func public @wrapped(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// The mask of the store, too, has the rows that replace those beyond the end, and so excludes none.
// CHECK-LABEL: tt.func public @wrapped_store
tt.func public @wrapped_store(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x64xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum, %mask : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Columns do not lie side by side.
// CHECK-LABEL: tt.func public @strided_columns
tt.func public @strided_columns(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %first2 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Both arguments may point to the same memory, and the next iteration loads what this one has stored.
// CHECK-LABEL: tt.func public @stored
tt.func public @stored(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %op = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    tt.store %op, %d : tensor<64x64x!tt.ptr<f32>>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Not only the product reads the block.
// CHECK-LABEL: tt.func public @used_otherwise
tt.func public @used_otherwise(%a: !tt.ptr<f16>, %m: i32, %k: i32, %s: i32 {tt.nonnegative}, %start: i32, %out: !tt.ptr<f32>, %steps: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf16>
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %c64 : i32
  %r64 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r32 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row1 = tt.splat %row : i32 -> tensor<64xi32>
  %rows = arith.addi %row1, %r64 : tensor<64xi32>
  %m1 = tt.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %rows, %m1 : tensor<64xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols2 = tt.expand_dims %r32 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %s2 = tt.splat %s : i32 -> tensor<64x1xi32>
  %first = arith.muli %rows2, %s2 : tensor<64x1xi32>
  %first2 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x32xi32>
  %cols3 = tt.broadcast %cols2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %first2, %cols3 : tensor<64x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>>
  %p = tt.addptr %as, %offsets : tensor<64x32x!tt.ptr<f16>>, tensor<64x32xi32>
  %m2 = tt.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %rows2, %m2 : tensor<64x1xi32>
  %mask = tt.broadcast %in : tensor<64x1xi1> -> tensor<64x32xi1>
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK-NOT: tt.descriptor_load
    // CHECK: %[[X:.*]] = tt.load
    // CHECK: tt.dot %[[X]]
    %x = tt.load %p, %mask, %zeros : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %b, %acc : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %e = arith.addf %x, %x : tensor<64x32xf16>
    scf.yield %d : tensor<64x64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  tt.store %os, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
