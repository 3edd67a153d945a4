"""Atomic operations, from one program and from many at once."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl


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
