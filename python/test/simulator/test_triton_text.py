"""Kernels in TTGIR as Triton writes it, in the simulator."""

import numpy as np
import triton
from triton.backends.compiler import GPUTarget

#: One warp loads what the others store, over a buffer and a barrier.
HANDOVER = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
        "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @handover(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %m = ttg.local_alloc : () -> !ttg.memdesc<128xi32, #flat, #smem, mutable>
    %bar = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #smem, mutable>
    ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
    ttg.warp_specialize(%x, %m, %bar) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttng.wait_barrier %bar, %c0 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      %v = ttg.local_load %m : !ttg.memdesc<128xi32, #flat, #smem, mutable> -> tensor<128xi32, #blocked>
      %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
      %q = tt.splat %y : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
      %p = tt.addptr %q, %i : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>
      tt.store %p, %v : tensor<128x!tt.ptr<i32>, #blocked>
      ttg.warp_yield
    }
    partition0(%a: !tt.ptr<i32>, %b: !ttg.memdesc<128xi32, #flat, #smem, mutable>, %c: !ttg.memdesc<1xi64, #flat,
        #smem, mutable>) num_warps(1) {
      %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #one>
      %q = tt.splat %a : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #one>
      %p = tt.addptr %q, %i : tensor<128x!tt.ptr<i32>, #one>, tensor<128xi32, #one>
      %v = tt.load %p : tensor<128x!tt.ptr<i32>, #one>
      ttg.local_store %v, %b : tensor<128xi32, #one> -> !ttg.memdesc<128xi32, #flat, #smem, mutable>
      ttng.arrive_barrier %c, 1 : !ttg.memdesc<1xi64, #flat, #smem, mutable>
      ttg.warp_return
    } : (!tt.ptr<i32>, !ttg.memdesc<128xi32, #flat, #smem, mutable>, !ttg.memdesc<1xi64, #flat, #smem, mutable>) -> ()
    tt.return
  }
}
"""


def test_groups_of_warps(tmp_path):
    text = tmp_path / "handover.ttgir"
    text.write_text(HANDOVER)
    kernel = triton.compile(str(text), target=GPUTarget("sim:cuda", 90, 32))
    x, y = np.arange(128, dtype=np.int32) * 3, np.zeros(128, np.int32)
    kernel[(1, 1, 1)](x, y)
    np.testing.assert_array_equal(y, x)
