// RUN: triton-opt --triton-cpu-lower-tiles=arch=znver5 --cse --split-input-file %s | FileCheck %s

// Loads come before stores that may overwrite what they read: the same array at another offset goes through a buffer.
// CHECK-LABEL: llvm.func @shift
// CHECK: scf.for %{{.*}} = %c0_i64 to %c256_i64
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: scf.for %{{.*}} = %c0_i64 to %c256_i64
// CHECK: llvm.load
// CHECK: llvm.store
tt.func public @shift(%x: !tt.ptr<f32>) {
  %one = arith.constant dense<1> : tensor<256xi32>
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %xq = tt.addptr %xp, %one : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %xq, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// In place, at the same addresses: one loop.
// CHECK-LABEL: llvm.func @scale
// CHECK: scf.for %{{.*}} = %c0_i64 to %c256_i64
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK-NOT: scf.for
tt.func public @scale(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<256xf32>
  tt.store %xp, %w : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// A loop's accumulator is updated in place: the product writes into the buffer that is carried.
// CHECK-LABEL: llvm.func @accumulate
// CHECK: %[[C:.*]] = llvm.getelementptr %arg4[%c576_i64]
// CHECK: scf.for
// CHECK: scf.for %{{.*}} : i32
// CHECK: llvm.getelementptr %[[C]]
// CHECK-NOT: tt.
tt.func public @accumulate(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %stride = arith.constant dense<16> : tensor<16x1xi32>
  %m = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %row = arith.muli %m1, %stride : tensor<16x1xi32>
  %rows = tt.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
  %n1 = tt.expand_dims %m {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tt.broadcast %n1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %i = arith.addi %rows, %columns : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %v = tt.load %xp : tensor<16x16x!tt.ptr<f32>>
    %d = tt.dot %v, %v, %acc : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// A load that needs a sum comes before a store to rows as wide as those of the sum: the loops of the sum end before.
// CHECK-LABEL: llvm.func @look_up
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64
// CHECK: llvm.store %{{.*}} : i32
// CHECK: llvm.load
// CHECK: llvm.store %{{.*}} : vector<16xi32>
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64
// CHECK: llvm.store %{{.*}} : vector<16xi32>
// CHECK: llvm.store %{{.*}} : vector<16xi32>
tt.func public @look_up(%x: !tt.ptr<i32>, %table: !tt.ptr<i32>, %rows: !tt.ptr<i32>, %found: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %column = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %starts = arith.muli %column, %c16 : tensor<16x1xi32>
  %row = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %wide = tt.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %high = tt.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %places = arith.addi %wide, %high : tensor<16x16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %places : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  %block = tt.load %xp : tensor<16x16x!tt.ptr<i32>>
  %sum = "tt.reduce"(%block) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<16x16xi32>) -> tensor<16xi32>
  %ts = tt.splat %table : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %tp = tt.addptr %ts, %sum : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %entry = tt.load %tp : tensor<16x!tt.ptr<i32>>
  %rs = tt.splat %rows : !tt.ptr<i32> -> tensor<16x16x!tt.ptr<i32>>
  %rp = tt.addptr %rs, %places : tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>
  tt.store %rp, %block : tensor<16x16x!tt.ptr<i32>>
  %fs = tt.splat %found : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %fp = tt.addptr %fs, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %fp, %entry : tensor<16x!tt.ptr<i32>>
  tt.return
}
