"""Products whose right operand each iteration computes, such as weights of 4 or 8 bits, against float64."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from values import argument, poisoned, random_values, read


@triton.jit
def product_of_codes(
    a_ptr,
    words_ptr,
    scales_ptr,
    c_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    TRANSPOSED: tl.constexpr,
):
    """Eight codes of 4 bits in a word, neighbours of a column; a factor for GROUP codes of a column."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a_ptr + m[:, None] * K + start + k[None, :], (m[:, None] < M) & (start + k[None, :] < K), 0.0)
        row = start + k
        if TRANSPOSED:
            words = tl.load(words_ptr + n[:, None] * (K // 8) + row[None, :] // 8, row[None, :] < K, 0).T
        else:
            words = tl.load(words_ptr + (row // 8)[:, None] * N + n[None, :], row[:, None] < K, 0)
        scales = tl.load(scales_ptr + (start // GROUP) * N + n)
        w = (((words >> ((row % 8) * 4)[:, None]) & 15) - 8).to(tl.bfloat16) * scales[None, :]
        sum = tl.dot(x, w, sum)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum, m[:, None] < M)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    "block, size, warps, stages",
    [
        ((64, 64, 64), (100, 128, 256), 4, 3),
        ((128, 64, 32), (130, 64, 224), 8, 2),
        ((64, 128, 128), (64, 128, 384), 4, 4),
        ((16, 32, 128), (20, 64, 512), 4, 4),
        ((64, 32, 32), (64, 32, 32), 4, 1),
    ],
)
def test_codes_of_four_bits(block, size, warps, stages, transposed, rng, device):
    (M, N, K), (BM, BN, BK) = size, block
    group = max(BK, 64)
    a = random_values(rng, (M, K), "bfloat16")
    codes = rng.integers(0, 16, (K, N))
    words = np.zeros((K // 8, N), np.uint32)
    for place in range(8):
        words |= codes[place::8].astype(np.uint32) << (4 * place)
    words = np.ascontiguousarray(words.T if transposed else words).view(np.int32)
    scales = random_values(rng, (-(-K // group), N), "bfloat16", low=0.5, high=2)
    c = poisoned((M, N), "float32")
    kernel = product_of_codes[(triton.cdiv(M, BM), N // BN)](
        argument(a, "bfloat16"),
        words,
        argument(scales, "bfloat16"),
        c,
        M,
        N,
        K,
        BM=BM,
        BN=BN,
        BK=BK,
        GROUP=group,
        TRANSPOSED=transposed,
        num_warps=warps,
        num_stages=stages,
    )
    factors = np.repeat(read(scales, "bfloat16").astype(np.float64), group, 0)[:K]
    weights = ((codes - 8).astype(np.float64) * factors).astype(ml_dtypes.bfloat16).astype(np.float64)
    left = read(a, "bfloat16").astype(np.float64)
    error = np.abs(c - left @ weights) / (np.abs(left) @ np.abs(weights) + 1e-30)
    assert error.max() <= 1e-5
    if device.name in ("cuda:90", "sim:cuda:90", "cuda") and BM >= 64:
        assert ("warp_group_dot" in kernel.asm["ttgir"]) == (device.name != "cuda" or kernel.metadata.target.arch == 90)


@triton.jit
def product_of_bytes(
    a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TWICE: tl.constexpr
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), tl.float32)
    other = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        x = tl.load(a_ptr + m[:, None] * K + start + k[None, :])
        w = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :]).to(tl.float16)
        sum = tl.dot(x, w, sum)
        if TWICE:
            other = tl.dot(x, w * w, other)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum + other)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("depth", [0, 32, 64, 320])
@pytest.mark.parametrize("warps, stages", [(4, 3), (8, 2), (4, 1)])
def test_bytes(twice, depth, warps, stages, rng, device):
    """Iterations from none on; operands in two buffers in turn."""
    M, N, block = 128, 128, (64, 64, 32)
    a = random_values(rng, (M, depth), "float16")
    b = rng.integers(-9, 10, (depth, N)).astype(np.int8)
    c = poisoned((M, N), "float32")
    product_of_bytes[(M // block[0], N // block[1])](
        argument(a, "float16"), b, c, M, N, depth, *block, TWICE=twice, num_warps=warps, num_stages=stages
    )
    left, right = np.asarray(a).astype(np.float64), b.astype(np.float64)
    if twice:
        right = right + right * right
    error = np.abs(c - left @ right) / (np.abs(left) @ np.abs(right) + 1e-30)
    assert error.max() <= 1e-5
