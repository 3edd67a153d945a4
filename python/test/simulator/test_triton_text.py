"""Kernels in TTGIR as Triton writes it, in the simulator."""

import numpy as np
import pytest
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


#: Bytes become 8-bit or 4-bit floats in turn, and bf16 by an operation of Triton.
WIDENING = """
#bytes = #ttg.blocked<{{sizePerThread = [2], threadsPerWarp = [{lanes}], warpsPerCTA = [1], order = [0]}}>
#wide = #ttg.blocked<{{sizePerThread = [{each}], threadsPerWarp = [{lanes}], warpsPerCTA = [1], order = [0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "{target}",
        "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @widen(%x: !tt.ptr<{source}>, %y: !tt.ptr<f32>) {{
    %i = tt.make_range {{end = 256 : i32, start = 0 : i32}} : tensor<256xi32, #bytes>
    %q = tt.splat %x : !tt.ptr<{source}> -> tensor<256x!tt.ptr<{source}>, #bytes>
    %p = tt.addptr %q, %i : tensor<256x!tt.ptr<{source}>, #bytes>, tensor<256xi32, #bytes>
    %v = tt.load %p : tensor<256x!tt.ptr<{source}>, #bytes>
    %scale = arith.constant dense<0.25> : tensor<{count}xbf16, #wide>
    %w = {operation} -> tensor<{count}xbf16, #wide>
    %f = arith.extf %w : tensor<{count}xbf16, #wide> to tensor<{count}xf32, #wide>
    %j = tt.make_range {{end = {count} : i32, start = 0 : i32}} : tensor<{count}xi32, #wide>
    %t = tt.splat %y : !tt.ptr<f32> -> tensor<{count}x!tt.ptr<f32>, #wide>
    %r = tt.addptr %t, %j : tensor<{count}x!tt.ptr<f32>, #wide>, tensor<{count}xi32, #wide>
    tt.store %r, %f : tensor<{count}x!tt.ptr<f32>, #wide>
    tt.return
  }}
}}
"""


def four_bits(codes):
    magnitudes = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)[codes & 7]
    return np.where(codes & 8, -magnitudes, magnitudes)


@pytest.mark.parametrize(
    "target, source, operation, scale",
    [
        (("cuda", 90, 32), "i8", "ttg.fp4_to_fp %v {axis = 0 : i32} : tensor<256xi8, #bytes>", 1),
        (
            ("hip", "gfx942", 64),
            "i8",
            "amdg.scaled_upcast_fp4 %v scale %scale {axis = 0 : i32} : tensor<256xi8, #bytes>, tensor<512xbf16, #wide>",
            0.25,
        ),
        (
            ("hip", "gfx942", 64),
            "f8E5M2",
            "amdg.scaled_upcast_fp8 %v scale %scale : tensor<256xf8E5M2, #bytes>, tensor<256xbf16, #wide>",
            0.25,
        ),
    ],
)
def test_widening(target, source, operation, scale, tmp_path):
    backend, architecture, lanes = target
    packed = source == "i8"
    x = np.arange(256, dtype=np.uint8)
    # The upper half of a float of 16 bits is one of the format e5m2.
    expected = (x.astype(np.uint16) << 8).view(np.float16)
    if packed:
        expected = four_bits(np.stack([x & 15, x >> 4], 1).ravel())
    text = tmp_path / "widen.ttgir"
    text.write_text(
        WIDENING.format(
            target=f"{backend}:{architecture}",
            lanes=lanes,
            each=4 if packed else 2,
            source=source,
            count=len(expected),
            operation=operation,
        )
    )
    kernel = triton.compile(str(text), target=GPUTarget(f"sim:{backend}", architecture, lanes))
    y = np.zeros(len(expected), np.float32)
    kernel[(1, 1, 1)](x, y)
    with np.errstate(invalid="ignore"):  # NaNs of e5m2 may be signaling
        np.testing.assert_array_equal(y, expected.astype(np.float32) * scale)


def addresses(name, pointer, rows, columns, layout):
    """IR for pointers to the elements of a matrix with `columns` columns, as `%name`."""
    matrix, row = f"tensor<{rows}x{columns}xi32, {layout}>", f"tensor<{rows}x1xi32, {layout}>"
    along = [f"#ttg.slice<{{dim = {dimension}, parent = {layout}}}>" for dimension in (1, 0)]
    pointers = f"tensor<{rows}x{columns}x{pointer}, {layout}>"
    return f"""
    %{name}1 = tt.make_range {{end = {rows} : i32, start = 0 : i32}} : tensor<{rows}xi32, {along[0]}>
    %{name}2 = tt.expand_dims %{name}1 {{axis = 1 : i32}} : tensor<{rows}xi32, {along[0]}> -> {row}
    %{name}3 = arith.constant dense<{columns}> : {row}
    %{name}4 = arith.muli %{name}2, %{name}3 : {row}
    %{name}5 = tt.broadcast %{name}4 : {row} -> {matrix}
    %{name}6 = tt.make_range {{end = {columns} : i32, start = 0 : i32}} : tensor<{columns}xi32, {along[1]}>
    %{name}7 = tt.expand_dims %{name}6 {{axis = 0 : i32}} : tensor<{columns}xi32, {along[1]}>
      -> tensor<1x{columns}xi32, {layout}>
    %{name}8 = tt.broadcast %{name}7 : tensor<1x{columns}xi32, {layout}> -> {matrix}
    %{name}9 = arith.addi %{name}5, %{name}8 : {matrix}
    %{name}10 = tt.splat %{name}0 : {pointer} -> {pointers}
    %{name} = tt.addptr %{name}10, %{name}9 : {pointers}, {matrix}"""


#: Multiplies by the second half of a buffer along K, whose elements are the second halves of rows of its pattern.
HALF = f"""
#blocked = #ttg.blocked<{{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}}>
#mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}}>
#left = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 2}}>
#shared = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
        "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @half(%a0: !tt.ptr<f16>, %b0: !tt.ptr<f16>, %c0: !tt.ptr<f32>) {{
    {addresses("a", "!tt.ptr<f16>", 64, 32, "#left")}
    {addresses("b", "!tt.ptr<f16>", 64, 64, "#blocked")}
    {addresses("c", "!tt.ptr<f32>", 64, 64, "#mma")}
    %x = tt.load %a : tensor<64x32x!tt.ptr<f16>, #left>
    %y = tt.load %b : tensor<64x64x!tt.ptr<f16>, #blocked>
    %m = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %h = ttg.memdesc_subslice %m[32, 0] : !ttg.memdesc<64x64xf16, #shared, #smem>
      -> !ttg.memdesc<32x64xf16, #shared, #smem, 64x64>
    ttng.fence_async_shared {{bCluster = false}}
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %p = ttng.warp_group_dot %x, %h, %zero : tensor<64x32xf16, #left>
      * !ttg.memdesc<32x64xf16, #shared, #smem, 64x64> -> tensor<64x64xf32, #mma>
    tt.store %c, %p : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }}
}}
"""


def test_product_with_a_part_of_the_pattern(tmp_path):
    text = tmp_path / "half.ttgir"
    text.write_text(HALF)
    kernel = triton.compile(str(text), target=GPUTarget("sim:cuda", 90, 32))
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-8, 8, shape).astype(np.float16) for shape in ((64, 32), (64, 64)))
    c = np.zeros((64, 64), np.float32)
    kernel[(1, 1, 1)](a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b[32:].astype(np.float32))
