"""Arithmetic on 8-bit floats: each operation is computed in f32 and rounded, a sum is rounded once."""

import numpy as np
import pytest
import triton
import triton.language as tl
from values import argument, read, store_as

N = 256
DTYPES = ["float8e5", "float8e4nv", "float8e5b16", "float8e4b8", "float8e4b15"]


@triton.jit
def arithmetic_kernel(x, y, product, fused, quotient, negated, larger, magnitude, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(product + i, a * b)
    tl.store(fused + i, a * 0.5 + b)
    tl.store(quotient + i, (a / (b * b + 1.0)).to(x.dtype.element_ty))
    tl.store(negated + i, -a)
    tl.store(larger + i, tl.maximum(a, b))
    tl.store(magnitude + i, tl.abs(a))


@triton.jit
def combine_kernel(x, total, largest, running, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(total, tl.sum(a))
    tl.store(largest, tl.max(a))
    tl.store(running + i, tl.cumsum(a * 0.125, 0))


def operands(rng, dtype):
    """Numbers whose products stay within the type."""
    return [store_as(rng.uniform(-3, 3, N), dtype) for _ in range(2)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_operation_rounds_once(device, rng, dtype):
    if not device.knows(dtype):
        return
    x, y = operands(rng, dtype)
    outputs = [np.zeros(N, np.uint8) for _ in range(6)]
    arithmetic_kernel[(1,)](*(argument(array, dtype) for array in (x, y, *outputs)), N=N)
    a, b = read(x, dtype), read(y, dtype)

    def rounded(value):
        return read(store_as(value, dtype), dtype)

    denominator = rounded(rounded(b * b) + 1.0)
    for output, expected in zip(
        outputs, [a * b, rounded(a * 0.5) + b, a / denominator, -a, np.maximum(a, b), np.abs(a)], strict=True
    ):
        np.testing.assert_array_equal(read(output, dtype), rounded(expected))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_round_at_the_end(device, rng, dtype):
    if not device.knows(dtype):
        return
    x, _ = operands(rng, dtype)
    total, largest, running = np.zeros(1, np.uint8), np.zeros(1, np.uint8), np.zeros(N, np.uint8)
    combine_kernel[(1,)](*(argument(array, dtype) for array in (x, total, largest, running)), N=N)
    a = read(x, dtype)
    assert read(total, dtype)[0] == read(store_as(np.array([a.sum()]), dtype), dtype)[0]
    assert read(largest, dtype)[0] == a.max()
    scaled = read(store_as(a * 0.125, dtype), dtype)
    np.testing.assert_array_equal(read(running, dtype), read(store_as(np.cumsum(scaled), dtype), dtype))
