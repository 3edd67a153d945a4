// RUN: triton-opt --tritongpu-accelerate-matmul --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Why products do not use the best unit.

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // wgmma computes the first; no more is to be said.
  tt.func @loaded(%pa: tensor<64x64x!tt.ptr<f16>, #blocked>, %pb: tensor<64x64x!tt.ptr<f16>, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %x = tt.load %pa : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>, #blocked>
    %xa = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #b>
    %d = tt.dot %xa, %yb, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  // It computes this one, too, whose right operand goes to shared memory for it.
  tt.func @computed(%x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  tt.func @orders(%pa: tensor<64x64x!tt.ptr<f8E5M2>, #blocked>, %pb: tensor<64x64x!tt.ptr<f8E5M2>, #blocked>,
                  %ta: tensor<64x64x!tt.ptr<f8E5M2>, #columns>, %tb: tensor<64x64x!tt.ptr<f8E5M2>, #columns>, %c: tensor<64x64xf32, #blocked>) {
    %x = tt.load %pa : tensor<64x64x!tt.ptr<f8E5M2>, #blocked>
    %y = tt.load %pb : tensor<64x64x!tt.ptr<f8E5M2>, #blocked>
    %u = tt.load %ta : tensor<64x64x!tt.ptr<f8E5M2>, #columns>
    %v = tt.load %tb : tensor<64x64x!tt.ptr<f8E5M2>, #columns>
    %xa = ttg.convert_layout %x : tensor<64x64xf8E5M2, #blocked> -> tensor<64x64xf8E5M2, #a>
    %yb = ttg.convert_layout %y : tensor<64x64xf8E5M2, #blocked> -> tensor<64x64xf8E5M2, #b>
    %ua = ttg.convert_layout %u : tensor<64x64xf8E5M2, #columns> -> tensor<64x64xf8E5M2, #a>
    %vb = ttg.convert_layout %v : tensor<64x64xf8E5M2, #columns> -> tensor<64x64xf8E5M2, #b>
    // expected-remark @below {{Reason="it cannot read the right operand in the order that it has in memory"}}
    %0 = tt.dot %xa, %yb, %c : tensor<64x64xf8E5M2, #a> * tensor<64x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    // expected-remark @below {{Reason="it cannot read the left operand in the order that it has in memory"}}
    %1 = tt.dot %ua, %vb, %c : tensor<64x64xf8E5M2, #a> * tensor<64x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    tt.return
  }
  tt.func @types(%x: tensor<64x64xf32, #a>, %y: tensor<64x64xf32, #b>, %da: tensor<64x64xf64, #a>, %db: tensor<64x64xf64, #b>,
                 %c: tensor<64x64xf32, #blocked>, %dc: tensor<64x64xf64, #blocked>) {
    // expected-remark @below {{Reason="matrix units do not multiply f32 without rounding it", Remark="the product uses ordinary units and not matrix units", Suggestion="`input_precision="tf32"`}}
    %0 = tt.dot %x, %y, %c : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #blocked>
    // expected-remark @below {{Reason="it cannot read the right operand in the order that it has in memory", Remark="the product uses mma.sync and not wgmma"}}
    %1 = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<64x64xf32, #a> * tensor<64x64xf32, #b> -> tensor<64x64xf32, #blocked>
    // expected-remark @below {{Reason="wgmma does not multiply these element types"}}
    %2 = tt.dot %da, %db, %dc : tensor<64x64xf64, #a> * tensor<64x64xf64, #b> -> tensor<64x64xf64, #blocked>
    tt.return
  }
  tt.func @small(%x: tensor<32x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<32x64xf32, #blocked>) -> tensor<32x64xf32, #blocked> {
    // expected-remark @below {{Reason="the tile is smaller than what the unit computes at once"}}
    %d = tt.dot %x, %y, %c : tensor<32x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<32x64xf32, #blocked>
    tt.return %d : tensor<32x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 32], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @batch(%x: tensor<2x64x64xf16, #a>, %y: tensor<2x64x64xf16, #b>, %c: tensor<2x64x64xf32, #blocked>) -> tensor<2x64x64xf32, #blocked> {
    // expected-remark @below {{Reason="it does not multiply batches of matrices"}}
    %d = tt.dot %x, %y, %c : tensor<2x64x64xf16, #a> * tensor<2x64x64xf16, #b> -> tensor<2x64x64xf32, #blocked>
    tt.return %d : tensor<2x64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @fewWarps(%x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    // expected-remark @below {{Reason="groups of warps compute together, and the program has fewer warps than a group"}}
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @manyWarps(%x: tensor<64x64xf16, #a>, %y: tensor<64x8xf16, #b>, %c: tensor<64x8xf32, #blocked>) -> tensor<64x8xf32, #blocked> {
    // expected-remark @below {{Reason="there are more groups of warps than tiles"}}
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x8xf16, #b> -> tensor<64x8xf32, #blocked>
    tt.return %d : tensor<64x8xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:75"} {
  tt.func @noUnit(%x: tensor<64x64xbf16, #a>, %y: tensor<64x64xbf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    // expected-remark @below {{Reason="no matrix unit of the target multiplies these element types"}}
    %d = tt.dot %x, %y, %c : tensor<64x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:100"} {
  tt.func @newerUnit(%x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    // expected-remark @below {{Reason="tcgen05, the fastest unit of this target, is used by kernels in Gluon alone yet", Remark="the product uses mma.sync and not a faster unit"}}
    %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
