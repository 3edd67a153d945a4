// Code is for one block; layouts over several are refused.
// RUN: triton-opt %s --convert-triton-gpu-to-llvm --split-input-file --verify-diagnostics

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
// expected-error @below {{`ttg.num-ctas` is 2; code is for one block, so it must be 1: `tritongpu-divide-among-blocks`}}
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster() {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #line>
    tt.return
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tensor() {
    // expected-error @below {{whose layout is over several blocks, but the program is one}}
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #line>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @buffer() {
    // expected-error @below {{whose layout is over several blocks, but the program is one}}
    %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<256xi32, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}
