"""Every function of libdevice on every combination of its types, against exact values."""

import mpmath
import numpy as np
import pytest
import triton
import triton.language as tl
from libdevice_table import ROWS, by_numpy
from triton.language.extra import libdevice
from values import poisoned, spacing

COUNT = 64


@triton.jit
def function_kernel(pointers, out_ptr, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    function: tl.constexpr = getattr(libdevice, NAME)
    if len(pointers) == 1:
        result = function(tl.load(pointers[0] + i))
    elif len(pointers) == 2:
        result = function(tl.load(pointers[0] + i), tl.load(pointers[1] + i))
    elif len(pointers) == 3:
        result = function(tl.load(pointers[0] + i), tl.load(pointers[1] + i), tl.load(pointers[2] + i))
    else:
        result = function(
            tl.load(pointers[0] + i), tl.load(pointers[1] + i), tl.load(pointers[2] + i), tl.load(pointers[3] + i)
        )
    tl.store(out_ptr + i, result)


def integers(rng, dtype):
    limits = np.iinfo(dtype)
    edges = [limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1]
    values = rng.integers(limits.min, limits.max, COUNT, dtype, endpoint=True) >> rng.integers(
        0, 8 * np.dtype(dtype).itemsize - 1, COUNT
    ).astype(dtype)
    values[: len(edges)] = np.array(edges, dtype)
    return rng.permutation(values)


def operand(rng, row, dtype):
    if dtype == "small":
        return rng.integers(0, 5, COUNT, np.int32)
    if dtype.startswith(("int", "uint")):
        return integers(rng, dtype)
    values = rng.uniform(row.low, row.high, COUNT)
    values[: len(row.special)] = row.special
    with np.errstate(over="ignore"):
        return rng.permutation(values).astype(dtype)


def exact(row, operands):
    """The exact results, as floats of more digits than the result has where these are not integers."""
    if row.exact is None:
        return by_numpy(row, operands)
    results = []
    with mpmath.workprec(row.precision):
        for values in zip(*operands, strict=True):
            numbers = [mpmath.mpf(float(v)) if isinstance(v, np.floating) else v for v in values]
            results.append(row.exact(*numbers))
    if row.result.startswith(("int", "uint")):
        return np.array(results, object)
    return np.array([float(result) for result in results])


def check(device, row, actual, expected):
    if row.result.startswith(("int", "uint")) or row.ulps == 0:
        np.testing.assert_array_equal(actual, expected.astype(actual.dtype))
        return
    absolute = row.absolute if device.name == "cpu" else max(row.absolute, row.gpu_absolute)
    actual = actual.astype(np.float64)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    np.testing.assert_array_equal(actual[np.isinf(expected)], expected[np.isinf(expected)])
    actual, expected = actual[finite], expected[finite]
    distance = np.abs(actual - expected)
    error = np.where(distance <= absolute, 0, distance / spacing(expected, row.result))
    worst = error.argmax()
    assert error[worst] <= row.ulps, f"{error[worst]:.2f} ulp at {expected[worst]!r}: got {actual[worst]!r}"


def title(row):
    return f"{row.name}-{'-'.join(row.operands)}"


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_function(device, rng, row):
    operands = [operand(rng, row, dtype) for dtype in row.operands]
    out = device.put(poisoned((COUNT,), "int8" if row.result == "int1" else row.result))
    keeps_subnormals = {"enable_reflect_ftz": False} if "cuda" in device.name else {}
    function_kernel[(1,)](tuple(device.put(x) for x in operands), out, NAME=row.name, BLOCK=COUNT, **keeps_subnormals)
    check(device, row, device.get(out), exact(row, operands))


def test_the_table_is_complete():
    names = {name for name in dir(libdevice) if hasattr(getattr(libdevice, name), "__triton_builtin__")}
    assert len(names) == 198 and names == {row.name for row in ROWS}
