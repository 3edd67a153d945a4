"""`tl.gather` in loops: tiles that a loop does not change are in shared memory before it, others go there each time."""

import numpy as np
import pytest
import triton
import triton.language as tl
from fuzzing.guarded import guarded


@triton.jit
def rows_and_columns(x_ptr, index_ptr, rows_ptr, columns_ptr, any_ptr, n, M: tl.constexpr, N: tl.constexpr):
    tile = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + tile)
    index = tl.load(index_ptr + tile)
    moving = x
    rows = tl.zeros((M, N), x.dtype)
    columns = tl.zeros((M, N), x.dtype)
    picked = tl.zeros((M, N), x.dtype)
    for i in range(n):
        rows += tl.gather(x, tl.full((1, N), i % M, tl.int16), 0)
        columns += tl.gather(x, tl.full((M, 1), i, tl.int64), 1)
        moving = tl.gather(moving, index, 0)
        picked += moving + tl.gather(x, (index + i) % M, 0)
    tl.store(rows_ptr + tile, rows)
    tl.store(columns_ptr + tile, columns)
    tl.store(any_ptr + tile, picked)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("M, N, warps", [(16, 64, 4), (32, 16, 1)])
def test_tiles_that_loops_gather_from(device, rng, dtype, M, N, warps):
    x = rng.integers(-5, 5, (M, N)).astype(dtype)
    index = rng.integers(0, M, (M, N)).astype(np.int32)
    rows, columns, picked = (np.zeros_like(x) for _ in range(3))
    n = N // 2
    outs = [np.ones_like(x) for _ in range(3)]
    rows_and_columns[(1,)](guarded(x), guarded(index), *(out for out in outs), n, M, N, num_warps=warps)
    moving = x
    for i in range(n):
        rows += x[i % M]
        columns += x[:, i : i + 1]
        moving = np.take_along_axis(moving, index, 0)
        picked += moving + np.take_along_axis(x, (index + i) % M, 0)
    for out, expected in zip(outs, (rows, columns, picked), strict=True):
        np.testing.assert_array_equal(out, expected)


@triton.jit
def table(x_ptr, index_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    total = tl.zeros((N,), tl.int32)
    for step in range(n):
        total += tl.gather(x, (tl.load(index_ptr + i) + step) & (N - 1), 0)
    tl.store(out_ptr + i, total)


def test_tables_that_loops_read(device, rng):
    x, index = rng.integers(-100, 100, 256).astype(np.int32), rng.integers(0, 256, 256).astype(np.int32)
    out = np.zeros_like(x)
    table[(1,)](guarded(x), guarded(index), out, 5, 256)
    np.testing.assert_array_equal(out, sum(x[(index + step) & 255] for step in range(5)))


@triton.jit
def one_column(x_ptr, out_ptr, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    picked = tl.gather(x, tl.full((M, K), n, tl.int32), 1)
    tl.store(out_ptr + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], picked)


@pytest.mark.parametrize("M, warps", [(2, 1), (4, 4)])
def test_few_rows_at_one_index(device, rng, M, warps):
    """A column of few elements is shorter than what an instruction reads, and begins anywhere."""
    x = rng.standard_normal((M, 64)).astype(np.float16)
    for n in (0, 19):
        out = np.zeros((M, 32), np.float16)
        one_column[(1,)](guarded(x), out, n, M, 64, 32, num_warps=warps)
        np.testing.assert_array_equal(out, np.repeat(x[:, n : n + 1], 32, axis=1))
