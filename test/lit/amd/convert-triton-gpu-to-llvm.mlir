// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

// Exchanges within 16 lanes read registers directly; those within 32, and all others, go through the hardware of LDS.
#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: llvm.func amdgpu_kernelcc @gfx942
// CHECK-SAME: "amdgpu-flat-work-group-size", "64,64"
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"
// CHECK-NOT: llvm.amdgcn
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.swizzle"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.ds.bpermute"
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

#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @gfx950
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.amdgcn.update.dpp.i32"
// CHECK-NOT: llvm.amdgcn
// CHECK: llvm.call_intrinsic "llvm.amdgcn.permlane16.swap"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.permlane32.swap"
tt.func public @gfx950(%a: tensor<128xf32, #row>) -> f32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32, #row>) -> f32
  tt.return %0 : f32
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
