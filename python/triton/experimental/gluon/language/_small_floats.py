"""Floats of 4 and 8 bits with scales, as ordinary instructions compute them. A byte holds two floats of 4 bits, e2m1,
the first in its low bits. Scales are powers of two, as exponents with the bias 127."""

from .... import language as tl
from ....language.types import constexpr
from ....runtime.jit import constexpr_function
from .._jit import jit
from ._core import convert_layout, to_linear_layout
from ._layouts import BlockedLayout, DistributedLinearLayout, DotOperandLayout


@constexpr_function
def _doubled(layout, axis):
    """The layout in which a thread holds twice as many neighbours along `axis`; None if it has no name."""
    if isinstance(layout, BlockedLayout):
        own = [size * 2 if dim == axis else size for dim, size in enumerate(layout.size_per_thread)]
        rest = (layout.threads_per_warp, layout.warps_per_cta, layout.order, layout.cga_layout)
        return BlockedLayout(own, *rest)
    if isinstance(layout, DotOperandLayout) and axis == layout.rank - 1 - layout.operand_index:
        return DotOperandLayout(layout.operand_index, layout.parent, 2 * layout.k_width)
    return None


@constexpr_function
def _scaled_shape(shape, axis, factor):
    """The shape whose extent along `axis` is `factor` times as large; negative factors divide."""
    if factor < 0:
        return [size // -factor if dim == axis else size for dim, size in enumerate(shape)]
    return [size * factor if dim == axis else size for dim, size in enumerate(shape)]


@constexpr_function
def _order_of_pairs(rank, axis):
    """The order that moves the last of `rank` + 1 dimensions behind `axis`."""
    return [*range(axis + 1), rank, *range(axis + 1, rank)]


@constexpr_function
def _order_to_pairs(rank, axis):
    return [*range(axis + 1), *range(axis + 2, rank + 1), axis + 1]


@constexpr_function
def _paired_shape(shape, axis):
    return [*shape[:axis], shape[axis] // 2, 2, *shape[axis + 1 :]]


@constexpr_function
def _axis_of(axis, rank):
    return axis if axis >= 0 else axis + rank


@jit
def _interleaved(first, second, axis: constexpr):
    """Both by turns along `axis`."""
    rank: constexpr = len(first.shape)
    pairs = tl.permute(tl.join(first, second), _order_of_pairs(rank, axis))
    joined = tl.reshape(pairs, _scaled_shape(first.shape, axis, 2))
    layout: constexpr = _doubled(first.type.layout, axis)
    if layout is not None:
        joined = convert_layout(joined, layout)
    return joined


@jit
def _split_pairs(x, axis: constexpr):
    """(every second element along `axis` from the first on, the others)."""
    rank: constexpr = len(x.shape)
    pairs = tl.permute(tl.reshape(x, _paired_shape(x.shape, axis)), _order_to_pairs(rank, axis))
    return tl.split(pairs)


@jit
def _decoded(code, elem_type: constexpr):
    """Numbers of codes e2m1: as subnormal numbers of float16 they are too small by 2^14."""
    bits = code.to(tl.uint16)
    small = ((bits & 7) << 9 | (bits & 8) << 12).to(tl.float16, bitcast=True)
    return (small * 16384.0).to(tl.float16).to(elem_type)


@jit
def fp4_to_fp(src, elem_type: constexpr, axis: constexpr):
    """The floats of 4 bits in `src`, bytes that hold two along `axis`, as float16 or bfloat16."""
    tl.static_assert(elem_type == tl.float16 or elem_type == tl.bfloat16, "`elem_type` must be float16 or bfloat16")
    tl.static_assert(src.dtype == tl.uint8 or src.dtype == tl.int8, "`src` must have bytes, uint8 or int8")
    tl.static_assert(-len(src.shape) <= axis < len(src.shape), "`axis` must be a dimension of `src`")
    place: constexpr = _axis_of(axis, len(src.shape))
    bits = src.to(tl.uint8, bitcast=True)
    return _interleaved(_decoded(bits & 15, elem_type), _decoded(bits >> 4, elem_type), place)


@jit
def scale_power(scale):
    """2^(scale - 127) as float32; 255 is NaN."""
    tl.static_assert(scale.dtype == tl.uint8 or scale.dtype == tl.int8, "`scale` must have exponents, uint8 or int8")
    exponent = scale.to(tl.uint8, bitcast=True).to(tl.uint32)
    bits = tl.where(exponent == 0, 0x400000, tl.where(exponent == 255, 0x7FC00000, exponent << 23))
    return bits.to(tl.uint32).to(tl.float32, bitcast=True)


@constexpr_function
def _ratio(shape, scale_shape, axis):
    """How many elements share a scale; 0 if the shapes do not fit."""
    others = [dim for dim in range(len(shape)) if dim != axis]
    if len(shape) != len(scale_shape) or any(shape[dim] != scale_shape[dim] for dim in others):
        return 0
    return 0 if shape[axis] % scale_shape[axis] else shape[axis] // scale_shape[axis]


@constexpr_function
def _repeated_shape(shape, axis, count):
    """With a dimension of `count` behind `axis`."""
    return [*shape[: axis + 1], count, *shape[axis + 1 :]]


@jit
def spread_scales(scale, like, axis: constexpr):
    """Scales of as many elements along `axis` as share one, one for each element of `like`, in its layout."""
    count: constexpr = _ratio(like.shape, scale.shape, axis)
    tl.static_assert(count > 0, "a scale must be for a whole number of elements along `axis`, and for one along others")
    result = scale
    for _ in tl.static_range(count.bit_length() - 1):
        result = _interleaved(result, result, axis)
    return convert_layout(result, like.type.layout)


@jit
def scaled_upcast(src, scale, elem_type: constexpr, axis: constexpr = None):
    """Floats of 8 bits, or of 4 bits in bytes that hold two along `axis`, times their scales."""
    tl.static_assert(elem_type == tl.float16 or elem_type == tl.bfloat16, "`elem_type` must be float16 or bfloat16")
    if axis is None:
        tl.static_assert(
            src.dtype == tl.float8e4nv or src.dtype == tl.float8e5,
            "`src` must have floats of 8 bits; for those of 4 bits, name the `axis` along which bytes hold two",
        )
        tl.static_assert(len(src.shape) == len(scale.shape), "`scale` must have the shape of `src`")
        return (src.to(tl.float32) * convert_layout(scale_power(scale), src.type.layout)).to(elem_type)
    else:
        place: constexpr = _axis_of(axis, len(src.shape))
        values = fp4_to_fp(src, tl.float16, place)
        return (values.to(tl.float32) * scale_power(spread_scales(scale, values, place))).to(elem_type)


@constexpr_function
def _layout_of_scales(linear, axis, factor, shape):
    """The layout in which each thread holds the scales of its elements, whose bytes lie as `linear` says. Registers
    that would hold copies are left out."""

    def moved(basis):
        return tuple(2 * place // factor if dim == axis else place for dim, place in enumerate(basis))

    groups = [[moved(basis) for basis in bases] for bases in (linear.reg_bases, linear.lane_bases, linear.warp_bases)]
    groups[0] = [basis for basis in groups[0] if any(basis)]
    return DistributedLinearLayout(*groups, linear.block_bases, shape)


@jit
def get_scaled_upcast_fp4_scale_layout(src, scale_factor: constexpr, elem_type: constexpr, axis: constexpr):
    """The layout for scales of `src`, each of which is for `scale_factor` floats of 4 bits."""
    place: constexpr = _axis_of(axis, len(src.shape))
    linear: constexpr = to_linear_layout(src.type.layout, src.shape)
    shape: constexpr = _scaled_shape(_scaled_shape(src.shape, place, 2), place, -scale_factor)
    return _layout_of_scales(linear, place, scale_factor, shape)


@jit
def _encoded(x):
    """The codes e2m1 of float32 numbers, the nearest, of two the one with an even code; larger ones are cut off."""
    size = tl.abs(x)
    code = tl.where(size > 0.25, 1, 0)
    code += tl.where(size >= 0.75, 1, 0)
    code += tl.where(size > 1.25, 1, 0)
    code += tl.where(size >= 1.75, 1, 0)
    code += tl.where(size > 2.5, 1, 0)
    code += tl.where(size >= 3.5, 1, 0)
    code += tl.where(size > 5.0, 1, 0)
    sign = x.to(tl.uint32, bitcast=True) >> 31
    return (code.to(tl.uint32) | sign << 3).to(tl.uint8)


@jit
def scaled_downcast(input, scale, format: constexpr, axis: constexpr = -1):
    """`input` over its scales, as floats of 8 bits, "e4m3" or "e5m2", or of 4 bits, "e2m1", two along `axis` a byte."""
    tl.static_assert(
        format == "e4m3" or format == "e5m2" or format == "e2m1", "`format` must be 'e4m3', 'e5m2' or 'e2m1'"
    )
    place: constexpr = _axis_of(axis, len(input.shape))
    values = input.to(tl.float32) / scale_power(spread_scales(scale, input, place))
    if format == "e4m3":
        return values.to(tl.float8e4nv)
    elif format == "e5m2":
        return values.to(tl.float8e5)
    else:
        first, second = _split_pairs(_encoded(values), place)
        return first | second << 4


@constexpr_function
def _is_operand(layout):
    return isinstance(layout, DotOperandLayout)


@jit
def load_shared_fp4_repacked(mem_desc, layout: constexpr):
    """The operand with this `DotOperandLayout` from bytes that hold two floats of 4 bits along M or N: the same with
    two along K."""
    tl.static_assert(_is_operand(layout), "`layout` must be a DotOperandLayout")
    rank: constexpr = len(mem_desc.shape)
    inner: constexpr = rank - 1 - layout.operand_index
    outer: constexpr = 2 * rank - 3 - inner
    first, second = _split_pairs(mem_desc.load(layout), inner)
    repacked = _interleaved((first & 15) | (second << 4), (first >> 4) | (second & 240), outer)
    return convert_layout(repacked, layout)
