// RUN: triton-opt --tritongpu-accelerate-matmul --split-input-file %s | FileCheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// CHECK: #[[$SQUARE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-LABEL: tt.func @types
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @types(%ha: tensor<32x32xf16, #a>, %hb: tensor<32x32xf16, #b>, %sa: tensor<32x32xf32, #a>,
                 %sb: tensor<32x32xf32, #b>, %ia: tensor<32x32xi8, #a>, %ib: tensor<32x32xi8, #b>,
                 %ea: tensor<32x32xf8E5M2, #a>, %eb: tensor<32x32xf8E5M2, #b>, %c: tensor<32x32xf32, #blocked>,
                 %ic: tensor<32x32xi32, #blocked>) {
    // CHECK: tt.dot {{.*}} tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #[[$MMA]], kWidth = 2}>> -> tensor<32x32xf32, #[[$MMA]]>
    %0 = tt.dot %ha, %hb, %c : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}}inputPrecision = tf32 : tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 1}>>
    %1 = tt.dot %sa, %sb, %c, inputPrecision = tf32 : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    // Rounding to tf32 must be asked for. Ordinary units compute in square tiles.
    // CHECK: tt.dot {{.*}} : tensor<32x32xf32, #ttg.dot_op<{opIdx = 0, parent = #[[$SQUARE]]}>>
    %2 = tt.dot %sa, %sb, %c : tensor<32x32xf32, #a> * tensor<32x32xf32, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} : tensor<32x32xi8, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 4}>>
    %3 = tt.dot %ia, %ib, %ic : tensor<32x32xi8, #a> * tensor<32x32xi8, #b> -> tensor<32x32xi32, #blocked>
    // CHECK: tt.fp_to_fp {{.*}} : tensor<32x32xf8E5M2, {{.*}}> -> tensor<32x32xf16
    // CHECK: tt.dot {{.*}} : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>
    %4 = tt.dot %ea, %eb, %c : tensor<32x32xf8E5M2, #a> * tensor<32x32xf8E5M2, #b> -> tensor<32x32xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Of two products in a row, each keeps its rows in one warp.
// CHECK: #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-NOT: #ttg.nvidia_mma<
// CHECK-LABEL: tt.func @chained
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
  tt.func @chained(%q: tensor<64x64xf16, #a>, %k: tensor<64x64xf16, #b>, %v: tensor<64x64xf16, #b>,
                   %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.dot %q, %k, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    %h = arith.truncf %s : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %o = tt.dot %p, %v, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %o : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Less of K than the instruction takes stays on ordinary units.
// CHECK-LABEL: tt.func @small
// CHECK-NOT: nvidia_mma
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @small(%x: tensor<32x8xf16, #a>, %y: tensor<8x32xf16, #b>, %c: tensor<32x32xf32, #blocked>) {
    %0 = tt.dot %x, %y, %c : tensor<32x8xf16, #a> * tensor<8x32xf16, #b> -> tensor<32x32xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Matrix units of sm_75 multiply f16 alone.
// CHECK: #[[$MMA:.*]] = #ttg.nvidia_mma<
// CHECK-LABEL: tt.func @turing
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:75"} {
  tt.func @turing(%ha: tensor<32x32xf16, #a>, %hb: tensor<32x32xf16, #b>, %ba: tensor<32x32xbf16, #a>, %bb: tensor<32x32xbf16, #b>,
                  %ia: tensor<32x32xi8, #a>, %ib: tensor<32x32xi8, #b>, %c: tensor<32x32xf32, #blocked>, %ic: tensor<32x32xi32, #blocked>) {
    // CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #[[$MMA]]>
    %0 = tt.dot %ha, %hb, %c : tensor<32x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} -> tensor<32x32xf32, #blocked
    %1 = tt.dot %ba, %bb, %c : tensor<32x32xbf16, #a> * tensor<32x32xbf16, #b> -> tensor<32x32xf32, #blocked>
    // CHECK: tt.dot {{.*}} -> tensor<32x32xi32, #blocked
    %2 = tt.dot %ia, %ib, %ic : tensor<32x32xi8, #a> * tensor<32x32xi8, #b> -> tensor<32x32xi32, #blocked>
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #rows}>
#b = #ttg.dot_op<{opIdx = 1, parent = #rows}>

// On sm_90 groups of warps read operands that come from memory in shared memory, in either order of 16-bit elements; what
// is computed comes in registers. All groups have rows of their own.
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 16]}>
// CHECK-DAG: #[[$BYTES:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 32]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @warp_groups
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @warp_groups(%pa: tensor<128x64x!tt.ptr<f16>, #rows>, %pb: tensor<64x256x!tt.ptr<f16>, #columns>,
                       %pt: tensor<256x64x!tt.ptr<f16>, #rows>, %c: tensor<128x256xf32, #rows>) {
    %la = tt.load %pa : tensor<128x64x!tt.ptr<f16>, #rows>
    %lb = tt.load %pb : tensor<64x256x!tt.ptr<f16>, #columns>
    %lt = tt.load %pt : tensor<256x64x!tt.ptr<f16>, #rows>
    %a = ttg.convert_layout %la : tensor<128x64xf16, #rows> -> tensor<128x64xf16, #a>
    %b = ttg.convert_layout %lb : tensor<64x256xf16, #columns> -> tensor<64x256xf16, #b>
    // CHECK-DAG: %[[A:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<128x64xf16, #[[$ROWS]], #smem>
    // CHECK-DAG: %[[B:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<64x256xf16, #[[$COLUMNS]], #smem>
    // CHECK: ttg.warp_group_dot %[[A]], %[[B]], %{{.*}} -> tensor<128x256xf32, #[[$WIDE]]>
    %0 = tt.dot %a, %b, %c : tensor<128x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<128x256xf32, #rows>
    // Another product reads the same buffer.
    // CHECK: ttg.warp_group_dot %[[A]], %[[B]], %{{.*}}
    %same = tt.dot %a, %b, %0 : tensor<128x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<128x256xf32, #rows>
    // A transposed operand is a view of its buffer.
    %t = tt.trans %lt {order = array<i32: 1, 0>} : tensor<256x64xf16, #rows> -> tensor<64x256xf16, #columns>
    %bt = ttg.convert_layout %t : tensor<64x256xf16, #columns> -> tensor<64x256xf16, #b>
    // CHECK: %[[T:.*]] = ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : {{.*}} -> !ttg.memdesc<64x256xf16, #[[$COLUMNS]], #smem>
    %doubled = arith.addf %la, %la : tensor<128x64xf16, #rows>
    %ad = ttg.convert_layout %doubled : tensor<128x64xf16, #rows> -> tensor<128x64xf16, #a>
    // CHECK: ttg.warp_group_dot %{{.*}}, %[[T]], %{{.*}} : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$WIDE]], kWidth = 2}>> *
    %1 = tt.dot %ad, %bt, %0 : tensor<128x64xf16, #a> * tensor<64x256xf16, #b> -> tensor<128x256xf32, #rows>
    tt.return
  }

  // Bytes must be contiguous along K; where those of B are not, warps multiply by themselves.
  // CHECK-LABEL: tt.func @bytes
  tt.func @bytes(%pa: tensor<128x64x!tt.ptr<i8>, #rows>, %pb: tensor<64x64x!tt.ptr<i8>, #columns>,
                 %pr: tensor<64x64x!tt.ptr<i8>, #rows>, %c: tensor<128x64xi32, #rows>) {
    %la = tt.load %pa : tensor<128x64x!tt.ptr<i8>, #rows>
    %lb = tt.load %pb : tensor<64x64x!tt.ptr<i8>, #columns>
    %lr = tt.load %pr : tensor<64x64x!tt.ptr<i8>, #rows>
    %a = ttg.convert_layout %la : tensor<128x64xi8, #rows> -> tensor<128x64xi8, #a>
    %b = ttg.convert_layout %lb : tensor<64x64xi8, #columns> -> tensor<64x64xi8, #b>
    // CHECK: ttg.warp_group_dot {{.*}} -> tensor<128x64xi32, #[[$BYTES]]>
    %0 = tt.dot %a, %b, %c : tensor<128x64xi8, #a> * tensor<64x64xi8, #b> -> tensor<128x64xi32, #rows>
    %r = ttg.convert_layout %lr : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #b>
    // CHECK: tt.dot
    %1 = tt.dot %a, %r, %0 : tensor<128x64xi8, #a> * tensor<64x64xi8, #b> -> tensor<128x64xi32, #rows>
    tt.return
  }
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 8], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #rows}>
#b = #ttg.dot_op<{opIdx = 1, parent = #rows}>

// CHECK-DAG: #[[$SINGLE:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 8], order = [0, 1]}>
// Of f32 units read only what is contiguous along K. Threads can read the left operand, and either one can be that.
// CHECK-DAG: #[[$TALL:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 128, 8]}>
// CHECK-DAG: #[[$WIDE:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 256, 8]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
// CHECK-DAG: #[[$COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
// CHECK-LABEL: tt.func @tf32
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @tf32(%pa: tensor<256x32x!tt.ptr<f32>, #rows>, %pat: tensor<256x32x!tt.ptr<f32>, #columns>,
                %pb: tensor<32x128x!tt.ptr<f32>, #rows>, %pbt: tensor<32x128x!tt.ptr<f32>, #columns>, %c: tensor<256x128xf32, #rows>) {
    %la = tt.load %pa : tensor<256x32x!tt.ptr<f32>, #rows>
    %lat = tt.load %pat : tensor<256x32x!tt.ptr<f32>, #columns>
    %lb = tt.load %pb : tensor<32x128x!tt.ptr<f32>, #rows>
    %lbt = tt.load %pbt : tensor<32x128x!tt.ptr<f32>, #columns>
    // CHECK-DAG: %[[A:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<256x32xf32, #[[$ROWS]], #smem>
    // CHECK-DAG: %[[AT:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<256x32xf32, #[[$COLUMNS]], #smem>
    // CHECK-DAG: %[[B:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x128xf32, #[[$ROWS]], #smem>
    // CHECK-DAG: %[[BT:.*]] = ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x128xf32, #[[$COLUMNS]], #smem>
    %a = ttg.convert_layout %la : tensor<256x32xf32, #rows> -> tensor<256x32xf32, #a>
    %at = ttg.convert_layout %lat : tensor<256x32xf32, #columns> -> tensor<256x32xf32, #a>
    %b = ttg.convert_layout %lb : tensor<32x128xf32, #rows> -> tensor<32x128xf32, #b>
    %bt = ttg.convert_layout %lbt : tensor<32x128xf32, #columns> -> tensor<32x128xf32, #b>
    // CHECK: ttg.warp_group_dot %[[A]], %[[BT]], %{{.*}}, inputPrecision = tf32 : {{.*}} -> tensor<256x128xf32, #[[$TALL]]>
    %0 = tt.dot %a, %bt, %c, inputPrecision = tf32 : tensor<256x32xf32, #a> * tensor<32x128xf32, #b> -> tensor<256x128xf32, #rows>
    // CHECK: ttg.warp_group_dot %[[AT]], %[[BT]], %{{.*}} -> tensor<256x128xf32, #[[$TALL]]>
    %1 = tt.dot %at, %bt, %0, inputPrecision = tf32 : tensor<256x32xf32, #a> * tensor<32x128xf32, #b> -> tensor<256x128xf32, #rows>
    // CHECK-DAG: %[[LEFT:.*]] = ttg.memdesc_trans %[[B]] {{.*}} -> !ttg.memdesc<128x32xf32, #[[$COLUMNS]], #smem>
    // CHECK-DAG: %[[RIGHT:.*]] = ttg.memdesc_trans %[[A]] {{.*}} -> !ttg.memdesc<32x256xf32, #[[$COLUMNS]], #smem>
    // CHECK-DAG: %[[SUM:.*]] = tt.trans %{{.*}} : tensor<256x128xf32, {{.*}} -> tensor<128x256xf32
    // CHECK: %[[D:.*]] = ttg.warp_group_dot %[[LEFT]], %[[RIGHT]], %{{.*}} -> tensor<128x256xf32, #[[$WIDE]]>
    // CHECK: tt.trans %[[D]] {order = array<i32: 1, 0>}
    %2 = tt.dot %a, %b, %1, inputPrecision = tf32 : tensor<256x32xf32, #a> * tensor<32x128xf32, #b> -> tensor<256x128xf32, #rows>
    // Where each lies the other way, two operands have other users, and cannot be turned. What is computed would lose bits.
    // CHECK: tt.dot
    %3 = tt.dot %at, %b, %2, inputPrecision = tf32 : tensor<256x32xf32, #a> * tensor<32x128xf32, #b> -> tensor<256x128xf32, #rows>
    %doubled = arith.addf %bt, %bt : tensor<32x128xf32, #b>
    // CHECK: tt.dot
    %4 = tt.dot %a, %doubled, %3, inputPrecision = tf32 : tensor<256x32xf32, #a> * tensor<32x128xf32, #b> -> tensor<256x128xf32, #rows>
    tt.return
  }

  // The smaller operand is turned, element by element.
  // CHECK-LABEL: tt.func @turned
  tt.func @turned(%pa: tensor<256x32x!tt.ptr<f32>, #columns>, %pb: tensor<32x128x!tt.ptr<f32>, #rows>, %c: tensor<256x128xf32, #rows>) {
    %la = tt.load %pa : tensor<256x32x!tt.ptr<f32>, #columns>
    // CHECK: %[[L:.*]] = tt.load %{{.*}} : tensor<32x128x!tt.ptr<f32>, #[[$SINGLE]]>
    // CHECK: %[[R:.*]] = ttg.local_alloc %[[L]] : {{.*}} -> !ttg.memdesc<32x128xf32, #[[$COLUMNS]], #smem>
    %lb = tt.load %pb : tensor<32x128x!tt.ptr<f32>, #rows>
    %a = ttg.convert_layout %la : tensor<256x32xf32, #columns> -> tensor<256x32xf32, #a>
    %b = ttg.convert_layout %lb : tensor<32x128xf32, #rows> -> tensor<32x128xf32, #b>
    // CHECK: ttg.warp_group_dot %{{.*}}, %[[R]], %{{.*}} -> tensor<256x128xf32, #[[$TALL]]>
    %0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<256x32xf32, #a> * tensor<32x128xf32, #b> -> tensor<256x128xf32, #rows>
    tt.return
  }
}

// -----

#odd = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#runs = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #odd}>
#b = #ttg.dot_op<{opIdx = 1, parent = #odd}>

// Of tiles that are loaded element by element, buffers have the order in which threads or lanes hold neighbours: rows
// that a warp apart gives to the same thread are none.
// CHECK-DAG: #[[$LANES:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[$THREADS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @single_elements
// CHECK-DAG: ttg.local_alloc %{{.*}} -> !ttg.memdesc<128x32xf16, #[[$LANES]], #smem>
// CHECK-DAG: ttg.local_alloc %{{.*}} -> !ttg.memdesc<32x128xf16, #[[$THREADS]], #smem>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @single_elements(%pa: tensor<128x32x!tt.ptr<f16>, #odd>, %pb: tensor<32x128x!tt.ptr<f16>, #runs>,
                           %c: tensor<128x128xf32, #odd>) {
    %la = tt.load %pa : tensor<128x32x!tt.ptr<f16>, #odd>
    %lb = tt.load %pb : tensor<32x128x!tt.ptr<f16>, #runs>
    %a = ttg.convert_layout %la : tensor<128x32xf16, #odd> -> tensor<128x32xf16, #a>
    %b = ttg.convert_layout %lb : tensor<32x128xf16, #runs> -> tensor<32x128xf16, #b>
    %0 = tt.dot %a, %b, %c : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #odd>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 4, 1], order = [2, 1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// Warps share the matrices of a batch before they share one.
// CHECK-DAG: #[[$EACH:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
// CHECK-DAG: #[[$HALF:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1, 2], instrShape = [1, 16, 8]}>
// CHECK-LABEL: tt.func @batches
// CHECK: tt.dot {{.*}} -> tensor<4x32x32xf32, #[[$EACH]]>
// CHECK: tt.dot {{.*}} -> tensor<2x32x32xf32, #[[$HALF]]>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @batches(%x: tensor<4x32x64xf16, #a>, %y: tensor<4x64x32xf16, #b>, %c: tensor<4x32x32xf32, #blocked>,
                   %u: tensor<2x32x64xf16, #a>, %v: tensor<2x64x32xf16, #b>, %d: tensor<2x32x32xf32, #blocked>) {
    %0 = tt.dot %x, %y, %c : tensor<4x32x64xf16, #a> * tensor<4x64x32xf16, #b> -> tensor<4x32x32xf32, #blocked>
    %1 = tt.dot %u, %v, %d : tensor<2x32x64xf16, #a> * tensor<2x64x32xf16, #b> -> tensor<2x32x32xf32, #blocked>
    tt.return
  }
}

// -----

#bytes = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#pairs = #ttg.blocked<{sizePerThread = [8, 1, 2], threadsPerWarp = [8, 4, 1], warpsPerCTA = [1, 4, 1], order = [2, 0, 1]}>
#between = #ttg.blocked<{sizePerThread = [8, 2, 1], threadsPerWarp = [8, 1, 4], warpsPerCTA = [1, 1, 4], order = [1, 0, 2]}>
#rows = #ttg.blocked<{sizePerThread = [16, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

// What is unpacked goes to its buffer in the order that the packed elements have in memory, not in that of its factor.
// CHECK-DAG: #[[$DOWN:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-LABEL: tt.func @unpacked
// CHECK: ttg.local_alloc %{{.*}} -> !ttg.memdesc<128x128xbf16, #[[$DOWN]], #smem>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @unpacked(%pa: tensor<64x128x!tt.ptr<bf16>, #blocked>, %pb: tensor<64x128x!tt.ptr<i8>, #bytes>,
                    %factor: tensor<128x128xbf16, #blocked>, %c: tensor<64x128xf32, #blocked>) {
    %la = tt.load %pa : tensor<64x128x!tt.ptr<bf16>, #blocked>
    %lb = tt.load %pb : tensor<64x128x!tt.ptr<i8>, #bytes>
    %numbers = arith.sitofp %lb : tensor<64x128xi8, #bytes> to tensor<64x128xbf16, #bytes>
    %joined = tt.join %numbers, %numbers : tensor<64x128xbf16, #bytes> -> tensor<64x128x2xbf16, #pairs>
    %turned = tt.trans %joined {order = array<i32: 0, 2, 1>} : tensor<64x128x2xbf16, #pairs> -> tensor<64x2x128xbf16, #between>
    %flat = tt.reshape %turned : tensor<64x2x128xbf16, #between> -> tensor<128x128xbf16, #rows>
    %elements = ttg.convert_layout %flat : tensor<128x128xbf16, #rows> -> tensor<128x128xbf16, #blocked>
    %scaled = arith.mulf %elements, %factor : tensor<128x128xbf16, #blocked>
    %a = ttg.convert_layout %la : tensor<64x128xbf16, #blocked> -> tensor<64x128xbf16, #a>
    %b = ttg.convert_layout %scaled : tensor<128x128xbf16, #blocked> -> tensor<128x128xbf16, #b>
    %0 = tt.dot %a, %b, %c : tensor<64x128xbf16, #a> * tensor<128x128xbf16, #b> -> tensor<64x128xf32, #blocked>
    tt.return
  }
}
