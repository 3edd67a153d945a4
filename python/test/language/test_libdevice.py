"""Functions of the device library, by every name that it goes by."""

import math

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda_libdevice
from triton.language.extra.hip import libdevice as hip_libdevice

#: Functions that every target computes, and the range to try them on.
UNARY = {
    "acos": (-1, 1),
    "acosh": (1, 10),
    "asin": (-1, 1),
    "asinh": (-10, 10),
    "atan": (-10, 10),
    "atanh": (-0.99, 0.99),
    "cbrt": (-10, 10),
    "ceil": (-10, 10),
    "cos": (-10, 10),
    "cosh": (-5, 5),
    "erf": (-3, 3),
    "exp": (-5, 5),
    "exp2": (-5, 5),
    "expm1": (-1, 1),
    "floor": (-10, 10),
    "log": (0.01, 10),
    "log10": (0.01, 10),
    "log1p": (-0.9, 10),
    "log2": (0.01, 10),
    "sin": (-10, 10),
    "sinh": (-5, 5),
    "sqrt": (0, 10),
    "tan": (-1.5, 1.5),
    "tanh": (-5, 5),
    "trunc": (-10, 10),
    "rint": (-10, 10),
    "rsqrt": (0.1, 10),
}


def reference(name, x):
    x = x.astype(np.float64)
    if name in ("erf",):
        return np.array([math.erf(value) for value in x])
    if name == "rsqrt":
        return 1 / np.sqrt(x)
    names = {
        "acos": "arccos",
        "acosh": "arccosh",
        "asin": "arcsin",
        "asinh": "arcsinh",
        "atan": "arctan",
        "atanh": "arctanh",
    }
    return getattr(np, names.get(name, name))(x)


@triton.jit
def unary_kernel(x_ptr, out_ptr, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    function: tl.constexpr = getattr(libdevice, NAME)
    tl.store(out_ptr + i, function(tl.load(x_ptr + i)))


@pytest.mark.parametrize("dtype,tolerance", [("float32", 4e-6), ("float64", 1e-13)])
@pytest.mark.parametrize("name", UNARY)
def test_unary(device, rng, name, dtype, tolerance):
    low, high = UNARY[name]
    x = rng.uniform(low, high, 256).astype(dtype)
    out = np.full(256, np.nan, dtype)
    unary_kernel[(1,)](x, out, NAME=name, BLOCK=256)
    np.testing.assert_allclose(out, reference(name, x), rtol=tolerance, atol=tolerance)


@triton.jit
def several_kernel(x_ptr, y_ptr, out_ptr, flag_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, tl.extra.libdevice.pow(x, y))
    tl.store(out_ptr + BLOCK + i, cuda_libdevice.fma(x, y, x))
    tl.store(out_ptr + 2 * BLOCK + i, tl.extra.cuda.libdevice.atan2(x, y))
    tl.store(out_ptr + 3 * BLOCK + i, hip_libdevice.copysign(x, -y))
    tl.store(flag_ptr + i, libdevice.isnan(tl.where(i % 2 == 0, float("nan"), x)))
    tl.store(flag_ptr + BLOCK + i, libdevice.signbit(-y))


@triton.jit
def classes_kernel(x_ptr, out_ptr, FINITE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, libdevice.isnan(x).to(tl.int32))
    tl.store(out_ptr + BLOCK + i, libdevice.isinf(x).to(tl.int32))
    finite = libdevice.finitef(x) if FINITE else libdevice.isfinited(x)
    tl.store(out_ptr + 2 * BLOCK + i, finite.to(tl.int32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classes_of_numbers(device, dtype):
    largest, smallest = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    x = np.array([0, -0.0, 1, smallest, largest, -largest, np.inf, -np.inf, np.nan, -np.nan] * 4, dtype)[:32].copy()
    out = np.full((3, 32), 5, np.int32)
    classes_kernel[(1,)](x, out, FINITE=dtype == np.float32, BLOCK=32)
    np.testing.assert_array_equal(out, [np.isnan(x), np.isinf(x), np.isfinite(x)])


def test_several_operands(device, rng):
    x, y = rng.uniform(0.5, 2, (2, 64)).astype(np.float32)
    out = np.full((4, 64), np.nan, np.float32)
    flags = np.full((2, 64), 5, np.int32)
    several_kernel[(1,)](x, y, out, flags, BLOCK=64)
    wide = x.astype(np.float64), y.astype(np.float64)
    expected = [wide[0] ** wide[1], wide[0] * wide[1] + wide[0], np.arctan2(*wide), -wide[0]]
    np.testing.assert_allclose(out, expected, rtol=4e-6)
    np.testing.assert_array_equal(flags, [np.arange(64) % 2 == 0, np.ones(64)])
