"""Kernels of `triton.language`, which test_gluon_translator.py writes in Gluon."""

import triton
import triton.language as tl

SCALE = tl.constexpr(2)
LIMIT = tl.constexpr(4.0)
PARTS = 2


@triton.constexpr_function
def halved(n):
    return n // PARTS


@triton.jit
def clipped(x):
    return tl.minimum(x * SCALE, LIMIT)


@triton.autotune(configs=[triton.Config({"BLOCK": 256})], key=["n"])
@triton.jit
def elementwise(x, y, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    value = clipped(tl.load(x + index, mask=mask, other=0.0)) + tl.full([BLOCK], halved(BLOCK), tl.float32)
    tl.store(y + index, tl.where(value > 0, value, tl.zeros_like(value)), mask=mask)


@triton.jit
def softmax(x, y, sums, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    offsets = rows[:, None] * N + columns[None, :]
    block = tl.load(x + offsets)
    raised = tl.exp(block - tl.max(block, axis=1)[:, None])
    total = raised.sum(1)
    tl.store(y + offsets, raised / tl.expand_dims(total, 1))
    best, place = tl.max(block, axis=0, return_indices=True)
    tl.store(sums + columns, best + place + tl.sum(total))
    flipped = tl.trans(block).reshape(M, N)
    first, second = tl.split(tl.join(flipped, block.T.reshape([M, N])))
    tl.store(y + M * N + offsets, first + second)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in tl.range(0, K, BK, num_stages=2):
        depth = start + tl.arange(0, BK)
        left = tl.load(a + row[:, None] * K + depth[None, :], mask=(row < M)[:, None] & (depth < K)[None, :], other=0.0)
        right = tl.load(
            b + depth[:, None] * N + column[None, :], mask=(depth < K)[:, None] & (column < N)[None, :], other=0.0
        )
        total = tl.dot(left, right, total)
    total += tl.dot(tl.full([BM, BK], 0.5, tl.float16), tl.full([BK, BN], 2.0, tl.float16)) - BK
    tl.store(c + row[:, None] * N + column[None, :], total, mask=(row < M)[:, None] & (column < N)[None, :])


@triton.jit
def scaled_matmul(a, b, a_scale, b_scale, c, K: tl.constexpr, A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr):
    rows, depth = tl.arange(0, 32), tl.arange(0, K)
    groups = rows[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :]
    BYTES: tl.constexpr = K // 2 if A_FORMAT == "e2m1" else K
    left = tl.load(a + rows[:, None] * BYTES + tl.arange(0, BYTES)[None, :])
    right = tl.load(b + depth[:, None] * 32 + rows[None, :])
    total = tl.zeros((32, 32), dtype=tl.float32)
    total = tl.dot_scaled(left, tl.load(a_scale + groups), A_FORMAT, right, tl.load(b_scale + groups), B_FORMAT, total)
    tl.store(c + rows[:, None] * 32 + rows[None, :], total)


@triton.jit
def through_block_pointer(x, n):
    pointer = tl.make_block_ptr(x, (n,), (1,), (0,), (16,), (0,))
    tl.store(pointer, tl.load(pointer) + 1)
