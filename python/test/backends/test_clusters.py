"""`num_ctas`: on sm_90 several blocks run a program, each of which computes a part of its tiles. Elsewhere the option
is refused or ignored."""

import numpy as np
import pytest
import triton
import triton.language as tl
from bulk_operands import describe, persistent, relative_error
from triton.tools.tensor_descriptor import TensorDescriptor
from values import poisoned, random_values, read

HOPPER = ("sim:cuda:90", "cuda")


@pytest.fixture(params=[2, 4])
def blocks(request, device):
    if device.name not in HOPPER:
        pytest.skip("clusters are for sm_90")
    return request.param


def is_divided(kernel, blocks):
    return f"tt.blocks = {blocks} : i32" in kernel.asm["ttir"]


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def test_elements(blocks, rng):
    x, y = rng.standard_normal((2, 5000), dtype=np.float32)
    out = poisoned(5000, "float32")
    kernel = add[(5,)](x, y, out, 5000, BLOCK=1024, num_ctas=blocks)
    assert is_divided(kernel, blocks)
    assert (read(out, "float32") == x + y).all()


@triton.jit
def softmax(x, out, n, programs, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Also writes where it is in the grid, which one block of a program does."""
    tl.store(programs + tl.program_id(0), tl.num_programs(0))
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    place = row[:, None] * n + column[None, :]
    scores = tl.load(x + place, column[None, :] < n, float("-inf"))
    scores = tl.exp(scores - tl.max(scores, 1)[:, None])
    tl.store(out + place, scores / tl.sum(scores, 1)[:, None], column[None, :] < n)


def test_rows_are_divided_and_columns_reduced(blocks, rng):
    x = rng.standard_normal((24, 200), dtype=np.float32)
    out, programs = poisoned(x.shape, "float32"), poisoned(3, "int32")
    kernel = softmax[(3,)](x, out, 200, programs, ROWS=8, COLUMNS=256, num_ctas=blocks)
    assert is_divided(kernel, blocks)
    exact = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(read(out, "float32"), exact / exact.sum(1, keepdims=True), rtol=1e-5)
    assert (read(programs, "int32") == 3).all()


@triton.jit
def row_sums(x, out, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * COLUMNS + column)))


@triton.jit
def reverse_in_place(x, COLUMNS: tl.constexpr):
    column = tl.arange(0, COLUMNS)
    values = tl.load(x + column)
    tl.debug_barrier()
    tl.store(x + COLUMNS - 1 - column, values)


@triton.jit
def count_all(x, counts, COLUMNS: tl.constexpr):
    values = tl.load(x + tl.arange(0, COLUMNS))
    tl.atomic_add(counts, 1)
    tl.store(counts + 1 + tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS), values)


def test_what_cannot_be_divided_runs_on_one_block(blocks, rng):
    x = rng.integers(0, 100, (4, 64), dtype=np.int32)
    sums = poisoned(4, "int32")
    kernel = row_sums[(4,)](x, sums, COLUMNS=64, num_ctas=blocks)
    assert not is_divided(kernel, blocks)
    assert (read(sums, "int32") == x.sum(1)).all()

    line = x[0].copy()
    kernel = reverse_in_place[(1,)](line, COLUMNS=64, num_ctas=blocks)
    assert not is_divided(kernel, blocks)
    assert (read(line, "int32") == x[0, ::-1]).all()

    counts = np.zeros(1 + 3 * 64, np.int32)
    kernel = count_all[(3,)](x[0], counts, COLUMNS=64, num_ctas=blocks)
    assert not is_divided(kernel, blocks)
    assert read(counts, "int32")[0] == 3


@triton.jit
def scatter_add(x, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + i, i < n, 0), 1, i < n)


def test_atomic_operations_on_elements(blocks, rng):
    x = rng.integers(0, 7, 1000, dtype=np.int32)
    counts = np.zeros(7, np.int32)
    kernel = scatter_add[(4,)](x, counts, 1000, BLOCK=256, num_ctas=blocks)
    assert is_divided(kernel, blocks)
    assert (read(counts, "int32") == np.bincount(x, minlength=7)).all()


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.multiple_of((tl.program_id(0) * BM + tl.arange(0, BM)) % M, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + (start + k)[None, :], (start + k)[None, :] < K, 0)
        right = tl.load(b + (start + k)[:, None] * N + n[None, :], ((start + k)[:, None] < K) & (n[None, :] < N), 0)
        sum = tl.dot(left, right, sum)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    tl.store(c + m[:, None] * N + n[None, :], sum, (m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("block", [(128, 128, 32), (64, 128, 64), (32, 16, 16)])
def test_products_through_pointers(block, blocks, rng):
    BM, BN, BK = block
    M, N, K = 2 * BM, 150, 100
    a, b = random_values(rng, (M, K), "float16"), random_values(rng, (K, N), "float16")
    c = poisoned((M, N), "float32")
    grid = (2, triton.cdiv(N, BN))
    kernel = product[grid](a, b, c, M, N, K, BM, BN, BK, num_ctas=blocks)
    assert is_divided(kernel, blocks)
    assert relative_error(read(c, "float32"), a.astype(np.float64), b.astype(np.float64)) <= 2**-18


@pytest.mark.parametrize(
    "block, warps", [((128, 128, 64), 4), ((256, 128, 64), 8), ((128, 64, 128), 4), ((64, 8, 32), 4)]
)
def test_products_by_bulk_copies_for_all_blocks(block, warps, blocks, rng):
    """The blocks share the copies of the operand that all of them need."""
    BM, BN, BK = block
    M, N, K = 3 * BM - 8, 130, 200
    a, b = random_values(rng, (M, K), "float16"), random_values(rng, (N, K), "float16")
    c = poisoned((M, N), "float32")
    grid = (triton.cdiv(M, BM), triton.cdiv(N, BN))
    kernel = through_descriptors[grid](
        describe(a, "float16", [BM, BK]), describe(b, "float16", [BN, BK]), c, M, N, K, BM, BN, BK,
        num_ctas=blocks, num_warps=warps,
    )  # fmt: skip
    assert is_divided(kernel, blocks)
    if BN >= 64:
        assert "allBlocks" in kernel.asm["ttgir"]
    assert relative_error(read(c, "float32"), a.astype(np.float64), b.astype(np.float64).T) <= 2**-18


@triton.jit
def through_descriptors(a_desc, b_desc, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    sum = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        sum = tl.dot(a_desc.load([row, k]), b_desc.load([column, k]).T, sum)
    m = row + tl.arange(0, BM)
    n = column + tl.arange(0, BN)
    tl.store(c + m[:, None] * N + n[None, :], sum, (m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("programs, size", [(1, (192, 130, 96)), (3, (300, 200, 256)), (2, (128, 128, 0))])
def test_a_program_of_many_tiles(programs, size, blocks, rng):
    M, N, K = size
    a, b = random_values(rng, (M, max(K, 8)), "float16"), random_values(rng, (N, max(K, 8)), "float16")
    c = np.full((M, N + 8 - N % 8), np.nan, np.float32)
    kernel = persistent[(programs,)](
        describe(a, "float16", [128, 32]),
        describe(b, "float16", [128, 32]),
        TensorDescriptor(c, [M, N], [c.shape[1], 1], [128, 128]),
        M, N, K, BLOCK=128, DEPTH=32, num_ctas=blocks,
    )  # fmt: skip
    assert is_divided(kernel, blocks)
    a, b = a[:, :K].astype(np.float64), b[:, :K].astype(np.float64)
    assert relative_error(read(c, "float32")[:, :N], a, b.T) <= 2**-18


@triton.jit
def attention(q, k, v, out, L, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + m[:, None] * D + d[None, :])
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sum = tl.zeros((BM, D), tl.float32)
    for start in range(0, L, BN):
        n = start + tl.arange(0, BN)
        scores = tl.dot(query, tl.load(k + n[None, :] * D + d[:, None])) * scale
        higher = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(weights, 1)
        sum = tl.dot(weights.to(tl.float16), tl.load(v + n[:, None] * D + d[None, :]), sum * shrink[:, None])
        top = higher
    tl.store(out + m[:, None] * D + d[None, :], sum / total[:, None])


def test_attention(blocks, rng):
    L, D = 256, 64
    q, k, v = (random_values(rng, (L, D), "float16") for _ in range(3))
    out = poisoned((L, D), "float32")
    scale = D**-0.5 * 1.44269504
    kernel = attention[(2,)](q, k, v, out, L, scale, D, BM=128, BN=64, num_ctas=blocks)
    assert is_divided(kernel, blocks)
    scores = np.exp2(q.astype(np.float64) @ k.astype(np.float64).T * scale)
    np.testing.assert_allclose(
        read(out, "float32"), scores / scores.sum(1, keepdims=True) @ v.astype(np.float64), atol=4e-3
    )


@triton.jit
def say(x):
    tl.device_print("value", tl.load(x))


def test_one_block_prints(blocks, capfd):
    say[(2,)](np.array([7], np.int32), num_ctas=blocks)
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == ["pid (0, 0, 0) idx () value: 7", "pid (1, 0, 0) idx () value: 7"]


def test_wrong_numbers(device):
    if device.name not in HOPPER:
        pytest.skip("clusters are for sm_90")
    x = np.zeros(64, np.float32)
    for number in (0, 3, 16):
        with pytest.raises((ValueError, AssertionError), match="num_ctas"):
            add[(1,)](x, x, x, 64, BLOCK=64, num_ctas=number)
