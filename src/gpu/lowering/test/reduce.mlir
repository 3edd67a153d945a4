// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#half = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {

// Integers of a whole warp are one instruction's work; narrow ones keep their sign.
// CHECK-LABEL: @whole
// CHECK-NOT: shfl
// CHECK: llvm.call_intrinsic "llvm.nvvm.redux.sync.add"(%{{.*}}, %{{.*}}) : (i32, i32) -> i32
// CHECK: llvm.sext {{.*}} : i8 to i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.redux.sync.max"
// CHECK: llvm.trunc {{.*}} : i32 to i8
// CHECK: llvm.zext {{.*}} : i16 to i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.redux.sync.umin"
// CHECK-NOT: shfl
tt.func public @whole(%a: tensor<64xi32, #row>, %b: tensor<64xi8, #row>, %c: tensor<64xi16, #row>) -> (i32, i8, i16) {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.reduce.return %s : i32
  }) : (tensor<64xi32, #row>) -> i32
  %1 = "tt.reduce"(%b) <{axis = 0 : i32}> ({
  ^bb0(%x: i8, %y: i8):
    %s = arith.maxsi %x, %y : i8
    tt.reduce.return %s : i8
  }) : (tensor<64xi8, #row>) -> i8
  %2 = "tt.reduce"(%c) <{axis = 0 : i32}> ({
  ^bb0(%x: i16, %y: i16):
    %s = arith.minui %x, %y : i16
    tt.reduce.return %s : i16
  }) : (tensor<64xi16, #row>) -> i16
  tt.return %0, %1, %2 : i32, i8, i16
}

// Floats, wider integers, and axes that share the warp with others, are shuffled.
// CHECK-LABEL: @others
// CHECK-NOT: redux
// CHECK: llvm.return
tt.func public @others(%a: tensor<64xf32, #row>, %b: tensor<64xi64, #row>, %c: tensor<2x16xi32, #half>) -> (f32, i64, tensor<2xi32, #ttg.slice<{dim = 1, parent = #half}>>) {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32, #row>) -> f32
  %1 = "tt.reduce"(%b) <{axis = 0 : i32}> ({
  ^bb0(%x: i64, %y: i64):
    %s = arith.addi %x, %y : i64
    tt.reduce.return %s : i64
  }) : (tensor<64xi64, #row>) -> i64
  %2 = "tt.reduce"(%c) <{axis = 1 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.reduce.return %s : i32
  }) : (tensor<2x16xi32, #half>) -> tensor<2xi32, #ttg.slice<{dim = 1, parent = #half}>>
  tt.return %0, %1, %2 : f32, i64, tensor<2xi32, #ttg.slice<{dim = 1, parent = #half}>>
}

}

// -----

#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
// CHECK-LABEL: @old
// CHECK-NOT: redux
// CHECK-COUNT-5: shfl.sync.bfly
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:75", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @old(%a: tensor<64xi32, #row>) -> i32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tt.reduce.return %s : i32
  }) : (tensor<64xi32, #row>) -> i32
  tt.return %0 : i32
}
}

// -----

#many = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [32], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// What 32 warps have is read by the lanes of each warp, one each, and combined by shuffles.
// CHECK-LABEL: @warps
// CHECK: barrier.cta.sync
// CHECK: llvm.load {{.*}} -> f32
// CHECK-NOT: llvm.load
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: llvm.load
// CHECK: llvm.return
tt.func public @warps(%a: tensor<2048xf32, #many>) -> f32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<2048xf32, #many>) -> f32
  tt.return %0 : f32
}

}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// What eight warps have of 32 columns the 256 threads combine, one of them for each part of a column, and leave it for
// the others. A sum alone, whose parts each thread reads, is not worth a second barrier.
// CHECK-LABEL: @shared
// CHECK: barrier.cta.sync
// CHECK-COUNT-2: llvm.load {{.*}} -> f32
// CHECK-NOT: llvm.load
// CHECK: shfl.sync
// CHECK: barrier.cta.sync
// CHECK-COUNT-16: llvm.load {{.*}} -> f32
// CHECK-NOT: llvm.load
// CHECK-LABEL: @alone
// CHECK-COUNT-1: barrier.cta.sync
// CHECK-COUNT-64: llvm.load {{.*}} -> f32
// CHECK-NOT: barrier.cta.sync
tt.func public @shared(%a: tensor<64x32xf32, #rows>, %b: tensor<64x32xf32, #rows>) -> (tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>, tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>) {
  %0:2 = "tt.reduce"(%a, %b) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    %c = arith.cmpf ogt, %x, %z : f32
    %s = arith.select %c, %x, %z : f32
    %t = arith.select %c, %y, %w : f32
    tt.reduce.return %s, %t : f32, f32
  }) : (tensor<64x32xf32, #rows>, tensor<64x32xf32, #rows>) -> (tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>, tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>)
  tt.return %0#0, %0#1 : tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>, tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>
}

tt.func public @alone(%a: tensor<64x32xf32, #rows>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>> {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x32xf32, #rows>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>
  tt.return %0 : tensor<32xf32, #ttg.slice<{dim = 0, parent = #rows}>>
}
}
