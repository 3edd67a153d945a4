// RUN: triton-opt %s --split-input-file --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s

// Threads get neighbours along K of a buffer in which neighbours lie along N.
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 32], isTransposed = true}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#columns = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @f16
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.amdgcn.ds.read.tr16.b64"{{.*}} -> vector<4xi16>
// CHECK-NOT: llvm.amdgcn.ds.read
// CHECK-NOT: llvm.load
tt.func public @f16() -> tensor<32x32xf16, #b> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #rows, #smem, mutable>
  %x = ttg.local_load %buffer : !ttg.memdesc<32x32xf16, #rows, #smem, mutable> -> tensor<32x32xf16, #b>
  tt.return %x : tensor<32x32xf16, #b>
}
// CHECK-LABEL: @along_k
// CHECK-NOT: llvm.amdgcn.ds.read
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<8xf16>
tt.func public @along_k() -> tensor<32x32xf16, #b> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #columns, #smem, mutable>
  %x = ttg.local_load %buffer : !ttg.memdesc<32x32xf16, #columns, #smem, mutable> -> tensor<32x32xf16, #b>
  tt.return %x : tensor<32x32xf16, #b>
}
}

// -----

#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 32], isTransposed = true}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
#rows = #ttg.swizzled_shared<{vec = 16, perPhase = 1, maxPhase = 2, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @f8
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.amdgcn.ds.read.tr8.b64"{{.*}} -> vector<2xi32>
// CHECK-NOT: llvm.amdgcn.ds.read
tt.func public @f8() -> tensor<32x32xf8E5M2, #b> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf8E5M2, #rows, #smem, mutable>
  %x = ttg.local_load %buffer : !ttg.memdesc<32x32xf8E5M2, #rows, #smem, mutable> -> tensor<32x32xf8E5M2, #b>
  tt.return %x : tensor<32x32xf8E5M2, #b>
}
}

// -----

#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
#rows = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @without_instructions
// CHECK-NOT: llvm.amdgcn.ds.read
tt.func public @without_instructions() -> tensor<32x32xf16, #b> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #rows, #smem, mutable>
  %x = ttg.local_load %buffer : !ttg.memdesc<32x32xf16, #rows, #smem, mutable> -> tensor<32x32xf16, #b>
  tt.return %x : tensor<32x32xf16, #b>
}
}
