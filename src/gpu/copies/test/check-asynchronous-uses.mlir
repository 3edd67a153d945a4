// RUN: triton-opt --tritongpu-check-asynchronous-uses --split-input-file --verify-diagnostics %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // A loop carries the sum, and what waits for it comes behind.
  tt.func public @awaited(%a: !tile, %c: tensor<64x64xf32, #mma>, %n: index) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) {
      %d = ttg.warp_group_dot %a, %a, %acc {isAsync = true} : !tile * !tile -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    %end = ttg.warp_group_dot_wait %sum {pendings = 0 : i32} : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %negated = arith.negf %end : tensor<64x64xf32, #mma>
    tt.return %negated : tensor<64x64xf32, #mma>
  }

  tt.func public @made(%bars: i32) {
    %bar = ttg.local_alloc : () -> !bar
    ttg.init_barrier %bar {count = 1 : i32, manual} : !bar
    ttg.arrive_barrier %bar {count = 1 : i32} : !bar
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!tile = !ttg.memdesc<64x64xf16, #tile, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @used_behind_a_loop(%a: !tile, %c: tensor<64x64xf32, #mma>, %n: index) -> tensor<64x64xf32, #mma> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<64x64xf32, #mma>) {
      %d = ttg.warp_group_dot %a, %a, %acc {isAsync = true} : !tile * !tile -> tensor<64x64xf32, #mma>
      scf.yield %d : tensor<64x64xf32, #mma>
    }
    // expected-error @below {{uses the result of an asynchronous product}}
    %negated = arith.negf %sum : tensor<64x64xf32, #mma>
    tt.return %negated : tensor<64x64xf32, #mma>
  }
}

// -----

#row = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #row, #ttg.shared_memory, mutable>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @never_made(%phase: i32) {
    %bar = ttg.local_alloc : () -> !bar
    // expected-error @below {{the kernel never makes this barrier}}
    ttg.wait_barrier %bar, %phase : !bar
    tt.return
  }
}
