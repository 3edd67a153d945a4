// RUN: triton-opt --tritongpu-transpose-in-threads --split-input-file %s | FileCheck %s
// RUN: triton-opt --tritongpu-transpose-in-threads --tritongpu-remove-layout-conversions --tritongpu-optimize-dot-operands --split-input-file %s | FileCheck %s --check-prefix=SHARED

// Rows of the right operand lie along N in memory: a thread loads eight rows of eight. The left one needs nothing.
// CHECK-DAG: #[[$PATCHES:.*]] = #ttg.blocked<{sizePerThread = [8, 8], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @operands
// Lanes store vectors of every eighth row, which are in different banks.
// SHARED-DAG: #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, fold = 8, order = [0, 1]}>
// SHARED-LABEL: tt.func @operands
#a_rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b_rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @operands(%pa: tensor<64x64x!tt.ptr<f16>, #a_rows>, %pb: tensor<64x256x!tt.ptr<f16>, #b_rows>,
                    %c: tensor<64x256xf32, #mma>) -> tensor<64x256xf32, #mma> {
    // CHECK: tt.load %{{.*}} : tensor<64x64x!tt.ptr<f16>, #{{blocked[0-9]*}}>
    %x = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #a_rows>
    // CHECK: tt.load %{{.*}} : tensor<64x256x!tt.ptr<f16>, #[[$PATCHES]]>
    %y = tt.load %pb : tensor<64x256x!tt.ptr<f16>, #b_rows>
    %xa = ttg.convert_layout %x : tensor<64x64xf16, #a_rows> -> tensor<64x64xf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x256xf16, #b_rows> -> tensor<64x256xf16, #b>
    %d = tt.dot %xa, %yb, %c : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
    tt.return %d : tensor<64x256xf32, #mma>
  }
}

// -----

// A tile of which each thread has few elements has smaller patches, and one of 32-bit elements has none.
// Four lanes next to each other hold a vector of eight elements along K.
// CHECK-DAG: #[[$SMALL:.*]] = #ttg.linear<{shape = [32, 64], register = {{\[\[}}0, 1], [0, 2], [1, 0]], lane = {{\[\[}}2, 0], [4, 0], [0, 4], [0, 8], [0, 16], [0, 32]], warp = {{\[\[}}8, 0], [16, 0]], block = []}>
// SHARED-DAG: #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, fold = 2, order = [0, 1]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func @small
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#mma32 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = true}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @small(%pb: tensor<32x64x!tt.ptr<f16>, #rows>, %ps: tensor<32x64x!tt.ptr<f32>, #wide>,
                 %a: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, %c: tensor<64x64xf32, #mma>,
                 %s: tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma32, kWidth = 4}>>,
                 %t: tensor<64x64xf32, #mma32>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma32>) {
    // CHECK: tt.load %{{.*}} : tensor<32x64x!tt.ptr<f16>, #[[$SMALL]]>
    %y = tt.load %pb : tensor<32x64x!tt.ptr<f16>, #rows>
    %yb = ttg.convert_layout %y : tensor<32x64xf16, #rows> -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>>
    %d = tt.dot %a, %yb, %c : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>> -> tensor<64x64xf32, #mma>
    // CHECK: tt.load %{{.*}} : tensor<32x64x!tt.ptr<f32>, #[[$ROWS]]>
    %z = tt.load %ps : tensor<32x64x!tt.ptr<f32>, #wide>
    %zb = ttg.convert_layout %z : tensor<32x64xf32, #wide> -> tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma32, kWidth = 4}>>
    %e = tt.dot %s, %zb, %t : tensor<64x32xf32, #ttg.dot_op<{opIdx = 0, parent = #mma32, kWidth = 4}>> * tensor<32x64xf32, #ttg.dot_op<{opIdx = 1, parent = #mma32, kWidth = 4}>> -> tensor<64x64xf32, #mma32>
    tt.return %d, %e : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma32>
  }
}

// -----

// Of the patches for 32 elements of a thread, 8 x 4 and 4 x 8, the latter has half of the loads.
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.linear<{shape = [64, 256], register = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], lane = {{\[\[}}4, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = {{\[\[}}8, 0], [16, 0], [32, 0]], block = []}>
// CHECK-LABEL: tt.func @wide_rows
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 4], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @wide_rows(%a: tensor<64x64xf16, #a>, %pb: tensor<64x256x!tt.ptr<f16>, #rows>,
                     %c: tensor<64x256xf32, #mma>) -> tensor<64x256xf32, #mma> {
    // CHECK: tt.load %{{.*}} : tensor<64x256x!tt.ptr<f16>, #[[$WIDE]]>
    %y = tt.load %pb : tensor<64x256x!tt.ptr<f16>, #rows>
    %yb = ttg.convert_layout %y : tensor<64x256xf16, #rows> -> tensor<64x256xf16, #b>
    %d = tt.dot %a, %yb, %c : tensor<64x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<64x256xf32, #mma>
    tt.return %d : tensor<64x256xf32, #mma>
  }
}
