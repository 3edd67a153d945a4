"""Sorting, selection, reversal and counting along a dimension."""

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def sort_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + i, tl.sort(tl.load(x_ptr + i), descending=DESCENDING))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("m,n", [(1, 2), (1, 64), (4, 8), (2, 256), (8, 1)])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "int64", "float16"])
def test_sort(device, rng, m, n, dtype, descending):
    x = (rng.standard_normal((m, n)) * 50 + 100).astype(dtype)
    out = np.full_like(x, 77)
    sort_kernel[(1,)](device.put(x), out, M=m, N=n, DESCENDING=descending)
    expected = np.sort(x, axis=1)
    np.testing.assert_array_equal(device.get(out), expected[:, ::-1] if descending else expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_sort_orders_zeros_and_nans_by_their_signs(device, rng, dtype):
    bits = dtype.replace("float", "int")
    ordered = np.array([-np.nan, -np.inf, -2.5, -1e-6, -0.0, -0.0, 0.0, 1e-6, 1, 3, np.inf, np.nan, np.nan], dtype)
    ordered = np.concatenate([ordered[:1]] * 3 + [ordered])
    x = rng.permutation(ordered)
    for descending in (False, True):
        out = np.full_like(x, 77)
        sort_kernel[(1,)](x, out, M=1, N=16, DESCENDING=descending)
        np.testing.assert_array_equal(out.view(bits), ordered[:: -1 if descending else 1].view(bits))


@pytest.mark.parametrize(
    "m,n,dtype,descending", [(1, 4096, "float32", False), (64, 64, "int8", True), (4, 2048, "int16", False)]
)
def test_sort_of_many_elements_in_a_thread(device, rng, m, n, dtype, descending):
    """GPUs then repeat the code of one step."""
    x = (rng.standard_normal((m, n)) * 50).astype(dtype)
    out = np.full_like(x, 77)
    sort_kernel[(1,)](x, out, M=m, N=n, DESCENDING=descending, num_warps=1)
    expected = np.sort(x, axis=1)
    np.testing.assert_array_equal(out, expected[:, ::-1] if descending else expected)


@triton.jit
def topk_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, LARGEST: tl.constexpr):
    row = tl.arange(0, M)[:, None]
    x = tl.load(x_ptr + row * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + row * K + tl.arange(0, K)[None, :], tl.topk(x, K, descending=LARGEST))


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("m,n,k", [(1, 8, 1), (1, 8, 8), (4, 32, 4), (2, 64, 16), (1, 256, 2)])
def test_topk(device, rng, m, n, k, largest):
    x = rng.integers(-1000, 1000, (m, n)).astype(np.int32)
    out = np.full((m, k), 7, np.int32)
    topk_kernel[(1,)](x, out, M=m, N=n, K=k, LARGEST=largest)
    ordered = np.sort(x, axis=1)
    np.testing.assert_array_equal(out, ordered[:, ::-1][:, :k] if largest else ordered[:, :k])


def test_topk_of_many_elements_in_a_thread(device, rng):
    x = rng.integers(-100000, 100000, (8, 1024)).astype(np.int32)
    out = np.full((8, 512), 7, np.int32)
    topk_kernel[(1,)](x, out, M=8, N=1024, K=512, LARGEST=True, num_warps=1)
    np.testing.assert_array_equal(out, np.sort(x, axis=1)[:, ::-1][:, :512])


@triton.jit
def sort_impl_kernel(x_ptr, out_ptr, N: tl.constexpr, K: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr + tl.arange(0, N), tl.standard.sort_impl(x))
    tl.store(out_ptr + N + tl.arange(0, K), tl.standard.sort_impl(x, K, descending=True))


def test_sort_impl_is_either(device, rng):
    x = rng.standard_normal(32).astype(np.float32)
    out = np.zeros(40, np.float32)
    sort_impl_kernel[(1,)](x, out, N=32, K=8)
    np.testing.assert_array_equal(out, np.concatenate([np.sort(x), np.sort(x)[::-1][:8]]))


@triton.jit
def merge_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.bitonic_merge(tl.load(x_ptr + i)))
    tl.store(out_ptr + N + i, tl.bitonic_merge(tl.load(x_ptr + i), descending=True))


def test_bitonic_merge(device, rng):
    half = np.sort(rng.standard_normal((2, 32)).astype(np.float32), axis=1)
    x = np.concatenate([half[0], half[1][::-1]])
    out = np.full((2, 64), np.nan, np.float32)
    merge_kernel[(1,)](x, out, N=64)
    np.testing.assert_array_equal(out, [np.sort(x), np.sort(x)[::-1]])


@triton.jit
def flip_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, DIM: tl.constexpr):
    i = (tl.arange(0, A)[:, None, None] * B + tl.arange(0, B)[None, :, None]) * C + tl.arange(0, C)[None, None, :]
    tl.store(out_ptr + i, tl.flip(tl.load(x_ptr + i), DIM))


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
@pytest.mark.parametrize("shape", [(2, 4, 8), (8, 2, 2), (1, 16, 1)])
def test_flip(device, rng, shape, dim):
    x = rng.standard_normal(shape).astype(np.float32)
    out = np.full_like(x, np.nan)
    flip_kernel[(1,)](x, out, *shape, DIM=dim)
    np.testing.assert_array_equal(out, np.flip(x, dim))


@triton.jit
def or_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + tl.arange(0, M), tl.reduce_or(x, 1))
    tl.store(out_ptr + M + tl.arange(0, M), tl.xor_sum(x, 1))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64"])
def test_bitwise_reductions(device, rng, dtype):
    x = rng.integers(0, 100, (4, 16)).astype(dtype)
    out = np.full((2, 4), 55, dtype)
    or_kernel[(1,)](x, out, M=4, N=16)
    np.testing.assert_array_equal(out, [np.bitwise_or.reduce(x, 1), np.bitwise_xor.reduce(x, 1)])


@triton.jit
def swizzle_kernel(out_ptr, M: tl.constexpr, N: tl.constexpr, GROUP: tl.constexpr):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), M, N, GROUP)
    tl.store(out_ptr + (tl.program_id(0) * N + tl.program_id(1)) * 2, i)
    tl.store(out_ptr + (tl.program_id(0) * N + tl.program_id(1)) * 2 + 1, j)


@pytest.mark.parametrize("m,n,group", [(4, 4, 2), (5, 3, 2), (7, 2, 3)])
def test_swizzle2d(device, m, n, group):
    out = np.full((m * n, 2), -1, np.int32)
    swizzle_kernel[(m, n)](out, M=m, N=n, GROUP=group)
    expected = [(i, j) for first in range(0, m, group) for j in range(n) for i in range(first, min(first + group, m))]
    np.testing.assert_array_equal(out, expected)
