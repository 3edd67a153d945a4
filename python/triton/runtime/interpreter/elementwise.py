"""Functions that work element by element."""

import math
from fractions import Fraction

import numpy as np

from ...language import dtypes as types
from . import formats
from .operators import binary, compare, computed, logical
from .registry import IMPLEMENTATIONS, current, implements
from .values import (
    ARITHMETIC,
    DIVISION,
    InterpretedTensor,
    bitcast,
    broadcast_with_rank,
    cast,
    common_shape,
    describe,
    is_number,
    make,
    plain,
    promote,
    promote_all,
    to_tensor,
)

_erf = np.frompyfunc(math.erf, 1, 1)


def error_function(values):
    return _erf(values).astype(np.float64)


# Computed in float64 and then rounded.
_UNARY = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "sqrt_rn": np.sqrt,
    "rsqrt": lambda values: 1 / np.sqrt(values),
    "erf": error_function,
    "floor": np.floor,
    "ceil": np.ceil,
}


def float_operand(value, name, only_single=False):
    value = to_tensor(value)
    if value.dtype.name not in (("fp32",) if only_single else ("fp32", "fp64")):
        wanted = "fp32" if only_single else "fp32 or fp64"
        raise ValueError(f"`tl.{name}` takes {wanted}, not {describe(value)}: convert with `.to(tl.float32)`")
    return value


def apply_in_float64(function, value):
    with np.errstate(all="ignore"):
        return make(formats.rounded(np.asarray(function(value.data.astype(np.float64))), value.dtype), value.dtype)


def _register_unary(name, function):
    def call(x):
        return apply_in_float64(function, float_operand(x, name, name == "sqrt_rn"))

    IMPLEMENTATIONS[name] = call


for _name, _function in _UNARY.items():
    _register_unary(_name, _function)


@implements
def abs_(x):
    x = to_tensor(x)
    if x.dtype.is_ptr():
        raise TypeError("`tl.abs` does not take pointers")
    with np.errstate(over="ignore"):
        return computed(np.abs(x.data), x.dtype) if x.dtype.is_floating() or x.dtype.is_int_signed() else x


def _quotient(x, y):
    shape = common_shape(x.shape, y.shape)
    x, y = broadcast_with_rank(x, shape), broadcast_with_rank(y, shape)
    with np.errstate(all="ignore"):
        return computed(x.data / y.data, x.dtype)


@implements
def fdiv(x, y, ieee_rounding=False, approx=False):
    x, y = promote(x, y, DIVISION, "tl.fdiv")
    if not x.dtype.is_floating():
        raise TypeError(f"`tl.fdiv` takes floats, not {describe(x)}")
    if approx and (ieee_rounding or not x.dtype.is_fp32()):
        raise ValueError("`approx` of `tl.fdiv` is for fp32, and does not go with `ieee_rounding`")
    return _quotient(x, y)


@implements
def div_rn(x, y):
    for value in (x, y):
        if not is_number(plain(value)):  # A number takes the type of the other operand.
            float_operand(value, "div_rn", True)
    return _quotient(*promote(x, y, ARITHMETIC, "tl.div_rn"))


def _exact_fma(x, y, z, dtype):
    """With one rounding, by way of exact fractions where a float64 cannot hold the product."""

    def one(a, b, c):
        if not all(map(math.isfinite, (a, b, c))):
            # A product of numbers is finite, even one that a float64 cannot hold.
            return c if math.isfinite(a) and math.isfinite(b) else a * b + c
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        try:
            return float(exact) if exact else a * b + c
        except OverflowError:
            return math.inf if exact > 0 else -math.inf

    return np.frompyfunc(one, 3, 1)(x.astype(object), y.astype(object), z.astype(object)).astype(dtype)


def fused(x, y, z):
    """``x * y + z`` of compute-type arrays, with one rounding."""
    with np.errstate(all="ignore"):
        if x.dtype == np.float64:
            return _exact_fma(x, y, z, np.float64)
        product, z = x.astype(np.float64) * y, z.astype(np.float64)  # the product is exact
        total = product + z
        virtual = total - product
        error = (product - (total - virtual)) + (z - virtual)
        # Where bits are lost, an odd last bit keeps the second rounding from seeing a tie that is none.
        bits = np.asarray(total, order="C").view(np.int64)
        toward_total = np.where((error < 0) == (total > 0), bits - 1, bits) | 1
        inexact = (error != 0) & np.isfinite(total)
        return np.where(inexact, toward_total, bits).view(np.float64)


@implements
def fma(x, y, z):
    x, y, z = promote_all([x, y, z], ARITHMETIC, "tl.fma")
    if x.dtype.is_floating():
        return make(formats.rounded(fused(x.data, y.data, z.data), x.dtype), x.dtype)
    return binary("+", binary("*", x, y), z)


@implements
def umulhi(x, y):
    x, y = promote(x, y, ARITHMETIC, "tl.umulhi")
    if not x.dtype.is_int() or x.dtype.primitive_bitwidth < 32:
        raise ValueError(f"`tl.umulhi` takes 32-bit or 64-bit integers, not {describe(x)}")
    width = x.dtype.primitive_bitwidth
    a, b = (side.data.astype(f"uint{width}").astype(np.uint64) for side in (x, y))
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    with np.errstate(over="ignore"):
        if width == 32:
            high = (a * b) >> half
        else:
            cross = (a >> half) * (b & low) + ((a & low) * (b & low) >> half)
            other = (a & low) * (b >> half) + (cross & low)
            high = (a >> half) * (b >> half) + (cross >> half) + (other >> half)
    return make(high.astype(x.data.dtype), x.dtype)


def propagates_nan(mode):
    return getattr(plain(mode), "value", mode) != 0


def _extremum(x, y, propagate_nan, name, ignoring, propagating):
    x, y = promote(x, y, ARITHMETIC, f"tl.{name}")
    return make((propagating if propagates_nan(propagate_nan) else ignoring)(x.data, y.data), x.dtype)


@implements
def minimum(x, y, propagate_nan=0):
    return _extremum(x, y, propagate_nan, "minimum", np.fmin, np.minimum)


@implements
def maximum(x, y, propagate_nan=0):
    return _extremum(x, y, propagate_nan, "maximum", np.fmax, np.maximum)


@implements
def clamp(x, min, max, propagate_nan=0):
    x, low, high = promote_all([x, min, max], ARITHMETIC, "tl.clamp")
    if not x.dtype.is_floating():
        raise TypeError(f"`tl.clamp` takes floats, not {describe(x)}")
    inner, outer = (np.maximum, np.minimum) if propagates_nan(propagate_nan) else (np.fmax, np.fmin)
    return make(outer(inner(x.data, low.data), high.data), x.dtype)


@implements
def add(x, y, sanitize_overflow=True):
    return binary("+", x, y, sanitize_overflow)


@implements
def sub(x, y, sanitize_overflow=True):
    return binary("-", x, y, sanitize_overflow)


@implements
def mul(x, y, sanitize_overflow=True):
    return binary("*", x, y, sanitize_overflow)


@implements
def where(condition, x, y):
    condition = cast(to_tensor(condition), types.int1)
    x, y = plain(x), plain(y)
    pointers = [side.dtype for side in (x, y) if isinstance(side, InterpretedTensor) and side.dtype.is_ptr()]
    if len(pointers) < 2 or pointers[0] != pointers[1]:
        x, y = promote(x, y, ARITHMETIC, "tl.where")
    shape = common_shape(condition.shape, x.shape, y.shape)
    return make(np.broadcast_to(np.where(condition.data, x.data, y.data), shape), x.dtype)


@implements
def expect_zero(x, mask):
    x = to_tensor(x)
    if current().debug and (compare("!=", x, 0).data & to_tensor(mask).data).any():
        raise AssertionError("expected zero where the mask holds")
    return x


@implements
def logical_and(input, other):
    return logical("and", input, other)


@implements
def logical_or(input, other):
    return logical("or", input, other)


@implements
def to_tensor_(x):
    return to_tensor(x)


@implements
def cast_(input, dtype, fp_downcast_rounding=None, bitcast=False):
    return convert(to_tensor(input), dtype, fp_downcast_rounding, bitcast)


IMPLEMENTATIONS["to"] = IMPLEMENTATIONS["cast"]


def convert(value, dtype, rounding, keeps_bits):
    if not isinstance(dtype, types.dtype):
        raise TypeError(f"`dtype` must be a dtype, not {describe(dtype)}")
    if keeps_bits:
        return bitcast(value, dtype)
    if rounding not in (None, "", "rtne", "rtz"):
        raise ValueError(f'the rounding must be "rtne" or "rtz", not {rounding!r}')
    return cast(value, dtype, None if not rounding else rounding == "rtz")
