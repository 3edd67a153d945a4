"""Products of operands in microscaling formats, against float64."""

import numpy as np
import pytest
import triton
import triton.language as tl
from small_floats import DECODED, Side, assert_product, random_codes

FORMATS = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"]


@triton.jit
def scaled_product(
    a_ptr,
    b_ptr,
    a_scale_ptr,
    b_scale_ptr,
    out_ptr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    GROUP: tl.constexpr,
    A_PACKS_K: tl.constexpr = True,
    B_PACKS_K: tl.constexpr = True,
    FAST: tl.constexpr = False,
    ACCUMULATES: tl.constexpr = False,
):
    A_ROWS: tl.constexpr = M if A_PACKS_K or A_FORMAT != "e2m1" else M // 2
    A_COLUMNS: tl.constexpr = K // 2 if A_PACKS_K and A_FORMAT == "e2m1" else K
    B_ROWS: tl.constexpr = K // 2 if B_PACKS_K and B_FORMAT == "e2m1" else K
    B_COLUMNS: tl.constexpr = N if B_PACKS_K or B_FORMAT != "e2m1" else N // 2
    a = tl.load(a_ptr + tl.arange(0, A_ROWS)[:, None] * A_COLUMNS + tl.arange(0, A_COLUMNS)[None, :])
    b = tl.load(b_ptr + tl.arange(0, B_ROWS)[:, None] * B_COLUMNS + tl.arange(0, B_COLUMNS)[None, :])
    groups = tl.arange(0, K // GROUP)[None, :]
    a_scale = None
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + tl.arange(0, M)[:, None] * (K // GROUP) + groups)
    b_scale = None
    if b_scale_ptr is not None:
        b_scale = tl.load(b_scale_ptr + tl.arange(0, N)[:, None] * (K // GROUP) + groups)
    out = out_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(out) if ACCUMULATES else None
    acc = tl.dot_scaled(
        a,
        a_scale,
        A_FORMAT,
        b,
        b_scale,
        B_FORMAT,
        acc=acc,
        fast_math=FAST,
        lhs_k_pack=A_PACKS_K,
        rhs_k_pack=B_PACKS_K,
        out_dtype=tl.float32,
    )
    tl.store(out, acc)


def check(rng, a_format, b_format, scaled, M=32, N=32, K=64, group=32, packs=(True, True), fast=False, acc=False):
    a = Side(rng, a_format, M, K, group, scaled[0], packs[0], True)
    b = Side(rng, b_format, N, K, group, scaled[1], packs[1], False)
    out = rng.standard_normal((M, N)).astype(np.float32) if acc else np.zeros((M, N), np.float32)
    initial = out.astype(np.float64)
    scaled_product[(1,)](
        a.stored,
        b.stored,
        a.scale,
        b.scale,
        out,
        M,
        N,
        K,
        A_FORMAT=a_format,
        B_FORMAT=b_format,
        GROUP=group,
        A_PACKS_K=packs[0],
        B_PACKS_K=packs[1],
        FAST=fast,
        ACCUMULATES=acc,
    )
    assert_product(out, a.numbers, b.numbers.T, initial)


@pytest.mark.parametrize("b_format", FORMATS)
@pytest.mark.parametrize("a_format", FORMATS)
def test_formats(device, rng, a_format, b_format):
    check(rng, a_format, b_format, (True, True))
    check(rng, a_format, b_format, (False, False), acc=True)


@pytest.mark.parametrize("scaled", [(True, False), (False, True)])
@pytest.mark.parametrize("formats", [("e2m1", "e4m3"), ("e5m2", "fp16"), ("fp16", "bf16"), ("bf16", "e2m1")])
def test_scales_of_one_side(device, rng, formats, scaled):
    check(rng, *formats, scaled)


@pytest.mark.parametrize("packs", [(False, True), (True, False), (False, False)])
def test_packing_along_the_outer_dimension(device, rng, packs):
    formats = ["e4m3" if sum_packed else "e2m1" for sum_packed in packs]
    check(rng, *formats, (True, True), packs=packs)
    check(rng, "e2m1", "e2m1", (True, True), packs=packs)


@pytest.mark.parametrize("M, N, K, group", [(16, 16, 32, 16), (64, 32, 128, 32), (128, 64, 64, 16)])
def test_shapes_and_groups(device, rng, M, N, K, group):
    check(rng, "e2m1", "e4m3", (True, True), M=M, N=N, K=K, group=group, fast=True)


@pytest.mark.parametrize("formats", [("e4m3", "e4m3"), ("e2m1", "e5m2"), ("e4m3", "e2m1"), ("e2m1", "e2m1")])
@pytest.mark.parametrize("scaled", [(True, True), (True, False), (False, False)])
def test_what_units_multiply_with_scales(device, rng, formats, scaled):
    """Tiles as deep as the instructions that take scales, and deeper ones."""
    check(rng, *formats, scaled, M=16, N=32, K=128)
    check(rng, *formats, scaled, M=64, N=32, K=64, acc=True)
    check(rng, *formats, scaled, M=32, N=64, K=256)


@triton.jit
def scaled_batches(a, b, scale, out):
    batch, row, column = (
        tl.arange(0, 4)[:, None, None],
        tl.arange(0, 32)[None, :, None],
        tl.arange(0, 32)[None, None, :],
    )
    at = batch * 1024 + row * 32 + column
    scales = tl.load(scale + batch * 32 + row + tl.zeros((1, 1, 1), tl.int32))
    tl.store(out + at, tl.dot_scaled(tl.load(a + at), scales, "e4m3", tl.load(b + at), scales, "e4m3"))


def test_batches(device, rng):
    codes = [random_codes(rng, "e4m3", (4, 32, 32)) for _ in range(2)]
    scale = rng.integers(120, 134, (4, 32, 1)).astype(np.uint8)
    out = np.zeros((4, 32, 32), np.float32)
    scaled_batches[(1,)](*codes, scale, out)
    power = np.ldexp(1.0, scale.astype(int) - 127)
    left, right = DECODED["e4m3"](codes[0]) * power, DECODED["e4m3"](codes[1]) * power.transpose(0, 2, 1)
    assert_product(out, left, right)


def test_all_scales(device):
    """Each exponent once: 0 is 2^-127, 255 is not a number."""
    K, group = 32, 32
    a = np.full((256, K), 0x38, np.uint8)  # one
    b = np.zeros((K, 16), np.uint8)
    b[0] = 0x38
    scale, out = np.arange(256, dtype=np.uint8)[:, None].copy(), np.zeros((256, 16), np.float32)
    scaled_product[(1,)](a, b, scale, None, out, 256, 16, K, A_FORMAT="e4m3", B_FORMAT="e4m3", GROUP=group, num_warps=8)
    expected = np.ldexp(np.float32(1), np.arange(256) - 127).astype(np.float32)
    np.testing.assert_array_equal(out[1:255], np.broadcast_to(expected[1:255, None], (254, 16)))
    assert np.isin(out[0], (0, expected[0])).all()  # some processors take subnormal bf16 operands for zeros
    assert np.isnan(out[255]).all()


@triton.jit
def small_scales(a, scale, b, out, K: tl.constexpr):
    row, k, group = tl.arange(0, 16)[:, None], tl.arange(0, K)[None, :], tl.arange(0, K // 16)[None, :]
    left = tl.load(a + row * K + k)
    scales = tl.load(scale + row * (K // 16) + group).to(tl.float8e4nv, bitcast=True)
    right = tl.load(b + tl.arange(0, K)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(out + row * 16 + tl.arange(0, 16)[None, :], tl.dot_scaled(left, scales, "e4m3", right, None, "e4m3"))


def test_scales_that_are_floats(device, rng):
    if not device.knows("float8e4nv"):
        pytest.skip("the GPU has no such type")
    a, b = random_codes(rng, "e4m3", (16, 64)), random_codes(rng, "e4m3", (64, 16))
    scale = rng.integers(0x28, 0x48, (16, 4)).astype(np.uint8)
    out = np.zeros((16, 16), np.float32)
    small_scales[(1,)](a, scale, b, out, K=64)
    left = DECODED["e4m3"](a) * np.repeat(DECODED["e4m3"](scale), 16, axis=1)
    assert_product(out, left, DECODED["e4m3"](b))


@triton.jit
def scaled_matmul(a, b, a_scale, b_scale, out, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        packed = k // 2 + tl.arange(0, BK // 2)
        groups = k // 32 + tl.arange(0, BK // 32)
        left = tl.load(a + row[:, None] * (K // 2) + packed[None, :])
        right = tl.load(b + packed[:, None] * N + column[None, :])
        left_scale = tl.load(a_scale + row[:, None] * (K // 32) + groups[None, :])
        right_scale = tl.load(b_scale + column[:, None] * (K // 32) + groups[None, :])
        acc = tl.dot_scaled(left, left_scale, "e2m1", right, right_scale, "e2m1", acc)
    tl.store(out + row[:, None] * N + column[None, :], acc)


@pytest.mark.parametrize("depth", [64, 128])
def test_matmul(device, rng, depth):
    a = Side(rng, "e2m1", 64, 512, 32, True, True, True)
    b = Side(rng, "e2m1", 64, 512, 32, True, True, False)
    out = np.zeros((64, 64), np.float32)
    scaled_matmul[(2, 2)](a.stored, b.stored, a.scale, b.scale, out, 64, 512, BM=32, BN=32, BK=depth)
    assert_product(out, a.numbers, b.numbers.T)
