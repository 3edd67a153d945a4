"""Values of every element type, independent of the implementation under test: random data, storage as NumPy arrays
(bfloat16 and 8-bit floats as their bits), exact reading as float64, the reference's promotion rules, poison."""

import numpy as np
import pytest
import triton
import triton.language as tl

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float16", "bfloat16", "float32", "float64"]
NUMBERS = INTEGERS + FLOATS
ALL = ["int1"] + NUMBERS
# exponent bits, mantissa bits, bias, has infinities
SMALL_FLOATS = {
    "bfloat16": (8, 7, 127, True),
    "float8e5": (5, 2, 15, True),
    "float8e4nv": (4, 3, 7, False),
    "float8e5b16": (5, 2, 16, False),
    "float8e4b8": (4, 3, 8, False),
    "float8e4b15": (4, 3, 15, False),
}


def is_float(dtype):
    return "float" in dtype


def bits(dtype):
    return {"int1": 1, "bfloat16": 16, "float16": 16}.get(dtype) or (
        8 if dtype.startswith("float8") else int(dtype.lstrip("uintfloa"))
    )


def storage_dtype(dtype):
    """The NumPy dtype that holds elements of `dtype`."""
    if dtype == "int1":
        return np.dtype(np.bool_)
    if dtype in SMALL_FLOATS:
        return np.dtype(f"uint{bits(dtype)}")
    return np.dtype(dtype)


def tl_dtype(dtype):
    return getattr(tl, dtype)


def argument(array, dtype):
    """The array as an argument of a kernel."""
    return triton.reinterpret(array, tl_dtype(dtype)) if dtype in SMALL_FLOATS else array


def decode_table(dtype):
    """The value of each bit pattern of a small float, as float64."""
    exponent_bits, mantissa_bits, bias, has_infinity = SMALL_FLOATS[dtype]
    pattern = np.arange(1 << (1 + exponent_bits + mantissa_bits), dtype=np.int64)
    mantissa = pattern & ((1 << mantissa_bits) - 1)
    exponent = (pattern >> mantissa_bits) & ((1 << exponent_bits) - 1)
    negative = (pattern >> (exponent_bits + mantissa_bits)) != 0
    magnitude = np.where(
        exponent == 0,
        np.ldexp(mantissa.astype(np.float64), 1 - bias - mantissa_bits),
        np.ldexp(mantissa + float(1 << mantissa_bits), exponent - bias - mantissa_bits),
    )
    top = exponent == (1 << exponent_bits) - 1
    if has_infinity:
        magnitude = np.where(top, np.where(mantissa == 0, np.inf, np.nan), magnitude)
    elif dtype == "float8e4nv":
        magnitude = np.where(top & (mantissa == (1 << mantissa_bits) - 1), np.nan, magnitude)
    elif dtype == "float8e4b15":  # the largest pattern reads as the one before it
        magnitude = np.minimum(magnitude, 1.75)
    else:  # only the pattern of minus zero is a NaN
        magnitude = np.where(pattern == 1 << (exponent_bits + mantissa_bits), np.nan, magnitude)
    return np.where(negative, -magnitude, magnitude)


_TABLES = {}


def table(dtype):
    if dtype not in _TABLES:
        _TABLES[dtype] = decode_table(dtype)
    return _TABLES[dtype]


def encode_bfloat16(values):
    """Round to nearest, ties to even, of float64 through exact steps."""
    single = values.astype(np.float32)
    # float64 → float32 → bfloat16 would round twice: make the float32 odd when inexact, so that no tie is invented
    inexact = single.astype(np.float64) != values
    pattern = single.view(np.uint32)
    too_large = np.abs(single.astype(np.float64)) > np.abs(values)
    pattern = np.where(inexact & too_large, pattern - 1, pattern)
    pattern = np.where(inexact & np.isfinite(values), pattern | 1, pattern).astype(np.uint32)
    rounded = (pattern + np.uint32(0x7FFF) + ((pattern >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def store_as(values, dtype):
    """Values (float64 or integers) rounded to `dtype`, in storage."""
    values = np.asarray(values)
    if dtype == "bfloat16":
        return encode_bfloat16(values.astype(np.float64))
    if dtype in SMALL_FLOATS:
        known = table(dtype)
        order = np.argsort(np.where(np.isnan(known), np.inf, known), kind="stable")
        is_alias = (order & 127 == 127) & (dtype == "float8e4b15")  # a number has one code
        order = order[np.isfinite(known[order]) & ~is_alias]
        position = np.clip(np.searchsorted(known[order], values), 1, len(order) - 1)
        low, high = order[position - 1], order[position]
        nearer_low = values - known[low] < known[high] - values
        tie = values - known[low] == known[high] - values
        return np.where(nearer_low | (tie & (low % 2 == 0)), low, high).astype(np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(storage_dtype(dtype))


def read(array, dtype):
    """Storage as exact values: float64 for floats, the integers themselves otherwise."""
    if dtype in SMALL_FLOATS:
        return table(dtype)[array]
    return array.astype(np.float64) if is_float(dtype) else array


def random_values(rng, shape, dtype, low=None, high=None):
    """Random elements of `dtype` in storage; integers over the whole range unless bounded."""
    if dtype == "int1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if is_float(dtype):
        values = rng.uniform(-4 if low is None else low, 4 if high is None else high, shape)
        return store_as(values, dtype)
    info = np.iinfo(dtype)
    return rng.integers(
        info.min if low is None else low, info.max if high is None else high, shape, dtype=dtype, endpoint=True
    )


def poisoned(shape, dtype):
    """An output that no test expects: NaN or a bit pattern."""
    array = np.empty(shape, storage_dtype(dtype))
    if dtype == "int1":
        array[...] = True
    elif array.dtype.kind == "f":
        array[...] = np.nan
    else:
        array.view(np.uint8)[...] = 0xA5
    return array


def promote(x, y, is_division=False):
    """The type of an operator's result for two tensors, as the language's rules say."""
    for widest in ("float64", "float32"):
        if widest in (x, y):
            return widest
    if "float16" in (x, y):
        return "float32" if is_division else "float16"
    if "bfloat16" in (x, y):
        return "bfloat16" if x == y and not is_division else "float32"
    if x == y:
        return x
    signed = lambda dtype: dtype in SIGNED
    if signed(x) == signed(y):
        return x if bits(x) >= bits(y) else y
    unsigned_type, signed_type = (y, x) if signed(x) else (x, y)
    return unsigned_type if bits(unsigned_type) >= bits(signed_type) else signed_type


def spacing(values, dtype):
    """The distance between neighbouring numbers of `dtype` at each value."""
    mantissa, smallest = {"float16": (10, -24), "bfloat16": (7, -133), "float32": (23, -149), "float64": (52, -1074)}[
        dtype
    ]
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log2(np.maximum(np.abs(values), 1e-320)))
    return np.ldexp(1.0, np.maximum(exponent - mantissa, smallest).astype(np.int64))


def assert_ulp(actual, expected, dtype, ulps):
    """Every element within `ulps` (one number, or one for each element) units in the last place of the exact value; NaN
    and infinities agree."""
    actual, expected = np.asarray(actual, np.float64), np.asarray(expected, np.float64)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    infinite = np.isinf(expected)
    np.testing.assert_array_equal(actual[infinite], expected[infinite])
    allowed = np.broadcast_to(ulps, expected.shape)[finite]
    actual, expected = actual[finite], expected[finite]
    error = np.abs(actual - expected) / spacing(expected, dtype)
    if np.any(error > allowed):
        worst = (error - allowed).argmax()
        raise AssertionError(
            f"{error[worst]:.2f} ulp, {allowed[worst]:.2f} allowed, at {expected[worst]!r}: got {actual[worst]!r}"
        )


def is_refused(device, dtype, launch):
    """Whether the device does not know the type; a launch then says so."""
    if device.knows(dtype):
        return False
    with pytest.raises(triton.CompilationError, match="float8e4nv is not supported in this architecture"):
        launch()
    return True


def aligned(values):
    """A copy at an address that is a multiple of 64."""
    values = np.ascontiguousarray(values)
    data = np.zeros(values.nbytes + 64, np.uint8)
    start = -data.ctypes.data % 64
    array = data[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return array


def numbers_of_every_size(rng, dtype, count):
    """Numbers of every size, and those at the limits; no subnormal ones, which some instructions take as zero."""
    if np.dtype(dtype).kind == "f":
        limits = np.finfo(dtype)
        exponents = rng.uniform(np.log2(limits.tiny), np.log2(limits.max), count)
        numbers = np.exp2(np.where(rng.random(count) < 0.5, exponents, rng.uniform(-8, 8, count)))
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 1.5, 2.5, limits.max, limits.tiny]
    else:
        numbers = 2.0 ** rng.uniform(0, np.iinfo(dtype).bits - 1.001, count)
        special = [0, 1, 31, 32, 33, 255, -1, -2, np.iinfo(dtype).max, np.iinfo(dtype).min]
    with np.errstate(over="ignore"):
        values = (numbers * rng.choice([-1, 1], count)).astype(dtype)
    values[rng.permutation(count)[: 2 * len(special)]] = np.array(special * 2).astype(dtype)
    return values
