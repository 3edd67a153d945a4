// Passes refuse modules that earlier stages have not prepared.
// RUN: triton-opt --tritongpu-insert-barriers --split-input-file --verify-diagnostics %s
// RUN: triton-opt --tritongpu-remove-barriers --split-input-file --verify-diagnostics %s
// RUN: triton-opt --convert-triton-gpu-to-llvm --split-input-file --verify-diagnostics %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32, ttg.shared = 2048 : i32} {
  tt.func @conversion(%x: tensor<512xi32, #line>) -> tensor<512xi32, #wide> {
    // expected-error @below {{ttgir-5: needs shared memory and has no place there}}
    %0 = ttg.convert_layout %x : tensor<512xi32, #line> -> tensor<512xi32, #wide>
    tt.return %0 : tensor<512xi32, #wide>
  }
}

// -----

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @buffer(%x: tensor<512xi32, #line>) -> tensor<512xi32, #line> {
    // expected-error @below {{ttgir-5: needs shared memory and has no place there}}
    %0 = ttg.local_alloc %x {allocation.offset = -16 : i32} : (tensor<512xi32, #line>) -> !ttg.memdesc<512xi32, #shared, #ttg.shared_memory>
    %1 = ttg.local_load %0 : !ttg.memdesc<512xi32, #shared, #ttg.shared_memory> -> tensor<512xi32, #line>
    tt.return %1 : tensor<512xi32, #line>
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @plain(%n: i32) {
    // expected-error @below {{ttgir-1: 'tensor<512xi32>' has no layout}}
    %0 = tt.splat %n : i32 -> tensor<512xi32>
    tt.return
  }
}
