"""Matrix products. All of them are computed in float64 and rounded once to the type of the result. Operands of float32
are rounded as matrix units do where the kernel names a precision."""

import numpy as np

from ... import knobs
from ...language import dtypes as types
from . import formats
from .accesses import choice, round_to_tf32
from .registry import current, implements
from .values import bitcast, describe, make, plain, to_tensor

# format: the types of its storage, of which the second holds values
_SCALED_STORAGE = {
    "e2m1": (types.uint8, types.uint8),
    "e4m3": (types.uint8, types.float8e4nv),
    "e5m2": (types.uint8, types.float8e5),
    "bf16": (types.uint16, types.bfloat16),
    "fp16": (types.uint16, types.float16),
}
_E2M1_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def product(left, right, accumulator, dtype):
    """``left @ right + accumulator`` of float64 arrays as a tensor of ``dtype``."""
    with np.errstate(all="ignore"):
        product = left @ right
        if dtype.is_int():
            return make(product.astype(np.int64).astype(np.int32) + accumulator, dtype)
        return make(formats.rounded(product + accumulator, dtype), dtype)


def _accumulator_type(acc, out_dtype, operand):
    if operand.is_int():
        return types.int32
    if operand.name in ("fp64", "fp32", "bf16"):
        return types.float64 if operand.is_fp64() else types.float32
    dtype = plain(out_dtype) or (acc.dtype if acc is not None else types.float32)
    if dtype.name not in ("fp32", "fp16"):
        raise ValueError(f"`out_dtype` of `tl.dot` must be tl.float32 or tl.float16, not {dtype}")
    return dtype


def _accumulator(acc, dtype, shape):
    if acc is None:
        return 0
    acc = to_tensor(acc)
    if acc.dtype != dtype or acc.shape != shape:
        raise AssertionError(f"the accumulator must be {dtype}{list(shape)}, not {describe(acc)}")
    return acc.data


def _precision(input_precision, allow_tf32):
    """The precision that the kernel asks for, or else the environment."""
    input_precision, allow_tf32 = plain(input_precision), plain(allow_tf32)
    if allow_tf32 is not None and input_precision is not None:
        raise AssertionError("`allow_tf32` is the older form of `input_precision`: give one of them")
    if allow_tf32 is not None:
        return "tf32" if allow_tf32 else "ieee"
    if not input_precision:
        return knobs.language.fp32_default or "ieee"
    allowed = current().options.allowed_dot_input_precisions
    return choice(input_precision.lower(), ("", *allowed), "input_precision")


def _cut_to_tf32(values):
    """Without the 13 low bits of the mantissa."""
    cut = (np.asarray(values, order="C").view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isnan(values), values, cut)


def _to_bfloat16(values):
    return formats.rounded(values, types.bfloat16)


# precision: how float32 is cut into a part, how the last part is rounded, and the number of parts
_SCHEMES = {
    "tf32": (_cut_to_tf32, round_to_tf32, 1),
    "tf32x3": (_cut_to_tf32, round_to_tf32, 2),
    "bf16x3": (_to_bfloat16, _to_bfloat16, 2),
    "bf16x6": (_to_bfloat16, _to_bfloat16, 3),
}


def _parts(values, precision):
    """A float32 array as a sum of numbers that a matrix unit takes, from the largest to the smallest, in float64."""
    cut, finish, count = _SCHEMES[precision]
    parts = []
    with np.errstate(all="ignore"):
        for _ in range(count - 1):
            parts.append(cut(values))
            values = values - parts[-1]
    return [part.astype(np.float64) for part in (*parts, finish(values))]


def product_of_parts(left, right, accumulator, precision):
    """The products of the parts, but for those that are smaller than what the parts leave out."""
    left, right = _parts(left, precision), _parts(right, precision)
    with np.errstate(all="ignore"):
        pairs = [(first, second) for first in range(len(left)) for second in range(len(left) - first)]
        small = sum((left[first] @ right[second] for first, second in pairs[1:]), start=np.float64(0))
        # Parts of infinities are NaN, which must not hide the infinite product.
        total = left[0] @ right[0] + np.where(np.isnan(small), 0, small)
        return make(formats.rounded(total + accumulator, types.float32), types.float32)


@implements
def dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None):
    left, right = to_tensor(input), to_tensor(other)
    is_float8_pair = left.dtype.is_fp8() and right.dtype.is_fp8()
    is_known = left.dtype.is_floating() or left.dtype == types.int8
    if not is_float8_pair and not (is_known and left.dtype == right.dtype):
        raise AssertionError(
            f"`tl.dot` takes two floats of one type, or int8, not {describe(left)} and {describe(right)}"
        )
    matches = len(left.shape) == len(right.shape) >= 2 and left.shape[-1] == right.shape[-2]
    if not matches or left.shape[:-2] != right.shape[:-2]:
        raise AssertionError(f"the shapes of {describe(left)} and {describe(right)} do not make a product")
    precision = _precision(input_precision, allow_tf32)
    dtype = _accumulator_type(acc, out_dtype, left.dtype)
    start = _accumulator(acc, dtype, (*left.shape[:-1], right.shape[-1]))
    if max_num_imprecise_acc is not None and left.dtype.is_fp8() and max_num_imprecise_acc > left.shape[-1]:
        raise ValueError(f"`max_num_imprecise_acc` is {max_num_imprecise_acc}, more than K, {left.shape[-1]}")
    if left.dtype.is_fp32() and precision in _SCHEMES:
        return product_of_parts(left.data, right.data, start, precision)
    return product(left.data.astype(np.float64), right.data.astype(np.float64), start, dtype)


def scaled_operand(value, scale, format, packs_inner, is_left):
    """The matrix with its scales applied, in float64, of shape [..., M, K] or [..., K, N]."""
    format = choice(format, tuple(_SCALED_STORAGE), "the format")
    bits, real = _SCALED_STORAGE[format]
    value = to_tensor(value)
    if value.dtype not in (bits, real):
        raise AssertionError(f"{format} is stored as {bits} or {real}, not as {describe(value)}")
    if len(value.shape) not in (2, 3):
        raise AssertionError(f"`tl.dot_scaled` takes blocks of rank 2 or 3, not {describe(value)}")
    if not packs_inner and format != "e2m1":
        raise AssertionError("`k_pack` can be False for e2m1 only")
    inner = -1 if is_left else -2
    if format == "e2m1":
        axis = inner if packs_inner else (-2 if is_left else -1)
        halves = np.stack([value.data & 0xF, value.data >> 4], -1)
        moved = np.moveaxis(halves, -1, len(value.shape) + axis + 1)
        shape = list(value.shape)
        shape[axis] *= 2
        matrix = _E2M1_VALUES[moved.reshape(shape)]
    else:
        real_value = value if value.dtype == real else bitcast(value, real)
        matrix = real_value.data.astype(np.float64)
    if scale is None:
        return matrix
    factors = _scales(to_tensor(scale))
    group = matrix.shape[inner] // factors.shape[-1]
    factors = np.repeat(factors, group, -1)
    return matrix * (factors if is_left else factors.swapaxes(-1, -2))


def _scales(scale):
    """Powers of two from their exponents (e8m0); scales that are floats stand for themselves."""
    if scale.dtype.is_floating():
        return scale.data.astype(np.float64)
    exponents = scale.data.astype(np.uint8).astype(np.int64)
    return np.where(exponents == 255, np.nan, np.ldexp(1.0, exponents - 127))


@implements
def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True,
               rhs_k_pack=True, out_dtype=types.float32):  # fmt: skip
    left = scaled_operand(lhs, lhs_scale, lhs_format, lhs_k_pack, True)
    right = scaled_operand(rhs, rhs_scale, rhs_format, rhs_k_pack, False)
    if plain(out_dtype) != types.float32:
        raise ValueError("`out_dtype` of `tl.dot_scaled` must be tl.float32")
    if left.ndim != right.ndim or left.shape[-1] != right.shape[-2]:
        raise AssertionError(f"the shapes {list(left.shape)} and {list(right.shape)} do not make a product")
    start = _accumulator(acc, types.float32, (*left.shape[:-1], right.shape[-1]))
    return product(left, right, start, types.float32)
