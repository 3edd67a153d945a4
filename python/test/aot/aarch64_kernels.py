"""Kernels with products for processors of AArch64."""

import numpy as np
import triton
import triton.language as tl
from triton.tools.packed_operand import load_block
from values import read, store_as

SHORT = {"float16": "fp16", "bfloat16": "bf16", "float8e5": "fp8e5", "float8e4nv": "fp8e4nv"}


@triton.jit
def matmul(a, b, c, M, N, K, TRANSPOSED: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), c.dtype.element_ty)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        inside = k[:, None] < K
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        if TRANSPOSED:
            right = tl.load(b + columns[None, :] * K + k[:, None], mask=(columns[None, :] < N) & inside, other=0)
        else:
            right = tl.load(b + k[:, None] * N + columns[None, :], mask=(columns[None, :] < N) & inside, other=0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def operands(rng, dtype, *shapes):
    """Arrays with the names of their types, and their values."""
    if dtype == "int8":
        arrays = [rng.integers(-128, 128, shape, np.int8) for shape in shapes]
        return [(x, "i8") for x in arrays], [x.astype(np.int64) for x in arrays]
    arrays = [store_as(rng.standard_normal(shape), dtype) for shape in shapes]
    short = SHORT.get(dtype, {"float32": "fp32", "float64": "fp64"}.get(dtype))
    return [(x, short) for x in arrays], [read(x, dtype).astype(np.float64) for x in arrays]


@triton.jit
def packed_matmul(
    a, b, out, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PANEL: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    rows, n_block = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1)
    columns = n_block * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), out.dtype.element_ty)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        left = tl.load(a + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        right = load_block(b, start // BK, n_block, tl.cdiv(K, BK), BK, BN, PANEL, GROUP)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(out + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def attention(q, k, v, out, n, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + d[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total, result = tl.zeros((BM,), tl.float32), tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        columns = start + tl.arange(0, BN)
        key = tl.load(k + columns[None, :] * D + d[:, None], mask=columns[None, :] < n, other=0.0)
        score = tl.dot(query, key) * scale
        allowed = columns[None, :] < n
        if CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None])
        score = tl.where(allowed, score, -float("inf"))
        now = tl.maximum(largest, tl.max(score, 1))
        weight = tl.exp(score - now[:, None])
        decay = tl.exp(largest - now)
        value = tl.load(v + columns[:, None] * D + d[None, :], mask=columns[:, None] < n, other=0.0)
        total = total * decay + tl.sum(weight, 1)
        result = tl.dot(weight.to(value.dtype), value, result * decay[:, None])
        largest = now
    tl.store(out + rows[:, None] * D + d[None, :], result / total[:, None], mask=rows[:, None] < n)
