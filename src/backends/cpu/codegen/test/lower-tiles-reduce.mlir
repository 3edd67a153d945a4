// RUN: triton-opt --triton-cpu-lower-tiles=arch=znver5 --cse --split-input-file %s | FileCheck %s

// One pass for the maximum. The exponentials are kept for the division while they are summed: exp occurs in the loop over
// full vectors and in the masked edge, and nowhere else.
// CHECK-LABEL: llvm.func @softmax
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>
// CHECK: vector.shuffle
// CHECK: scf.for
// CHECK: %[[E:.*]] = math.exp
// CHECK: arith.addf %{{.*}}, %[[E]] : vector<16xf32>
// CHECK: llvm.store %[[E]]
// CHECK: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<16xf32>
tt.func public @softmax(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {
  %low = arith.constant dense<0xFF800000> : tensor<2048xf32>
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %ns = tt.splat %n : i32 -> tensor<2048xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %xp, %mask, %low : tensor<2048x!tt.ptr<f32>>
  %max = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<2048xf32>) -> f32
  %maxs = tt.splat %max : f32 -> tensor<2048xf32>
  %d = arith.subf %v, %maxs : tensor<2048xf32>
  %e = math.exp %d : tensor<2048xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<2048xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<2048xf32>
  %q = arith.divf %e, %sums : tensor<2048xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %op, %q, %mask : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// -----

// Along the rows of a row-major tile, columns stay in the lanes: no shuffles.
// CHECK-LABEL: llvm.func @columns
// CHECK-NOT: vector.shuffle
// CHECK: scf.for {{.*}} iter_args
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK-NOT: vector.shuffle
tt.func public @columns(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %stride = arith.constant dense<64> : tensor<32x1xi32>
  %m = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %n = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %m1 = tt.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %row = arith.muli %m1, %stride : tensor<32x1xi32>
  %rows = tt.broadcast %row : tensor<32x1xi32> -> tensor<32x64xi32>
  %n1 = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %n1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %i = arith.addi %rows, %columns : tensor<32x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %v = tt.load %xp : tensor<32x64x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x64xf32>) -> tensor<64xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %n : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Index and value together: the combination's operations on vectors; the first vector starts it.
// CHECK-LABEL: llvm.func @argmax
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xi32>)
// CHECK: arith.cmpf ogt, %{{.*}} : vector<16xf32>
// CHECK: vector.shuffle
tt.func public @argmax(%x: !tt.ptr<f32>, %o: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %r:2 = "tt.reduce"(%v, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %m = arith.select %c, %a, %b : f32
    %mi = arith.select %c, %ai, %bi : i32
    tt.reduce.return %m, %mi : f32, i32
  }) {tt.any_order} : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32)
  tt.store %o, %r#1 : !tt.ptr<i32>
  tt.return
}

// -----

// Where the order matters, neighbouring lanes are combined, and the vectors in turn.
// CHECK-LABEL: llvm.func @last
// CHECK: scf.for {{.*}} -> (vector<1xi32>)
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK: vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15]
tt.func public @last(%x: !tt.ptr<i32>, %o: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<i32>>
  %zero = arith.constant 0 : i32
  %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi ne, %b, %zero : i32
    %m = arith.select %c, %b, %a : i32
    tt.reduce.return %m : i32
  }) : (tensor<256xi32>) -> i32
  tt.store %o, %r : !tt.ptr<i32>
  tt.return
}

// -----

// The lanes of bytes are as few as those of the indices of 64 bits beside them need: a vector has 2048 bits at most.
// CHECK-LABEL: llvm.func @argmax_of_bytes
// CHECK-NOT: vector<64xi64>
// CHECK: scf.for {{.*}} -> (vector<32xi8>, vector<32xi64>)
// CHECK-NOT: vector<64xi64>
tt.func public @argmax_of_bytes(%x: !tt.ptr<i8>, %o: !tt.ptr<i64>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %i64 = arith.extsi %i : tensor<256xi32> to tensor<256xi64>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<i8>>
  %r:2 = "tt.reduce"(%v, %i64) <{axis = 0 : i32}> ({
  ^bb0(%a: i8, %ai: i64, %b: i8, %bi: i64):
    %c = arith.cmpi sgt, %a, %b : i8
    %m = arith.select %c, %a, %b : i8
    %mi = arith.select %c, %ai, %bi : i64
    tt.reduce.return %m, %mi : i8, i64
  }) {tt.any_order} : (tensor<256xi8>, tensor<256xi64>) -> (i8, i64)
  tt.store %o, %r#1 : !tt.ptr<i64>
  tt.return
}

// -----

// So are they where the combination computes in 64 bits.
// CHECK-LABEL: llvm.func @wide_steps
// CHECK-NOT: vector<64xi64>
// CHECK: arith.muli %{{.*}} : vector<32xi64>
// CHECK-NOT: vector<64xi64>
tt.func public @wide_steps(%x: !tt.ptr<i8>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
  %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<i8>>
  %r = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i8, %b: i8):
    %wa = arith.extsi %a : i8 to i64
    %wb = arith.extsi %b : i8 to i64
    %p = arith.muli %wa, %wb : i64
    %m = arith.trunci %p : i64 to i8
    tt.scan.return %m : i8
  }) : (tensor<256xi8>) -> tensor<256xi8>
  tt.store %xp, %r : tensor<256x!tt.ptr<i8>>
  tt.return
}
