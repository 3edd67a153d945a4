"""Launches of a compiled kernel, which does not look at its arguments again: which forms they take, what is refused."""

import pickle

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.jit
def strided_kernel(x, x_stride, out, out_stride, n, BLOCK: tl.constexpr, FACTOR: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i * out_stride, tl.load(x + i * x_stride, mask=i < n) * FACTOR, mask=i < n)


def test_compiled_kernels_take_launches_without_the_constants_at_the_end(rng):
    """Libraries pass the arguments of what no `tl.constexpr` declares, also where the kernel was compiled for a 1."""
    x, out = rng.random(100, dtype=np.float32), np.zeros(64, np.float32)
    kernel = strided_kernel.warmup(x, 1, out, 1, 50, 64, 2, grid=(1,))
    for rest in ((), (64,), (64, 2)):
        out[:] = 0
        kernel[(1, 1, 1)](x, 1, out, 1, 50, *rest)
        np.testing.assert_array_equal(out[:50], x[:50] * 2)
    with pytest.raises(TypeError, match="or the 3 that are not compile-time constants, or the 5 that .*; got 4"):
        kernel[(1, 1, 1)](x, 1, out, 1)


@pytest.mark.parametrize(
    "rest, message",
    [
        ((1, 50, 50), "`BLOCK` is 50, but the kernel was compiled for 64; compile it for this value"),
        ((1, 50, 64, 3), "`FACTOR` is 3, but the kernel was compiled for 2"),
        ((1, 50, 64, 2.5), "`FACTOR` is 2.5, but the kernel was compiled for 2"),
        ((2, 50), "`out_stride` is 2, but the kernel was compiled for 1"),
    ],
)
def test_compiled_kernels_compare_numbers_that_stand_for_constants(rng, rest, message):
    """An extra argument must not be taken for a constant, nor a stride of 2 for one that was compiled as 1."""
    x, out = rng.random(100, dtype=np.float32), np.zeros(64, np.float32)
    kernel = strided_kernel.warmup(x, 1, out, 1, 50, 64, 2, grid=(1,))
    for launched in (kernel, pickle.loads(pickle.dumps(kernel))):
        with pytest.raises(TypeError, match=message):
            launched[(1, 1, 1)](x, 1, out, *rest)
        launched[(1, 1, 1)](x, True, out, 1.0, 50, 64.0, np.int64(2))
        launched[(1, 1, 1)](x, tl.constexpr(1), out, 1, 50, None)
        np.testing.assert_array_equal(out[:50], x[:50] * 2)


def test_nan_is_the_constant_that_nan_was_compiled_as(rng):
    x, out = rng.random(100, dtype=np.float32), np.zeros(64, np.float32)
    kernel = strided_kernel.warmup(x, 1, out, 1, 50, 64, float("nan"), grid=(1,))
    kernel[(1, 1, 1)](x, 1, out, 1, 50, 64, float("nan"))
    assert np.isnan(out[:50]).all()
    with pytest.raises(TypeError, match="`FACTOR` is 2.0, but the kernel was compiled for nan"):
        kernel[(1, 1, 1)](x, 1, out, 1, 50, 64, 2.0)
