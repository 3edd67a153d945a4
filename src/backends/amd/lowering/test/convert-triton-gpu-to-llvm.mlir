// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

// Lanes read registers of other lanes directly. The rows of 16 lanes are collected in the last lane.
#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @gfx942
// CHECK-SAME: "amdgpu-flat-work-group-size", "64,64"
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"
// CHECK-NOT: llvm.amdgcn
// CHECK: llvm.call_intrinsic "llvm.amdgcn.readlane"
// CHECK-NOT: llvm.amdgcn
tt.func public @gfx942(%a: tensor<128xf32, #row>) -> f32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32, #row>) -> f32
  tt.return %0 : f32
}
}

// -----

// Where lanes have different results, exchanges beyond 16 lanes go through the hardware of LDS.
#half = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 32], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @parts
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"
// CHECK-NOT: llvm.amdgcn.update
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.swizzle"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"
tt.func public @parts(%a: tensor<2x64xf32, #half>) -> tensor<2xf32, #ttg.slice<{dim = 1, parent = #half}>> {
  %0 = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<2x64xf32, #half>) -> tensor<2xf32, #ttg.slice<{dim = 1, parent = #half}>>
  tt.return %0 : tensor<2xf32, #ttg.slice<{dim = 1, parent = #half}>>
}
}

// -----

// Here lanes change places, and what they had is combined without a selection.
#half = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [16, 4], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @gfx950
// CHECK-NOT: llvm.select
// CHECK: llvm.call_intrinsic "llvm.amdgcn.permlane16.swap"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.permlane32.swap"
// CHECK-NOT: llvm.select
// CHECK: llvm.return
tt.func public @gfx950(%a: tensor<16x8xf32, #half>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #half}>> {
  %0 = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x8xf32, #half>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #half}>>
  tt.return %0 : tensor<16xf32, #ttg.slice<{dim = 1, parent = #half}>>
}
}

// -----

#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @gfx1100
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.permlanex16"
// CHECK-NOT: llvm.amdgcn
tt.func public @gfx1100(%a: tensor<64xf32, #row>) -> f32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32, #row>) -> f32
  tt.return %0 : f32
}
}

// -----

// The operands of a transposed result are exchanged. A barrier orders memory by the fences around it.
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @product
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.mfma.f32.16x16x16f16"({{.*}}) : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
// CHECK-NOT: mfma
// CHECK: llvm.fence syncscope("workgroup") release
// CHECK-NEXT: llvm.call_intrinsic "llvm.amdgcn.s.barrier"
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
tt.func public @product(%x: tensor<16x32xf16, #a>, %y: tensor<32x16xf16, #b>, %c: tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma> {
  %0 = tt.dot %x, %y, %c : tensor<16x32xf16, #a> * tensor<32x16xf16, #b> -> tensor<16x16xf32, #mfma>
  ttg.barrier local
  tt.return %0 : tensor<16x16xf32, #mfma>
}
}

// -----

#wmma = #ttg.amd_wmma<{version = 1, isTranspose = true, warpsPerCTA = [1, 1], instrShape = [16, 16, 16]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #wmma, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #wmma, kWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @bytes
// CHECK: llvm.call_intrinsic "llvm.amdgcn.wmma.i32.16x16x16.iu8"({{.*}}) : (i1, vector<4xi32>, i1, vector<4xi32>, vector<8xi32>, i1) -> vector<8xi32>
tt.func public @bytes(%x: tensor<16x16xi8, #a>, %y: tensor<16x16xi8, #b>, %c: tensor<16x16xi32, #wmma>) -> tensor<16x16xi32, #wmma> {
  %0 = tt.dot %x, %y, %c : tensor<16x16xi8, #a> * tensor<16x16xi8, #b> -> tensor<16x16xi32, #wmma>
  tt.return %0 : tensor<16x16xi32, #wmma>
}
}

// -----

// A lane gives the scale of its row and of one of the four groups. The left operand has 8 bits, in two runs of 16; the
// right one has 4 bits. Without a scale, it is 1.
#mfma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 128], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 16}>
#scale = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @scaled
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(127 : i32)
// CHECK-DAG: %[[FP4:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[SECOND:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4"(%{{.*}}, %{{.*}}, %{{.*}}, %[[FP4]], %[[ZERO]], %[[ZERO]], %[[ONE]], %[[ZERO]], %[[WORD]]) : (vector<4xi32>, vector<8xi32>, vector<4xf32>,
// CHECK: llvm.call_intrinsic "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4"(%{{.*}}, %{{.*}}, %{{.*}}, %[[FP4]], %[[ZERO]], %[[ZERO]], %[[ONE]], %[[SECOND]], %[[WORD]])
tt.func public @scaled(%x: tensor<16x256xf8E4M3FN, #a>, %s: tensor<16x8xi8, #scale>, %y: tensor<128x16xi8, #b>,
                       %c: tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma> {
  %0 = tt.dot_scaled %x scale %s, %y, %c lhs = e4m3 rhs = e2m1 {fastMath = false}
      : tensor<16x256xf8E4M3FN, #a>, tensor<16x8xi8, #scale> * tensor<128x16xi8, #b> -> tensor<16x16xf32, #mfma>
  tt.return %0 : tensor<16x16xf32, #mfma>
}
}

// -----

// Two elements of f32 are computed at once, except for sums of products that take f16 as they are.
#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @pairs
// CHECK: llvm.fsub {{.*}} : vector<2xf32>
// CHECK: llvm.fmul {{.*}} : vector<2xf32>
// CHECK-COUNT-2: llvm.fmul {{.*}} : f32
// CHECK-COUNT-2: llvm.fadd {{.*}} : f32
// CHECK-NOT: vector
tt.func public @pairs(%a: tensor<128xf32, #row>, %b: tensor<128xf32, #row>, %h: tensor<128xf16, #row>) -> tensor<128xf32, #row> {
  %d = arith.subf %a, %b : tensor<128xf32, #row>
  %m = arith.mulf %d, %d : tensor<128xf32, #row>
  %w = arith.extf %h : tensor<128xf16, #row> to tensor<128xf32, #row>
  %p = arith.mulf %m, %w : tensor<128xf32, #row>
  %s = arith.addf %p, %a : tensor<128xf32, #row>
  tt.return %s : tensor<128xf32, #row>
}
}

// -----

// Each lane combines what earlier ones have: four shifts of rows, and two broadcasts from the ends of rows. Warps
// exchange their totals, of which the last lane knows its own. A lane's own element is part of what is up to it.
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// CHECK: ttg.shared = 16
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @scan
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"
// CHECK-NOT: llvm.amdgcn.update.dpp
// CHECK-NOT: llvm.amdgcn.readlane
// CHECK: llvm.store
// CHECK: llvm.amdgcn.s.barrier
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK-NOT: llvm.load
tt.func public @scan(%a: tensor<256xf32, #row>) -> tensor<256xf32, #row> {
  %0 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.scan.return %s : f32
  }) : (tensor<256xf32, #row>) -> tensor<256xf32, #row>
  tt.return %0 : tensor<256xf32, #row>
}
}
