"""The functions of the device library that NumPy has."""

import math

import numpy as np

from ...language import dtypes as types
from . import formats
from .directed import directed_function, float_operand, float_operands
from .elementwise import abs_, error_function, fma, fused, umulhi
from .values import cast, describe, make, promote, to_tensor


def _elementwise(function):
    with_objects = np.frompyfunc(function, 1, 1)
    return lambda values: with_objects(values).astype(np.float64)


def _gamma(value):
    try:
        return math.gamma(value)
    except (OverflowError, ValueError):
        return math.inf if value >= 0 else math.nan


def _log_gamma(value):
    try:
        return math.lgamma(value)
    except (OverflowError, ValueError):
        return math.inf


def _away_from_zero(values):
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(values)
    return whole + np.where(np.abs(values - whole) >= 0.5, np.copysign(1.0, values), 0.0)


def _of_pi(function):
    """Of a multiple of pi, exact where that is a multiple of one half."""

    def call(values):
        rest = np.fmod(values, 2.0)
        result = function(np.pi * rest)
        return np.where((np.fmod(rest * 2, 1.0) == 0) & (rest != 0), np.round(result), result)

    return call


_normal = _elementwise(lambda value: 0.5 * math.erfc(-value * math.sqrt(0.5)))

# Computed in float64 and rounded.
_FLOAT_UNARY = {
    **{name: getattr(np, name) for name in ("floor", "ceil", "trunc", "rint", "sqrt", "exp", "exp2", "expm1", "log")},
    **{name: getattr(np, name) for name in ("log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(np, name) for name in ("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "cbrt")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "nearbyint": np.rint,
    "round": _away_from_zero,
    **dict.fromkeys(("rsqrt", "rsqrt_rn"), lambda values: 1 / np.sqrt(values)),
    "rcbrt": lambda values: 1 / np.cbrt(values),
    "exp10": lambda values: np.power(10.0, values),
    "logb": lambda values: np.where(values == 0, -np.inf, np.frexp(values)[1] - 1.0),
    "sinpi": _of_pi(np.sin),
    "cospi": _of_pi(np.cos),
    "erf": error_function,
    "erfc": _elementwise(math.erfc),
    "normcdf": _normal,
    "tgamma": _elementwise(_gamma),
    "lgamma": _elementwise(_log_gamma),
    "saturatef": lambda values: np.where(np.isnan(values), 0.0, np.clip(values, 0.0, 1.0)),
    **{f"fast_{name}f": getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "log2", "log10", "tanh")},
    "fast_exp10f": lambda values: np.power(10.0, values),
    **{name: np.sqrt for name in ("sqrt_rn",)},
    "rcp_rn": lambda values: 1 / values,
    "rsqrt_rn": lambda values: 1 / np.sqrt(values),
}
_FLOAT_BINARY = {
    "copysign": np.copysign,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "fmod": np.fmod,
    "remainder": lambda x, y: x - y * np.rint(x / y),
    "fdim": lambda x, y: np.where(x > y, x - y, np.where(np.isnan(x) | np.isnan(y), np.nan, 0.0)),
    "pow": np.power,
    "fast_powf": np.power,
    "fast_dividef": np.divide,
    "div_rn": np.divide,
    "add_rn": np.add,
    "sub_rn": np.subtract,
    "mul_rn": np.multiply,
}
_PREDICATES = {"isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite}


def _apply(function, operands):
    dtype = operands[0].dtype
    with np.errstate(all="ignore"):
        result = function(*(operand.data.astype(np.float64) for operand in operands))
    return make(formats.rounded(np.asarray(result), dtype), dtype)


def _power(x, y):
    y = to_tensor(y)
    if y.dtype.is_int():
        x = float_operand(x, "pow")
        y = cast(y, types.float64 if x.dtype.is_fp64() else types.float32)
    return _apply(np.power, float_operands((x, y), "pow"))


def _bits(value):
    value = to_tensor(value)
    if not value.dtype.is_int() or value.dtype.primitive_bitwidth not in (32, 64):
        raise ValueError(f"the function takes 32-bit or 64-bit integers, not {describe(value)}")
    width = value.dtype.primitive_bitwidth
    data = np.asarray(value.data, order="C").view(f"uint{width}")
    return np.stack([(data >> data.dtype.type(bit)) & data.dtype.type(1) for bit in range(width)]).astype(bool), value


def _count_leading_zeros(x):
    bits, value = _bits(x)
    width = bits.shape[0]
    count = np.where(bits.any(0), np.argmax(bits[::-1], 0), width)
    return make(count.astype(np.int32), types.int32)


def _find_first_set(x):
    bits, _ = _bits(x)
    return make(np.where(bits.any(0), np.argmax(bits, 0) + 1, 0).astype(np.int32), types.int32)


def _population(x):
    return make(_bits(x)[0].sum(0).astype(np.int32), types.int32)


def _reversed_bits(x):
    bits, value = _bits(x)
    width = bits.shape[0]
    unsigned = np.dtype(f"uint{width}").type
    data = sum(bits[bit].astype(unsigned) << unsigned(width - 1 - bit) for bit in range(width))
    return make(np.asarray(data, unsigned).view(value.data.dtype), value.dtype)


def _scaled(x, exponent):
    x = float_operand(x, "ldexp")
    return _apply(lambda value: np.ldexp(value, to_tensor(exponent).data), [x])


def _sign_bit(x):
    return make(np.signbit(float_operand(x, "signbit").data).astype(np.int32), types.int32)


def _exponent(x):
    data = float_operand(x, "ilogb").data
    return make((np.frexp(data)[1] - 1).astype(np.int32), types.int32)


def _next(x, y):
    x, y = float_operands((x, y), "nextafter")
    return make(np.nextafter(x.data, y.data), x.dtype)


def _to_integer(rounding):
    return lambda x: cast(_apply(rounding, [float_operand(x, "llrint")]), types.int64)


def _signed_high(x, y):
    """The upper half of a product: the unsigned one, less what negative operands add to it."""
    x, y = promote(x, y, 0, "libdevice.mulhi")
    high = umulhi(x, y)
    if x.dtype.is_int_unsigned():
        return high
    with np.errstate(over="ignore"):
        return make(high.data - np.where(x.data < 0, y.data, 0) - np.where(y.data < 0, x.data, 0), x.dtype)


def _fma_rounded(x, y, z):
    x, y, z = float_operands((x, y, z), "fma")
    return make(formats.rounded(fused(x.data, y.data, z.data), x.dtype), x.dtype)


_OTHERS = {
    "abs": abs_,
    "fma": fma,
    "fma_rn": _fma_rounded,
    "pow": _power,
    "clz": _count_leading_zeros,
    "ffs": _find_first_set,
    "popc": _population,
    "brev": _reversed_bits,
    "ldexp": _scaled,
    "scalbn": _scaled,
    "signbit": _sign_bit,
    "ilogb": _exponent,
    "nextafter": _next,
    "llrint": _to_integer(np.rint),
    "llround": _to_integer(_away_from_zero),
    "mulhi": _signed_high,
}


def library_function(name):
    """The implementation of `libdevice.<name>`, or None."""
    if name in _OTHERS:
        return _OTHERS[name]
    if name in _PREDICATES:
        return lambda x: make(_PREDICATES[name](float_operand(x, name).data), types.int1)
    function = _FLOAT_UNARY.get(name) or _FLOAT_BINARY.get(name)
    if function is None:
        return directed_function(name)
    return lambda *operands: _apply(function, float_operands(operands, name))
