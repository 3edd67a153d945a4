// RUN: triton-opt --tritongpu-overlap-dots --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=.* %s -o /dev/null

// Why a program waits for its products.

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
!buffer = !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
!sum = tensor<64x64xf32, #mma>
!half = tensor<64x64xf16, #mma>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func @used(%a: !buffer, %b: !buffer, %zero: !sum, %h: !half, %n: i32) -> (!sum, !half) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %half = %h) -> (!sum, !half) : i32 {
      // expected-remark @below {{Reason="what follows at once needs its result, or writes its operands", Remark="the program waits for the product before it does anything else"}}
      %d = ttg.warp_group_dot %a, %b, %acc : !buffer * !buffer -> !sum
      %e = math.exp %d : !sum
      // expected-remark @below {{Reason="sums of 16 bits share registers"}}
      %f = ttg.warp_group_dot %a, %b, %half : !buffer * !buffer -> !half
      scf.yield %e, %f : !sum, !half
    }
    // Outside of loops there is nothing to do beside.
    %o = ttg.warp_group_dot %a, %b, %r#0 : !buffer * !buffer -> !sum
    tt.return %o, %r#1 : !sum, !half
  }
}
