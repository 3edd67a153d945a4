"""Products of programs that follow one another on a thread, which may find blocks of the second operand packed."""

import numpy as np
import pytest
import triton
import triton.language as tl

random = np.random.default_rng(0)


@triton.jit
def product(a, b, c, chosen, M, N, K, ORDER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    if ORDER == "rows":
        row, column = program % rows, program // rows
    elif ORDER == "columns":
        row, column = program // columns, program % columns
    else:  # the same columns for two programs, then others, then the same again
        row, column = program // columns, (program // 2) % columns
        row = (row * columns + program % columns) % rows
    if ORDER == "chosen":
        row, column = program % rows, program // rows
        b += tl.load(chosen + row) * K * N
    m, n, k = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + m[:, None] * K + first + k[None, :], mask=(first + k)[None, :] < K, other=0.0)
        right = tl.load(b + (first + k)[:, None] * N + n[None, :], mask=(first + k)[:, None] < K, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("order", ["rows", "columns", "turns", "chosen"])
@pytest.mark.parametrize("depth", [32, 200, 4096])
def test_products_of_programs_in_any_order(order, depth):
    rows, columns = 128, 192
    a = random.standard_normal((rows, depth), np.float32)
    b = random.standard_normal((2, depth, columns), np.float32)
    chosen = np.array([0, 0, 1, 1], np.int32)
    c = np.full((rows, columns), np.nan, np.float32)
    grid = (rows // 32 * (columns // 64),)
    for _ in range(2):
        product[grid](a, b, c, chosen, rows, columns, depth, ORDER=order, BM=32, BN=64, BK=64, num_cpu_threads=1)
        expected = a.astype(np.float64) @ b[0]
        if order == "chosen":
            expected[64:] = a[64:].astype(np.float64) @ b[1]
        written = ~np.isnan(c) if order == "turns" else np.ones_like(c, bool)
        np.testing.assert_allclose(c[written], expected[written], rtol=1e-3, atol=1e-3)
        b *= -1  # the next launch must not find the blocks of this one


@triton.jit
def product_of_written(a, b, c, N: tl.constexpr, BM: tl.constexpr):
    row = tl.program_id(0)
    m, n = row * BM + tl.arange(0, BM), tl.arange(0, N)
    tl.store(b + n[:, None] * N + n[None, :], tl.zeros((N, N), tl.float32) + row + 1)
    total = tl.zeros((BM, N), tl.float32)
    for first in range(0, N, 16):
        k = first + tl.arange(0, 16)
        total = tl.dot(tl.load(a + m[:, None] * N + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]), total)
    tl.store(c + m[:, None] * N + n[None, :], total)


def test_a_program_reads_what_it_wrote():
    a, b, c = np.ones((128, 64), np.float32), np.zeros((64, 64), np.float32), np.zeros((128, 64), np.float32)
    product_of_written[(4,)](a, b, c, N=64, BM=32, num_cpu_threads=1)
    for program in range(4):
        assert (c[program * 32 : program * 32 + 32] == 64 * (program + 1)).all()
