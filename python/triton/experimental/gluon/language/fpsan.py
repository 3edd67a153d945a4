"""Floats as elements of a ring of integers, in which sums and products do not depend on their order: an integer of the
float's width for each float, so that 1 stands for 1.0 and -x for the negative of what x stands for."""

from .... import language as tl
from ....language._kernel_only import builtin  # noqa: F401
from ....language.types import constexpr
from ....runtime.jit import constexpr_function
from .._jit import jit
from .._names import complete as _complete

#: An odd factor that spreads the bits of a float's significand over all bits.
_SPREAD = constexpr(14940041)


@constexpr_function
def _magnitude(dtype):
    """The bits of a float without its sign."""
    return (1 << dtype.primitive_bitwidth - 1) - 1


@constexpr_function
def _inverse(factor, dtype):
    """Of an odd factor of magnitudes."""
    return pow(factor, -1, _magnitude(dtype) + 1)


@constexpr_function
def _factor(dtype, negates):
    """By which the mixed bits of a float are multiplied, so that 1 stands for 1.0, or for `negates`, -1 for -1.0."""
    mask = _magnitude(dtype)
    mixed = (dtype.exponent_bias << dtype.fp_mantissa_width) * _SPREAD.value & mask
    mixed ^= mixed >> dtype.fp_mantissa_width
    factor = _inverse(mixed, dtype)
    return mask + 1 - factor if negates else factor


@constexpr_function
def _integer(dtype, is_signed):
    return tl.dtype(f"{'int' if is_signed else 'uint'}{dtype.primitive_bitwidth}")


@constexpr_function
def _is_float(dtype):
    return dtype.is_floating() and hasattr(dtype, "fp_mantissa_width")


@jit
def embed(input):
    """The integers, of the width of the floats, that stand for them."""
    kind: constexpr = input.dtype
    tl.static_assert(_is_float(kind), "`fpsan.embed` takes floats; integers stand for themselves")
    mask: constexpr = _magnitude(kind)
    bits = input.to(_integer(kind, False), bitcast=True)
    mixed = (bits * (_SPREAD & mask)) & mask
    mixed = mixed ^ (mixed >> kind.fp_mantissa_width)
    scaled = tl.where(bits > mask, mixed * _factor(kind, True), mixed * _factor(kind, False))
    return ((scaled & mask) | (bits & (mask + 1))).to(_integer(kind, True), bitcast=True)


@jit
def unembed(input, dtype: constexpr):
    """The floats of this dtype for which integers of its width stand."""
    tl.static_assert(_is_float(dtype), "`fpsan.unembed` gives floats, and needs the dtype of such")
    tl.static_assert(
        input.dtype.is_int() and input.dtype.primitive_bitwidth == dtype.primitive_bitwidth,
        "`fpsan.unembed` takes integers that have as many bits as the floats",
    )
    mask: constexpr = _magnitude(dtype)
    bits = input.to(_integer(dtype, False), bitcast=True)
    positive: constexpr = _inverse(_factor(dtype, False), dtype)
    negative: constexpr = _inverse(_factor(dtype, True), dtype)
    scaled = tl.where(bits > mask, bits * negative, bits * positive) & mask
    mixed = scaled
    for shift in tl.static_range(dtype.fp_mantissa_width, dtype.primitive_bitwidth - 1, dtype.fp_mantissa_width):
        mixed = mixed ^ (scaled >> shift)
    value = (mixed * _inverse(_SPREAD, dtype)) & mask
    return (value | (bits & (mask + 1))).to(dtype, bitcast=True)


__getattr__, __dir__ = _complete(__name__)
