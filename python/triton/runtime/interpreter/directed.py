"""Functions of the device library that round in a direction: nearest (rn), zero (rz), down (rd) or up (ru). Each result
is compared with the exact one, which Python's fractions hold."""

import fractions
import functools
import math

import numpy as np

from ...language import dtypes as types
from .values import broadcast_with_rank, cast, common_shape, describe, make, to_tensor

_DIRECTIONS = ("rn", "rz", "rd", "ru")


def _nearest(exact, dtype):
    """The float of ``dtype`` nearest to a fraction, as a Python float. An exact zero is positive."""
    if dtype == np.float64:
        try:
            return exact.numerator / exact.denominator
        except OverflowError:
            return math.inf if exact > 0 else -math.inf
    # To odd in float64 first, so that rounding again invents no tie.
    wide = _nearest(exact, np.float64)
    if math.isfinite(wide) and fractions.Fraction(wide) != exact and not _is_odd(wide):
        away = fractions.Fraction(wide) < exact
        wide = math.nextafter(wide, math.inf if away else -math.inf)
    with np.errstate(over="ignore"):
        return float(np.float32(wide))


def _is_odd(value):
    return int(np.float64(value).view(np.uint64)) & 1 == 1


def _directed(exact, nearest, direction, dtype):
    """The nearest float, or its neighbour on the other side of the exact value."""
    if direction == "rz":
        direction = "rd" if exact > 0 else "ru"
    if direction == "rn" or math.isfinite(nearest) and fractions.Fraction(nearest) == exact:
        return nearest
    is_above = nearest == math.inf or math.isfinite(nearest) and fractions.Fraction(nearest) > exact
    if is_above == (direction == "ru"):
        return nearest
    return float(np.nextafter(dtype.type(nearest), dtype.type(-np.inf if is_above else np.inf)))


def _root_side(value, nearest):
    """A fraction on the side of the nearest float on which the square root lies; the root itself if it is a float."""
    difference = fractions.Fraction(value) - fractions.Fraction(nearest) ** 2
    step = fractions.Fraction(nearest) / 2**60
    return fractions.Fraction(nearest) + (step if difference > 0 else -step if difference < 0 else 0)


def _root(direction, dtype):
    def call(value):
        if not value > 0 or math.isinf(value):
            return float(np.sqrt(value))
        # The square root of a float64 is correctly rounded, and float32 has less than half of its bits.
        nearest = float(dtype.type(math.sqrt(value)))
        return _directed(_root_side(value, nearest), nearest, direction, dtype)

    return call


def _arithmetic(name, direction, dtype):
    """A function of floats."""
    function = _ARITHMETIC[name]

    def call(*operands):
        with np.errstate(all="ignore"):
            plain = float(function(*map(dtype.type, operands)))
        if not all(map(math.isfinite, operands)):
            # A product of numbers is finite, even one that the type cannot hold.
            return operands[2] if name == "fma" and all(map(math.isfinite, operands[:2])) else plain
        try:
            exact = function(*map(fractions.Fraction, operands))
        except ZeroDivisionError:
            return plain
        if exact == 0:
            signs = {math.copysign(1, summand) for summand in _summands(name, operands)}
            return -0.0 if direction == "rd" and len(signs) == 2 else plain
        result = abs(_directed(exact, _nearest(exact, dtype), direction, dtype))
        return -result if exact < 0 else result

    return call


def _summands(name, operands):
    """What the function adds, as far as signs are concerned. A sum of zeros, or of what cancels, that differ in sign is
    negative when rounded down."""
    if name == "sub":
        return operands[0], -operands[1]
    if name == "fma":
        return math.copysign(1, operands[0]) * math.copysign(1, operands[1]), operands[2]
    return operands if name == "add" else ()


_ARITHMETIC = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "rcp": lambda x: 1 / x,
    "fma": lambda x, y, z: x * y + z,
}
_ROUNDINGS = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
#: The letters of a conversion: its types in the names of the device library.
_FLOATS = {"float": types.float32, "double": types.float64}
_INTEGERS = {"int": types.int32, "uint": types.uint32, "ll": types.int64, "ull": types.uint64}


def _each(function, operands, dtype):
    with np.errstate(all="ignore"):
        results = np.frompyfunc(function, len(operands), 1)(*(operand.data.astype(np.float64) for operand in operands))
    return make(np.asarray(results, np.float64).astype(dtype), _FLOATS["float" if dtype == np.float32 else "double"])


def float_operand(value, name):
    value = to_tensor(value)
    if not value.dtype.is_floating():
        raise ValueError(f"`libdevice.{name}` takes floats, not {describe(value)}")
    return value if value.dtype.is_fp64() else cast(value, types.float32)


def float_operands(values, name):
    operands = [float_operand(value, name) for value in values]
    shape = common_shape(*(operand.shape for operand in operands))
    dtype = types.float64 if any(operand.dtype.is_fp64() for operand in operands) else types.float32
    return [broadcast_with_rank(cast(operand, dtype), shape) for operand in operands]


def _rounded_integers(x, kind, direction):
    """Floats as integers; those that are too large become the nearest that there is, and NaN what GPUs give."""
    with np.errstate(invalid="ignore"):
        whole = _ROUNDINGS[direction](x.data.astype(np.float64))
    width, is_signed = kind.primitive_bitwidth, not kind.is_int_unsigned()
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if is_signed else (0, 2**width - 1)
    not_a_number = 0 if x.dtype.is_fp32() and width == 32 else low if is_signed else 2 ** (width - 1)

    def chosen(value):
        if math.isnan(value):
            return not_a_number
        return high if value >= high else low if value <= low else int(value)

    numbers = np.frompyfunc(chosen, 1, 1)(whole)
    return make(np.asarray(numbers).astype(np.int64 if is_signed else np.uint64).astype(kind.name), kind)


def _rounded_floats(x, kind, direction):
    """Numbers as floats."""
    dtype = np.dtype(np.float32 if kind.is_fp32() else np.float64)

    def convert(value):
        if isinstance(value, float) and (not math.isfinite(value) or value == 0):
            return value
        exact = fractions.Fraction(value)
        return _directed(exact, _nearest(exact, dtype), direction, dtype)

    with np.errstate(all="ignore"):
        values = np.frompyfunc(convert, 1, 1)(x.data.astype(object))
    return make(np.asarray(values, np.float64).astype(dtype), kind)


def _conversion(name, direction):
    source, _, target = name.partition("2")
    kinds = {**_FLOATS, **_INTEGERS}
    if source not in kinds or target not in kinds:
        return None
    rounds = _rounded_integers if target in _INTEGERS else _rounded_floats
    return lambda x: rounds(cast(to_tensor(x), kinds[source]), kinds[target], direction)


@functools.cache
def directed_function(name):
    """The implementation of the function of the device library that has this name, or None."""
    base, _, direction = name.rpartition("_")
    if direction not in _DIRECTIONS:
        return None

    def call(*values):
        operands = float_operands(values, name)
        dtype = operands[0].data.dtype
        if base == "sqrt":
            return _each(_root(direction, dtype), operands, dtype)
        return _each(_arithmetic(base, direction, dtype), operands, dtype)

    return call if base == "sqrt" or base in _ARITHMETIC else _conversion(base, direction)
