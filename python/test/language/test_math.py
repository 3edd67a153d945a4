"""Mathematical functions against exact values, over their whole range and at special values."""

import mpmath
import numpy as np
import pytest
import triton
import triton.language as tl
from values import assert_ulp, poisoned


@triton.jit
def math_kernel(x_ptr, out_ptr, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=1.0)
    tl.store(out_ptr + i, FUNCTION(x), mask=i < n)


def run(device, function, x):
    out = device.put(poisoned(x.shape, str(x.dtype)))
    math_kernel[(triton.cdiv(x.size, 256),)](device.put(x), out, x.size, FUNCTION=function, BLOCK=256)
    return device.get(out)


def spread(rng, count, low_exponent, high_exponent, dtype):
    """Both signs, magnitudes spread over the exponents."""
    magnitude = np.exp2(rng.uniform(low_exponent, high_exponent, count))
    return (magnitude * rng.choice([-1, 1], count)).astype(dtype)


# function, the exact function, range of exponents, whether negative arguments are in the domain, ulps for f32 and f64
FUNCTIONS = [
    ("exp", mpmath.exp, (-30, 6.4), True, 1.5, 1.5),
    ("exp2", lambda x: mpmath.power(2, x), (-30, 6.9), True, 1.5, 1.5),
    ("log", mpmath.log, (-126, 127), False, 4, 4),
    ("log2", lambda x: mpmath.log(x, 2), (-126, 127), False, 4, 4),
    ("sin", mpmath.sin, (-20, 10), True, 4, 4),
    ("cos", mpmath.cos, (-20, 10), True, 4, 4),
    ("sqrt", mpmath.sqrt, (-126, 127), False, 0.5, 0.5),
    ("rsqrt", lambda x: 1 / mpmath.sqrt(x), (-126, 127), False, 2, 2),
    ("erf", mpmath.erf, (-20, 3), True, 4, 4),
    ("sigmoid", lambda x: 1 / (1 + mpmath.exp(-x)), (-20, 5), True, 4, 4),
    ("floor", mpmath.floor, (-10, 20), True, 0, 0),
    ("ceil", mpmath.ceil, (-10, 20), True, 0, 0),
    ("abs", abs, (-126, 127), True, 0, 0),
]


def approximation_ulps(device, name, x):
    """What GPUs add to the bound in f32, where exp2 and sqrt are approximations of the hardware, of 2.1 and 1 ulp, and
    exp is ex2.approx of the product with log2(e), whose relative error, 2**-24 and that of the constant, counts once
    for each unit of x."""
    if device.name == "cpu" or x.dtype != np.float32:
        return 0
    if name in ("exp", "sigmoid"):
        return 2.1 + 1.25 * np.abs(np.where(np.isfinite(x), x, 0).astype(np.float64))
    return {"exp2": 0.6, "sqrt": 0.5}.get(name, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name,exact,exponents,negative,ulps32,ulps64", FUNCTIONS, ids=[row[0] for row in FUNCTIONS])
def test_accuracy(device, rng, name, exact, exponents, negative, ulps32, ulps64, dtype):
    x = spread(rng, 700, *exponents, dtype)
    if not negative:
        x = np.abs(x)
    with mpmath.workprec(120):
        expected = np.array([float(exact(mpmath.mpf(float(value)))) for value in x])
    ulps = (ulps32 if dtype == "float32" else ulps64) + approximation_ulps(device, name, x)
    assert_ulp(run(device, getattr(tl, name), x), expected, dtype, ulps)


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 88.0, 89.5, -87.0, -104.5, 1e-40, -1e-40, 3e38, 1e-45]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "floor", "ceil", "abs"])
def test_special_values(device, name, dtype):
    x = np.array(SPECIAL, dtype)
    if name in ("sin", "cos"):
        x = x[np.abs(x) < 1e10]
        x = np.concatenate([x, np.array([np.nan], dtype)])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x.astype(np.float64)).astype(dtype).astype(np.float64)
    found = run(device, getattr(tl, name), x)
    if name == "sin" and dtype == "float32":  # libdevice may take subnormal numbers as zero
        expected[(np.abs(x) < np.finfo(dtype).smallest_normal) & (found == 0)] = 0
    assert_ulp(found, expected, dtype, 4 + approximation_ulps(device, name, x))


def test_rsqrt_and_erf_special_values(device):
    x = np.array([0.0, np.inf, np.nan, -1.0], np.float32)
    np.testing.assert_array_equal(run(device, tl.rsqrt, x), np.array([np.inf, 0, np.nan, np.nan], np.float32))
    np.testing.assert_array_equal(
        run(device, tl.erf, np.array([np.inf, -np.inf, 0.0, np.nan], np.float32)),
        np.array([1, -1, 0, np.nan], np.float32),
    )


@triton.jit
def module_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.math.exp2(tl.math.log2(x)) + tl.math.sqrt(x) + x.exp() + tl.math.fma(x, x, x))


def test_functions_of_tl_math_and_methods(device, rng):
    x = rng.uniform(0.5, 2, 64).astype(np.float32)
    out = poisoned(64, "float32")
    module_kernel[(1,)](x, out, BLOCK=64)
    np.testing.assert_allclose(out, x + np.sqrt(x) + np.exp(x) + x * x + x, rtol=1e-5)


@triton.jit
def division_kernel(x_ptr, y_ptr, quotient_ptr, rounded_ptr, third_ptr, half_ptr, root_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(quotient_ptr + i, tl.fdiv(x, y))
    tl.store(rounded_ptr + i, tl.div_rn(x, y))
    tl.store(third_ptr + i, tl.div_rn(x, 3))
    tl.store(half_ptr + i, tl.fdiv(i, 2.0))
    tl.store(root_ptr + i, tl.sqrt_rn(x))


def test_exactly_rounded_division_and_root(device, rng):
    x, y = np.abs(spread(rng, 128, -20, 20, np.float32)), spread(rng, 128, -20, 20, np.float32)
    quotient, rounded, third, half, root = (poisoned(128, "float32") for _ in range(5))
    division_kernel[(1,)](x, y, quotient, rounded, third, half, root, BLOCK=128)
    np.testing.assert_array_equal(rounded, x / y)
    np.testing.assert_array_equal(third, x / np.float32(3))
    np.testing.assert_array_equal(half, np.arange(128) / 2)
    np.testing.assert_array_equal(root, np.sqrt(x))
    assert_ulp(quotient, x.astype(np.float64) / y, "float32", 2)


@triton.jit
def umulhi_cdiv_kernel(x_ptr, y_ptr, high_ptr, quotient_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i), tl.load(y_ptr + i)
    tl.store(high_ptr + i, tl.umulhi(x, y))
    tl.store(quotient_ptr + i, tl.cdiv(x >> 8, (y >> 8) + 1))


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_umulhi_and_cdiv(device, rng, dtype):
    info = np.iinfo(dtype)
    x, y = (rng.integers(0, info.max, 64, dtype=dtype, endpoint=True) for _ in range(2))
    high, quotient = (poisoned(64, str(np.dtype(dtype))) for _ in range(2))
    umulhi_cdiv_kernel[(1,)](x, y, high, quotient, BLOCK=64)
    np.testing.assert_array_equal(high, [int(a) * int(b) >> info.bits for a, b in zip(x, y, strict=True)])
    expected = [-(-(int(a) >> 8) // ((int(b) >> 8) + 1)) for a, b in zip(x, y, strict=True)]
    np.testing.assert_array_equal(quotient, expected)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.softmax(tl.load(x_ptr + i)))


def test_softmax(device, rng):
    x = rng.normal(0, 5, 256).astype(np.float32)
    out = poisoned(256, "float32")
    softmax_kernel[(1,)](x, out, BLOCK=256)
    expected = np.exp(x.astype(np.float64) - x.max())
    np.testing.assert_allclose(out, expected / expected.sum(), rtol=1e-5, atol=1e-9)
