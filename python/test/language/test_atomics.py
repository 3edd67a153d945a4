"""Atomic operations, from one program and from many at once."""

import re

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from values import aligned, argument, read, store_as


@triton.jit
def add_kernel(x_ptr, sum_ptr, old_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    old = tl.atomic_add(sum_ptr + i % 8, tl.load(x_ptr + i, mask=mask), mask=mask)
    tl.store(old_ptr + i, old, mask=mask)


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32", "float64"])
def test_add_from_many_programs(device, rng, dtype):
    x = rng.integers(0, 1000, 10000).astype(dtype)
    total = np.zeros(8, dtype)
    old = np.full(10000, 123, dtype)
    add_kernel[(triton.cdiv(10000, 128),)](x, total, old, 10000, BLOCK=128)
    np.testing.assert_array_equal(total, [x[k::8].sum() for k in range(8)])
    # Every addition saw another value: sorted, the old values and what was added to them form a chain.
    for k in range(8):
        order = np.lexsort((old[k::8] + x[k::8], old[k::8]))
        np.testing.assert_array_equal(old[k::8][order][1:], (old[k::8] + x[k::8])[order][:-1])


@triton.jit
def add_bf16_kernel(x_ptr, sum_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(sum_ptr + i % 8, tl.load(x_ptr + i))


def test_add_bf16_on_the_processor(rng):
    x = rng.integers(-8, 8, 64).astype(ml_dtypes.bfloat16)
    total = np.zeros(8, ml_dtypes.bfloat16)
    add_bf16_kernel[(1,)](x, total, BLOCK=64)
    np.testing.assert_array_equal(total.astype(np.float32), x.astype(np.float32).reshape(8, 8).sum(0))


@triton.jit
def extremes_kernel(x_ptr, max_ptr, min_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.atomic_max(max_ptr + i % 4, x, mask=i < n)
    tl.atomic_min(min_ptr + i % 4, x, mask=i < n)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "float32", "float64"])
def test_max_and_min(device, rng, dtype):
    x = (rng.standard_normal(1000) * 100).astype(dtype)
    largest = x[:4].copy()
    smallest = x[:4].copy()
    extremes_kernel[(8,)](x, largest, smallest, 1000, BLOCK=128)
    np.testing.assert_array_equal(largest, [x[k::4].max() for k in range(4)])
    np.testing.assert_array_equal(smallest, [x[k::4].min() for k in range(4)])


@triton.jit
def bits_kernel(p, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_and(p + i, 0b1100)
    tl.atomic_or(p + BLOCK + i, 0b0001)
    tl.atomic_xor(p + 2 * BLOCK + i, i)
    tl.store(p + 4 * BLOCK + i, tl.atomic_xchg(p + 3 * BLOCK + i, 7))


def test_bitwise_and_exchange(device, rng):
    x = rng.integers(0, 2**31, (5, 16)).astype(np.int32)
    expected = np.stack([x[0] & 0b1100, x[1] | 1, x[2] ^ np.arange(16, dtype=np.int32), np.full(16, 7), x[3]])
    bits_kernel[(1,)](x, BLOCK=16)
    np.testing.assert_array_equal(x, expected)


@triton.jit
def swap_kernel(p, old_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old_ptr + i, tl.atomic_cas(p + i, i, i + 100))


def test_compare_and_swap(device):
    x = np.arange(16, dtype=np.int32)
    x[::2] = -1
    before = x.copy()
    old = np.full(16, 99, np.int32)
    swap_kernel[(1,)](x, old, BLOCK=16)
    np.testing.assert_array_equal(old, before)
    np.testing.assert_array_equal(x, np.where(before == np.arange(16), before + 100, before))


@triton.jit
def lock_kernel(lock, count, BLOCK: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    i = tl.arange(0, BLOCK)
    tl.store(count + i, tl.load(count + i) + 1)
    tl.atomic_xchg(lock, 0)


def test_spin_lock(device):
    lock = np.zeros(1, np.int32)
    count = np.zeros(64, np.int32)
    lock_kernel[(500,)](lock, count, BLOCK=64)
    np.testing.assert_array_equal(count, np.full(64, 500))
    assert lock[0] == 0


@triton.jit
def add_neighbours_kernel(x, sums, columns, rows, stride, begin, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    mask = (i < rows) & (j < columns)
    values = tl.load(x + i * COLUMNS + j, mask, other=100.0)
    tl.atomic_add(sums + begin + i % 8 * stride + j, values, mask, sem="relaxed")


@pytest.mark.parametrize("columns, stride, begin", [(64, 64, 0), (48, 64, 0), (47, 64, 0), (64, 65, 0), (63, 64, 1)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_add_neighbours_from_many_programs(device, rng, dtype, columns, stride, begin):
    """Neighbours are added at once where they are aligned and masked alike."""
    rows = 45
    x = rng.integers(-3, 4, (rows, 64)).astype(np.float64)
    before = rng.integers(-3, 4, 8 * stride + 64).astype(np.float64)
    sums = aligned(store_as(before, dtype))
    add_neighbours_kernel[(3,)](
        argument(store_as(x, dtype), dtype), argument(sums, dtype), columns, rows, stride, begin, 16, 64
    )
    expected = before.copy()
    for row in range(rows):
        start = begin + row % 8 * stride
        expected[start : start + columns] += x[row, :columns]
    np.testing.assert_array_equal(read(sums, dtype), expected)


ADDITIONS = {
    ("fp16", 80): "add.noftz.f16x2",
    ("fp16", 90): "add.noftz.v4.f16x2",
    ("bf16", 80): None,
    ("bf16", 90): "add.noftz.v4.bf16x2",
    ("fp32", 80): None,
    ("fp32", 90): "add.v4.f32",
}


@pytest.mark.parametrize("dtype, capability", ADDITIONS)
@pytest.mark.parametrize("divisibility", [16, 1])
def test_instructions_for_neighbours(dtype, capability, divisibility):
    attributes = {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", divisibility]]}
    signature = {
        "x": f"*{dtype}",
        "sums": f"*{dtype}",
        "columns": "i32",
        "rows": "i32",
        "stride": "i32",
        "begin": "i32",
    }
    constants = {"columns": 64, "stride": 64, "begin": 0, "ROWS": 16, "COLUMNS": 64}
    source = ASTSource(add_neighbours_kernel, signature, constants, attributes)
    text = triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["ptx"]
    expected = ADDITIONS[dtype, capability] if divisibility == 16 else None
    found = set(re.findall(r"red\.relaxed\.gpu\.global\.(add\S*(?:x2|\.v\d\.f32))", text))
    assert found == ({expected} if expected else set())


@triton.jit
def float_extremes_kernel(x_ptr, max_ptr, min_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.atomic_max(max_ptr + i, x)
    tl.atomic_min(min_ptr + i, x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_max_and_min_of_floats_of_every_sign(device, dtype):
    values = np.array([-0.0, 0.0, -1, 1, np.inf, -np.inf, 1e-40, -1e-40], dtype)
    x, y = np.tile(values, 8), np.repeat(values, 8)
    largest, smallest = y.copy(), y.copy()
    float_extremes_kernel[(1,)](x, largest, smallest, BLOCK=64)
    np.testing.assert_array_equal(largest, np.maximum(x, y))
    np.testing.assert_array_equal(smallest, np.minimum(x, y))


@triton.jit
def broadcast_kernel(out_ptr, old_ptr, M: tl.constexpr, N: tl.constexpr, OP: tl.constexpr):
    m = tl.arange(0, M)[:, None]
    n = tl.arange(0, N)[None, :]
    if OP == "store":
        tl.store(out_ptr + n, 5, mask=m < M // 2)
    elif OP == "store value":
        tl.store(out_ptr + n, tl.full((M, 1), 5, tl.int32))
    elif OP == "add":
        tl.atomic_add(out_ptr + n, 1, mask=m < M // 2)
    elif OP == "add value":
        old = tl.atomic_add(out_ptr + n, tl.full((M, 1), 2, tl.int32))
        tl.store(old_ptr + m * N + n, old)
    elif OP == "max":
        tl.atomic_max(out_ptr + n, m)
    elif OP == "exchange":
        tl.atomic_xchg(out_ptr + n, tl.full((1, N), 3, tl.int32), mask=m < 1)
    elif OP == "compare":
        old = tl.atomic_cas(out_ptr + n, tl.full((), 0, tl.int32), tl.full((M, 1), 7, tl.int32))
        tl.store(old_ptr + m * N + n, old)
    elif OP == "atomic store":
        tl.atomic_store(out_ptr + n, 9, mask=m < 1)
    elif OP == "atomic load":
        tl.store(out_ptr + m * N + n, tl.atomic_load(old_ptr + n, mask=m >= 0))
    elif OP == "scalar operands":
        tl.atomic_add(out_ptr + n, tl.full((), 4, tl.int32), mask=N > 1)


@pytest.mark.parametrize("shape", [(4, 8), (16, 2), (2, 64)])
@pytest.mark.parametrize(
    "op",
    ["store", "store value", "add", "add value", "max", "exchange", "compare", "atomic store", "atomic load",
     "scalar operands"],
)  # fmt: skip
def test_operands_broadcast(device, shape, op):
    m, n = shape
    out, old = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    broadcast_kernel[(1,)](out, old, M=m, N=n, OP=op)
    first = {"store": 5, "store value": 5, "add": m // 2, "add value": 2 * m, "max": m - 1, "exchange": 3,
             "compare": 7, "atomic store": 9, "atomic load": 0, "scalar operands": 4}[op]  # fmt: skip
    expected = np.zeros(shape, np.int32)
    expected[0] = first
    np.testing.assert_array_equal(out, expected)
    if op == "add value":
        np.testing.assert_array_equal(np.sort(old, axis=0), np.broadcast_to(2 * np.arange(m)[:, None], shape))
    if op == "compare":
        np.testing.assert_array_equal(np.sort(old, axis=0), np.where(np.arange(m)[:, None] == 0, 0, 7) + 0 * old)
