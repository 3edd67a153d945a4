"""Element types in NumPy: how elements lie in memory, how kernels compute with them, and rounding between both.

An element is computed with in a NumPy type that represents each of its values: bfloat16 and 8-bit floats in float32,
pointers as 64-bit addresses, all others in their own type.
"""

import functools

import numpy as np

from ...language import dtypes as types

# exponent bits, what the largest exponent means: "ieee" has infinities, "fn" one NaN, "fnuz" neither infinities nor a
# negative zero (its pattern is the NaN), "finite" numbers alone
_SMALL_FLOATS = {
    "bf16": (8, "ieee"),
    "fp16": (5, "ieee"),
    "fp8e5": (5, "ieee"),
    "fp8e4nv": (4, "fn"),
    "fp8e4b8": (4, "fnuz"),
    "fp8e5b16": (5, "fnuz"),
    "fp8e4b15": (4, "finite"),
}
_NATIVE = {
    "int1": np.bool_,
    "fp16": np.float16,
    "fp32": np.float32,
    "fp64": np.float64,
    "bf16": np.float32,
    **{name: np.dtype(name).type for name in types.dtype.SINT_TYPES + types.dtype.UINT_TYPES[1:]},
}


@functools.cache
def compute_type(dtype):
    """The NumPy type in which elements of ``dtype`` are computed with."""
    if dtype.is_ptr():
        return np.dtype(np.uint64)
    return np.dtype(np.float32 if dtype.is_fp8() else _NATIVE[dtype.name])


@functools.cache
def storage_type(dtype):
    """The NumPy type of the bytes of an element in memory; int1 takes a byte."""
    if dtype.is_bf16():
        return np.dtype(np.uint16)
    if dtype.is_fp8() or dtype.is_bool():
        return np.dtype(np.uint8)
    return compute_type(dtype)


@functools.cache
def _float8_values(dtype):
    """The value of each bit pattern."""
    exponent_bits, kind = _SMALL_FLOATS[dtype.name]
    mantissa_bits, bias = dtype.fp_mantissa_width, dtype.exponent_bias
    pattern = np.arange(128)
    exponent, mantissa = pattern >> mantissa_bits, pattern & ((1 << mantissa_bits) - 1)
    scale = np.maximum(exponent, 1) - bias - mantissa_bits
    values = np.ldexp(mantissa + np.where(exponent > 0, 1 << mantissa_bits, 0.0), scale)
    if kind == "ieee":
        top = exponent == (1 << exponent_bits) - 1
        values = np.where(top, np.where(mantissa == 0, np.inf, np.nan), values)
    elif kind == "fn":
        values[127] = np.nan
    elif kind == "finite":
        values[127] = 1.75
    negative = -values
    if kind == "fnuz":
        negative[0] = np.nan
    return np.concatenate([values, negative]).astype(np.float32)


def decode(bits, dtype):
    """Elements as they lie in memory, in their compute type."""
    if dtype.is_bf16():
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if dtype.is_fp8():
        return _float8_values(dtype)[bits]
    return bits != 0 if dtype.is_bool() else bits


def encode(values, dtype):
    """Values that ``dtype`` represents, as they lie in memory."""
    if dtype.is_bf16():
        bits = (np.asarray(values, order="C").view(np.uint32) >> np.uint32(16)).astype(np.uint16)
        # The bits of a NaN that bfloat16 has may all be among those that it lacks.
        return np.where(np.isnan(values), bits | np.uint16(0x40), bits)
    if not dtype.is_fp8():
        return values.astype(storage_type(dtype), copy=False)
    ordered = _float8_values(dtype)[:128]
    ordered = ordered[:127] if _SMALL_FLOATS[dtype.name][1] == "finite" else ordered[~np.isnan(ordered)]
    pattern = np.searchsorted(ordered, np.abs(values)).astype(np.uint8)
    negative = np.signbit(values) & ((pattern != 0) | (_SMALL_FLOATS[dtype.name][1] != "fnuz"))
    pattern = pattern | np.where(negative, np.uint8(0x80), np.uint8(0))
    not_a_number = 0x80 if _SMALL_FLOATS[dtype.name][1] == "fnuz" else 0x7F
    return np.where(np.isnan(values), np.uint8(not_a_number), pattern)


def rounded(values, dtype, toward_zero=False):
    """Floats as the nearest ones that ``dtype`` represents, ties to even, in its compute type. Numbers that are too
    large become infinite, or the largest number where ``dtype`` has no infinity."""
    target = compute_type(dtype)
    if dtype.name not in _SMALL_FLOATS and not toward_zero or dtype.is_fp16() and not toward_zero:
        with np.errstate(over="ignore", invalid="ignore"):
            return values.astype(target)
    if values.dtype == np.float32 and dtype.is_bf16() and not toward_zero:
        return _rounded_to_bfloat16(values)
    wide = values.astype(np.float64)
    mantissa_bits, bias = dtype.fp_mantissa_width, dtype.exponent_bias
    _, exponent = np.frexp(wide)
    quantum = np.maximum(exponent - 1, 1 - bias) - mantissa_bits
    steps = np.ldexp(wide, -quantum)
    result = np.ldexp(np.trunc(steps) if toward_zero else np.rint(steps), quantum)
    result = np.where(np.isfinite(wide), result, wide)
    largest, overflow = _limits(dtype)
    limit = np.where(np.isinf(wide) | (not toward_zero), overflow, largest)
    result = np.where(np.abs(result) > largest, np.copysign(limit, result), result)
    if _SMALL_FLOATS.get(dtype.name, (0, ""))[1] == "fnuz":
        result = result + 0.0  # no negative zero
    return result.astype(target)


def _rounded_to_bfloat16(values):
    bits = np.asarray(values, order="C").view(np.uint32)
    nearest = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(values), values, nearest.view(np.float32))


@functools.cache
def _limits(dtype):
    """The largest finite number, and what larger ones become."""
    if dtype.is_fp8():
        values = _float8_values(dtype)
        largest = float(values[np.isfinite(values)].max())
        return largest, np.inf if np.isinf(values).any() else largest
    if dtype.is_bf16():
        return float.fromhex("0x1.fep127"), np.inf
    return float(np.finfo(compute_type(dtype)).max), np.inf


def integers_from_floats(values, dtype):
    """Floats as integers, truncated. Those that ``dtype`` cannot hold are unspecified in kernels; here they take the
    lowest bits of the 64-bit result."""
    with np.errstate(invalid="ignore"):
        wide = values.astype(np.float64)
        large = np.where(wide >= 2.0**63, wide - 2.0**64, wide) if dtype.is_int_unsigned() else wide
        return large.astype(np.int64).astype(compute_type(dtype))
