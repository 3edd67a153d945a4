// RUN: triton-opt %s --split-input-file --convert-triton-gpu-to-llvm --verify-diagnostics
// What a target cannot do is an error, and is not left out.

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fence() {
    // expected-error @below {{not supported on cuda:80: a fence between threads and bulk copies}}
    ttg.fence_async_shared
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @registers() {
    // expected-error @below {{not supported on hip:gfx942: bulk copies and the barriers at which they end}}
    ttg.set_registers 40
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 0 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @wait() {
    %sum = arith.constant dense<0.0> : tensor<64x8xf32, #mma>
    // expected-error @below {{products of groups of warps, which compute capability 9.0 alone has}}
    %done = ttg.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x8xf32, #mma> -> tensor<64x8xf32, #mma>
    tt.return
  }
}
