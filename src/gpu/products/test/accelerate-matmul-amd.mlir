// RUN: triton-opt --tritongpu-accelerate-matmul --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Threads hold 16 bytes along K where the operands are deep enough.
// CHECK-DAG: #[[$F16:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-DAG: #[[$F32:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = true}>
// CHECK-DAG: #[[$TF32:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 8], isTransposed = true}>
// CHECK-DAG: #[[$F64:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = true, elementBitWidth = 64}>
// CHECK-DAG: #[[$I8:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true}>
// CHECK-LABEL: tt.func @gfx942
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @gfx942(%ha: tensor<32x32xf16, #a>, %hb: tensor<32x32xf16, #b>, %ka: tensor<32x16xbf16, #a>,
                  %kb: tensor<16x32xbf16, #b>, %sa: tensor<32x32xf32, #a>, %sb: tensor<32x32xf32, #b>,
                  %da: tensor<32x32xf64, #a>, %db: tensor<32x32xf64, #b>, %ia: tensor<32x64xi8, #a>,
                  %ib: tensor<64x32xi8, #b>, %na: tensor<32x32xf8E4M3FNUZ, #a>, %nb: tensor<32x32xf8E5M2FNUZ, #b>,
                  %oa: tensor<32x32xf8E4M3FN, #a>, %ob: tensor<32x32xf8E4M3FN, #b>, %c: tensor<32x32xf32, #blocked>,
                  %dc: tensor<32x32xf64, #blocked>, %ic: tensor<32x32xi32, #blocked>, %hc: tensor<32x32xf16, #blocked>) {
    // CHECK: tt.dot {{.*}} tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$F16]], kWidth = 8}>>
    %0 = tt.dot %ha, %hb, %c : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} tensor<32x16xbf16, #ttg.dot_op<{opIdx = 0, parent = #[[$F16]], kWidth = 4}>>
    %1 = tt.dot %ka, %kb, %c : tensor<32x16xbf16, #a> * tensor<16x32xbf16, #b> -> tensor<32x32xf32, #blocked>
    // The unit multiplies f32 without rounding it.
    // CHECK: tt.dot {{.*}} tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #[[$F32]], kWidth = 4}>>
    %2 = tt.dot %sa, %sb, %c : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #[[$TF32]], kWidth = 4}>>
    %3 = tt.dot %sa, %sb, %c, inputPrecision = tf32 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} tensor<32x32xf64, #ttg.dot_op<{opIdx = 0, parent = #[[$F64]], kWidth = 2}>>
    %4 = tt.dot %da, %db, %dc : tensor<32x32xf64, #a> * tensor<32x32xf64, #b> -> tensor<32x32xf64, #blocked>
    // CHECK: tt.dot {{.*}} tensor<32x64xi8, #ttg.dot_op<{opIdx = 0, parent = #[[$I8]], kWidth = 16}>>
    %5 = tt.dot %ia, %ib, %ic : tensor<32x64xi8, #a> * tensor<64x32xi8, #b> -> tensor<32x32xi32, #blocked>
    // Of the 8-bit floats, those of this target are multiplied as they are, and the two formats together.
    // CHECK: tt.dot {{.*}} tensor<32x32xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #[[$I8]], kWidth = 8}>> * tensor<32x32xf8E5M2FNUZ,
    %6 = tt.dot %na, %nb, %c : tensor<32x32xf8E4M3FNUZ, #a> * tensor<32x32xf8E5M2FNUZ, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$F16]], kWidth = 8}>>
    %7 = tt.dot %oa, %ob, %c : tensor<32x32xf8E4M3FN, #a> * tensor<32x32xf8E4M3FN, #b> -> tensor<32x32xf32, #blocked>
    // Sums of f16 are f32 within the product.
    // CHECK: tt.dot {{.*}} -> tensor<32x32xf16, #[[$F16]]>
    %8 = tt.dot %ha, %hb, %hc : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Results of one product are operands of the next as they lie, if threads hold four neighbours of both.
// CHECK: #[[$MFMA:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-LABEL: tt.func @chained
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
  tt.func @chained(%q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %v: tensor<64x64xf16, #b>,
                   %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.dot %q, %k, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    %h = arith.truncf %s : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    // CHECK: tt.dot {{.*}} tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MFMA]], kWidth = 4}>>
    %o = tt.dot %p, %v, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %o : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// CHECK: #[[$WMMA:.*]] = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = {{\[\[0, 1\], \[1, 0\]\]}}}, instrShape = [16, 16, 16]}>
// CHECK-LABEL: tt.func @gfx1201
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "hip:gfx1201"} {
  tt.func @gfx1201(%ha: tensor<32x32xf16, #a>, %hb: tensor<32x32xf16, #b>, %c: tensor<32x32xf32, #blocked>,
                   %sa: tensor<32x32xf32, #a>, %sb: tensor<32x32xf32, #b>) {
    // CHECK: tt.dot {{.*}} tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$WMMA]], kWidth = 8}>>
    %0 = tt.dot %ha, %hb, %c : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #blocked1>
    %1 = tt.dot %sa, %sb, %c : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// gfx950 multiplies deep tiles of 8-bit floats twice as fast. Its scales lie as operands with one element in a group of
// lanes would.
// CHECK-DAG: #[[$DEEP:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 128], isTransposed = true}>
// CHECK-DAG: #[[$SHORT:.*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = true}>
// CHECK-DAG: #[[$LEFT:.*]] = #ttg.linear<{shape = [32, 8], register = {{\[\[}}0, 4]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 0], [16, 0]], block = []}>
// CHECK-DAG: #[[$RIGHT:.*]] = #ttg.linear<{shape = [32, 8], register = {{\[\[}}0, 4]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = {{\[\[}}16, 0], [0, 0]], block = []}>
// CHECK-LABEL: tt.func @gfx950
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx950"} {
  tt.func @gfx950(%x: tensor<32x128xf8E4M3FN, #a>, %y: tensor<128x32xf8E5M2, #b>, %u: tensor<32x32xf8E4M3FN, #a>,
                  %v: tensor<32x32xf8E4M3FN, #b>, %p: tensor<32x256xf8E4M3FN, #blocked>, %ps: tensor<32x8xi8, #blocked>,
                  %q: tensor<128x32xi8, #blocked>, %qs: tensor<32x8xi8, #blocked>, %c: tensor<32x32xf32, #blocked>) {
    // CHECK: tt.dot {{.*}} tensor<32x128xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[$DEEP]], kWidth = 16}>> * tensor<128x32xf8E5M2,
    %0 = tt.dot %x, %y, %c : tensor<32x128xf8E4M3FN, #a> * tensor<128x32xf8E5M2, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} tensor<32x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[$SHORT]], kWidth = 8}>>
    %1 = tt.dot %u, %v, %c : tensor<32x32xf8E4M3FN, #a> * tensor<32x32xf8E4M3FN, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot_scaled {{.*}} tensor<32x256xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[$DEEP]], kWidth = 16}>>, tensor<32x8xi8, #[[$LEFT]]> * tensor<128x32xi8, #ttg.dot_op<{opIdx = 1, parent = #[[$DEEP]], kWidth = 16}>>, tensor<32x8xi8, #[[$RIGHT]]> -> tensor<32x32xf32, #[[$DEEP]]>
    %2 = tt.dot_scaled %p scale %ps, %q scale %qs, %c lhs = e4m3 rhs = e2m1 {fastMath = false}
        : tensor<32x256xf8E4M3FN, #blocked>, tensor<32x8xi8, #blocked> * tensor<128x32xi8, #blocked>, tensor<32x8xi8, #blocked> -> tensor<32x32xf32, #blocked>
    tt.return
  }
}
