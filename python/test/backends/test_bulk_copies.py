"""Operands of products that come through tensor descriptors: on sm_90 a warp of its own loads them by bulk copies."""

import random

import numpy as np
import pytest
import triton
import triton.language as tl
from bulk_operands import HOPPER, TOLERANCES, describe, is_moved, padded, persistent, relative_error
from triton.tools.tensor_descriptor import TensorDescriptor
from values import aligned, is_refused, poisoned, random_values, read


@triton.jit
def product(a_desc, b_desc, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, B_ROWS: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        a = a_desc.load([row, k])
        if B_ROWS:
            sum = tl.dot(a, b_desc.load([k, column]), sum)
        else:
            sum = tl.dot(a, b_desc.load([column, k]).T, sum)
    m = row + tl.arange(0, BM)
    n = column + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum, (m[:, None] < M) & (n[None, :] < N))


def run_product(rng, dtype, block, size, warps, stages, b_rows):
    (BM, BN, BK), (M, N, K) = block, size
    a = random_values(rng, (M, K), dtype)
    b = random_values(rng, (K, N) if b_rows else (N, K), dtype)
    c = poisoned((M, N), "float32")
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    kernel = product[grid](
        describe(a, dtype, [BM, BK]),
        describe(b, dtype, [BK, BN] if b_rows else [BN, BK]),
        c,
        M,
        N,
        K,
        *block,
        B_ROWS=b_rows,
        num_warps=warps,
        num_stages=stages,
    )
    exact = [read(x, dtype).astype(np.float64) for x in (a, b)]
    return kernel, relative_error(read(c, "float32"), exact[0], exact[1] if b_rows else exact[1].T)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float8e5", "float8e4nv"])
def test_blocks_and_edges(seed, dtype, rng, device):
    choose = random.Random(f"{seed} {dtype}")
    block = choose.choice([64, 128]), choose.choice([32, 64, 128]), choose.choice([32, 64, 128])
    size = choose.choice([(128, 128, 256), (130, 72, 200), (64, 256, 96), (65, 33, 1)])
    warps, stages = choose.choice([4, 8]), choose.choice([1, 2, 3, 4])
    b_rows = choose.random() < 0.5

    def run():
        return run_product(rng, dtype, block, size, warps, stages, b_rows)

    if is_refused(device, dtype, run):
        return
    kernel, error = run()
    assert error <= TOLERANCES.get(dtype, 2**-18), (block, size, warps, stages, b_rows)
    if device.name in HOPPER:
        assert is_moved(kernel)


@pytest.mark.parametrize("warps", [4, 8])
@pytest.mark.parametrize(
    "programs, size", [(1, (192, 130, 96)), (3, (300, 200, 256)), (4, (64, 64, 32)), (2, (128, 128, 0))]
)
def test_a_program_of_many_tiles(programs, size, warps, rng, device):
    """The copies of the next tile begin while this one is stored. There may be none at all."""
    M, N, K = size
    a, b = random_values(rng, (M, max(K, 8)), "float16"), random_values(rng, (N, max(K, 8)), "float16")
    c, stride = padded(poisoned((M, N), "float32"), "float32")
    kernel = persistent[(programs,)](
        describe(a, "float16", [64, 32]),
        describe(b, "float16", [64, 32]),
        TensorDescriptor(c, [M, N], [stride, 1], [64, 64]),
        M,
        N,
        K,
        BLOCK=64,
        DEPTH=32,
        num_warps=warps,
    )
    a, b = a[:, :K].astype(np.float64), b[:, :K].astype(np.float64)
    assert relative_error(c[:, :N], a, b.T) <= 2**-18
    if device.name in HOPPER:
        assert is_moved(kernel)


@triton.jit
def attention(
    q_desc, k_desc, v_desc, out, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr
):
    row = tl.program_id(0) * BM
    q = q_desc.load([row, 0])
    m = row + tl.arange(0, BM)
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    end = row + BM if CAUSAL else L
    for start in range(0, end, BN):
        scores = tl.dot(q, k_desc.load([start, 0]).T) * scale
        n = start + tl.arange(0, BN)
        if CAUSAL:
            scores = tl.where(m[:, None] >= n[None, :], scores, float("-inf"))
        else:
            scores = tl.where(n[None, :] < L, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_top[:, None])
        factor = tl.math.exp2(top - new_top)
        total = total * factor + tl.sum(p, 1)
        sum = tl.dot(p.to(tl.float16), v_desc.load([start, 0]), sum * factor[:, None])
        top = new_top
    result = sum / total[:, None]
    tl.store(out + m[:, None] * D + tl.arange(0, D)[None, :], result, m[:, None] < L)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("L, D, BM, BN, warps", [(192, 64, 64, 64, 4), (200, 64, 128, 32, 8), (160, 128, 64, 32, 4)])
def test_attention(causal, L, D, BM, BN, warps, rng, device):
    q, k, v = (random_values(rng, (L, D), "float16") for _ in range(3))
    out = poisoned((L, D), "float32")
    scale = D**-0.5 * 1.44269504
    kernel = attention[(triton.cdiv(L, BM),)](
        describe(q, "float16", [BM, D]),
        describe(k, "float16", [BN, D]),
        describe(v, "float16", [BN, D]),
        out,
        L,
        scale,
        D=D,
        BM=BM,
        BN=BN,
        CAUSAL=causal,
        num_warps=warps,
        num_stages=2,
    )
    scores = q.astype(np.float64) @ k.astype(np.float64).T * scale
    if causal:
        scores[np.triu_indices(L, 1)] = -np.inf
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    expected = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    assert np.abs(out - expected).max() <= 4e-3
    if device.name in HOPPER:
        assert is_moved(kernel)


@triton.jit
def attention_of_tiles(
    q_desc, k_desc, v_desc, out, L, first, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    for row in range(tl.program_id(0) * BM, L, tl.num_programs(0) * BM):
        q = q_desc.load([row, 0])
        m = row + tl.arange(0, BM)
        top = tl.full((BM,), float("-inf"), tl.float32)
        total = tl.zeros((BM,), tl.float32)
        sum = tl.zeros((BM, D), tl.float32)
        for start in range(first, row, BN):
            scores = tl.dot(q, k_desc.load([start, 0]).T) * scale
            new_top = tl.maximum(top, tl.max(scores, 1))
            p = tl.math.exp2(scores - new_top[:, None])
            factor = tl.math.exp2(top - new_top)
            total = total * factor + tl.sum(p, 1)
            sum = tl.dot(p.to(tl.float16), v_desc.load([start, 0]), sum * factor[:, None])
            top = new_top
        for start in tl.range(row, row + BM, BN):
            scores = tl.dot(q, k_desc.load([start, 0]).T) * scale
            n = start + tl.arange(0, BN)
            scores = tl.where(m[:, None] >= n[None, :], scores, float("-inf"))
            new_top = tl.maximum(top, tl.max(scores, 1))
            p = tl.math.exp2(scores - new_top[:, None])
            factor = tl.math.exp2(top - new_top)
            total = total * factor + tl.sum(p, 1)
            sum = tl.dot(p.to(tl.float16), v_desc.load([start, 0]), sum * factor[:, None])
            top = new_top
        tl.store(out + m[:, None] * D + tl.arange(0, D)[None, :], sum / total[:, None], m[:, None] < L)


@pytest.mark.parametrize("programs", [1, 2])
@pytest.mark.parametrize(
    "L, D, BN, warps, stages", [(512, 64, 64, 8, 2), (330, 64, 128, 8, 3), (400, 128, 64, 8, 3), (300, 64, 32, 4, 2)]
)
def test_groups_take_turns(programs, L, D, BN, warps, stages, rng, device):
    """Loops without iterations, with one, and with several, in programs of several tiles: causal attention."""
    q, k, v = (random_values(rng, (L, D), "float16") for _ in range(3))
    out = poisoned((L, D), "float32")
    scale = D**-0.5 * 1.44269504
    blocks = [describe(values, "float16", [rows, D]) for values, rows in ((q, 128), (k, BN), (v, BN))]
    kernel = attention_of_tiles[(programs,)](
        *blocks, out, L, 0, scale, D=D, BM=128, BN=BN, num_warps=warps, num_stages=stages
    )
    scores = q.astype(np.float64) @ k.astype(np.float64).T * scale
    scores[np.triu_indices(L, 1)] = -np.inf
    weights = np.exp2(scores - scores.max(1, keepdims=True))
    expected = weights @ v.astype(np.float64) / weights.sum(1, keepdims=True)
    assert np.abs(out - expected).max() <= 4e-3
    if device.name in HOPPER:
        assert is_moved(kernel)
        assert ("ttg.wait_turn" in kernel.asm["ttgir"]) == (warps == 8)


@triton.jit
def product_of_pointers(a_ptr, b_ptr, c_ptr, K, stride, OFFSET: tl.constexpr, PADDING: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr + OFFSET, [64, K], [stride, 1], [64, 32], PADDING)
    b_desc = tl.make_tensor_descriptor(b_ptr, [64, K], [stride, 1], [64, 32])
    sum = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 32):
        sum = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, sum)
    n = tl.arange(0, 64)
    tl.store(c_ptr + n[:, None] * 64 + n[None, :], sum)


@pytest.mark.parametrize(
    "K, stride, offset, padding, moved",
    [
        (96, 96, 0, "zero", 2),
        (80, 96, 8, "zero", 2),
        (90, 96, 0, "nan", 2),
        (96, 100, 0, "zero", 0),  # rows that begin anywhere
        (80, 96, 2, "zero", 1),
    ],
)
def test_descriptors_that_the_kernel_makes(K, stride, offset, padding, moved, rng, device):
    """The launch makes their maps where it knows what they are made of, and where alignment is known."""
    a = aligned(random_values(rng, (65, stride), "float16"))
    b = aligned(random_values(rng, (64, stride), "float16"))
    c = poisoned((64, 64), "float32")
    kernel = product_of_pointers[(1,)](a, b, c, K, stride, OFFSET=offset, PADDING=padding)
    left = a.reshape(-1)[offset : offset + 64 * stride].reshape(64, stride)[:, :K].astype(np.float64)
    if padding == "nan" and K % 32:
        assert np.isnan(c).all()
    else:
        assert relative_error(c, left, b[:, :K].astype(np.float64).T) <= 2**-18
    if device.name in HOPPER:
        assert kernel.asm["ttgir"].count("ttg.async_mapped_load") == moved


@triton.jit
def product_of_columns(a_desc, b_desc, c_ptr, first_ptr, first, last, LOADED: tl.constexpr):
    if LOADED:
        first = tl.multiple_of(tl.load(first_ptr), 8)
    sum = tl.zeros((64, 64), tl.float32)
    for k in range(first, last, 32):
        sum = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, sum)
    n = tl.arange(0, 64)
    tl.store(c_ptr + n[:, None] * 64 + n[None, :], sum)


@pytest.mark.parametrize("first, loaded", [(0, False), (16, False), (8, False), (3, False), (-5, False), (8, True)])
def test_columns_begin_anywhere(first, loaded, rng, device):
    """Copies do not, so they are for columns that are known to be multiples of 16 bytes."""
    a, b = (random_values(rng, (64, 128), "float16") for _ in range(2))
    c = poisoned((64, 64), "float32")
    operands = [describe(values, "float16", [64, 32]) for values in (a, b)]
    kernel = product_of_columns[(1,)](*operands, c, np.full(1, first, np.int32), first, 128, LOADED=loaded)
    assert (
        relative_error(c, a[:, max(first, 0) :].astype(np.float64), b[:, max(first, 0) :].astype(np.float64).T)
        <= 2**-18
    )
    if device.name in HOPPER:
        assert is_moved(kernel) == (loaded or first % 16 == 0)


@triton.jit
def product_of_extents(a_ptr, b_ptr, c_ptr, M, K, stride, DEPTH: tl.constexpr, PADDING: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [stride, 1], [64, 32], PADDING)
    b_desc = tl.make_tensor_descriptor(b_ptr, [64, DEPTH], [DEPTH, 1], [64, 32])
    sum = tl.zeros((64, 64), tl.float32)
    for k in range(0, DEPTH, 32):
        sum = tl.dot(a_desc.load([0, k]), b_desc.load([0, k]).T, sum)
    n = tl.arange(0, 64)
    tl.store(c_ptr + n[:, None] * 64 + n[None, :], sum)


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize(
    "M, K, stride, moved",
    [(0, 64, 64, 2), (0, 0, 0, 2), (64, 0, 64, 2), (-3, 64, 64, 2), (1, 64, 16, 2), (1, 64, 67, 1), (0, 64, 67, 1)],
)
def test_arrays_without_elements_or_with_one_row(M, K, stride, moved, padding, rng, device):
    """All of an array that has no element reads as padding, and one row needs no stride."""
    a, b = (aligned(random_values(rng, (64, 64), "float16")) for _ in range(2))
    c = poisoned((64, 64), "float32")
    kernel = product_of_extents[(1,)](a, b, c, M, K, stride, DEPTH=64, PADDING=padding)
    left = np.full((64, 64), 0.0 if padding == "zero" else np.nan)
    left[: max(M, 0), : max(K, 0)] = a[: max(M, 0), : max(K, 0)]
    expected = left @ b.astype(np.float64).T
    np.testing.assert_allclose(c, expected, rtol=0, atol=1e-3)
    if device.name in HOPPER:
        assert kernel.asm["ttgir"].count("ttg.async_mapped_load") == moved


def test_switching_movers_off(rng, device, monkeypatch):
    monkeypatch.setenv("TRITON_DISABLE_WARP_SPECIALIZATION", "1")
    kernel, error = run_product(rng, "float16", (64, 64, 32), (64, 64, 96), 4, 3, False)
    assert error <= 2**-18
    if device.name in HOPPER:
        assert not is_moved(kernel)
