"""What translated kernels call. All blocks of such a kernel with equally many dimensions have the same layout, so that
they can be combined; what changes dimensions converts its result to that layout."""

from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language._small_floats import scale_power, spread_scales
from triton.language.target_info import current_target


@gluon.constexpr_function
def layout_of(rank, warps, lanes):
    """The layout of all blocks with `rank` dimensions."""
    if rank == 1:
        return ttgl.BlockedLayout([1], [lanes], [warps], [0])
    ones = [1] * (rank - 2)
    order = list(range(rank))[::-1]
    return ttgl.BlockedLayout(ones + [1, 4], ones + [lanes // 8, 8], ones + [warps, 1], order)


@gluon.jit
def default_layout(rank: ttgl.constexpr):
    """The layout of the kernel's blocks with `rank` dimensions."""
    return layout_of(rank, ttgl.num_warps(), current_target().warp_size)


@gluon.jit
def settled(x):
    """A block, or each of several, in the layout of blocks with its dimensions. Scalars stay what they are."""
    if isinstance(x, ttgl.tuple):
        result = ()
        for part in ttgl.static_range(len(x)):
            result = result + (settled(x[part]),)
        return result
    elif len(x.shape) == 0:
        return x
    else:
        layout: ttgl.constexpr = default_layout(len(x.shape))
        return ttgl.convert_layout(x, layout)


@gluon.jit
def tl_arange(start: ttgl.constexpr, end: ttgl.constexpr):
    layout: ttgl.constexpr = default_layout(1)
    return ttgl.arange(start, end, layout=layout)


@gluon.jit
def tl_full(shape: ttgl.constexpr, value, dtype: ttgl.constexpr):
    layout: ttgl.constexpr = default_layout(len(shape))
    return ttgl.full(shape, value, dtype, layout)


@gluon.jit
def tl_zeros(shape: ttgl.constexpr, dtype: ttgl.constexpr):
    return tl_full(shape, 0, dtype)


@gluon.jit
def tl_expand_dims(x, axis: ttgl.constexpr):
    place: ttgl.constexpr = axis if axis >= 0 else axis + len(x.shape) + 1
    layout: ttgl.constexpr = ttgl.SliceLayout(place, default_layout(len(x.shape) + 1))
    return ttgl.expand_dims(ttgl.convert_layout(x, layout), place)


@gluon.jit
def tl_histogram(x, num_bins: ttgl.constexpr, mask=None):
    layout: ttgl.constexpr = default_layout(1)
    return ttgl.histogram(x, num_bins, mask, layout=layout)


@gluon.constexpr_function
def product_of(backend, arch, a, b, rows, columns, depth, has_batches, warps):
    """(function, layout of sums, k_width) of the unit that multiplies blocks with elements `a` and `b`."""
    bits = max(a.primitive_bitwidth, b.primitive_bitwidth)
    half = a == b and a in (ttgl.float16, ttgl.bfloat16)
    if not has_batches and half and rows >= 16 and columns >= 16:
        if backend == "cuda" and arch >= 80 and depth >= 16:
            return "mma_v2", ttgl.NVMMADistributedLayout([2, 0], [warps, 1], [16, 8]), 32 // bits
        if backend == "hip" and arch == "gfx942" and depth >= 16:
            return "mfma", ttgl.amd.AMDMFMALayout(3, [16, 16, 16], True, [warps, 1]), 4
        if backend == "hip" and arch == "gfx950" and depth >= 32:
            return "mfma", ttgl.amd.AMDMFMALayout(4, [16, 16, 32], True, [warps, 1]), 8
    return "dot_fma", None, 0


@gluon.constexpr_function
def sum_of(operand, asked):
    """The type of sums of products of such elements: the type that is asked for where there is a choice."""
    if operand == ttgl.int8:
        return ttgl.int32
    if operand == ttgl.float64:
        return ttgl.float64
    return ttgl.float32 if asked is None or operand in (ttgl.float32, ttgl.bfloat16) else asked


@gluon.jit
def tl_dot(
    a,
    b,
    acc=None,
    input_precision: ttgl.constexpr = None,
    allow_tf32: ttgl.constexpr = None,
    max_num_imprecise_acc: ttgl.constexpr = None,
    out_dtype: ttgl.constexpr = None,
):
    rank: ttgl.constexpr = len(a.shape)
    unit: ttgl.constexpr = product_of(
        current_target().backend,
        current_target().arch,
        a.dtype,
        b.dtype,
        a.shape[rank - 2],
        b.shape[rank - 1],
        a.shape[rank - 1],
        rank > 2,
        ttgl.num_warps(),
    )
    layout: ttgl.constexpr = default_layout(rank) if unit[1] is None else unit[1]
    left = ttgl.convert_layout(a, ttgl.DotOperandLayout(0, layout, unit[2]))
    right = ttgl.convert_layout(b, ttgl.DotOperandLayout(1, layout, unit[2]))
    if acc is None:
        dtype: ttgl.constexpr = sum_of(a.dtype, out_dtype)
        total = ttgl.zeros(a.shape[: rank - 1] + [b.shape[rank - 1]], dtype, layout)
    else:
        total = ttgl.convert_layout(acc, layout)
    if unit[0] == "mma_v2":
        total = ttgl.nvidia.ampere.mma_v2(left, right, total)
    elif unit[0] == "mfma":
        total = ttgl.amd.cdna3.mfma(left, right, total)
    else:
        total = ttgl.dot_fma(left, right, total)
    return settled(total)


@gluon.constexpr_function
def factor_type(first, second):
    """The type in which factors of these formats are multiplied."""
    return ttgl.float16 if "fp16" in (first, second) else ttgl.bfloat16


@gluon.jit
def scaled_factor(
    x, scale, format: ttgl.constexpr, dtype: ttgl.constexpr, axis: ttgl.constexpr, k_pack: ttgl.constexpr
):
    """A factor whose elements have this format, K along `axis`, times its scales, in the layout of all blocks."""
    if format == "e2m1":
        values = ttgl.fp4_to_fp(x, dtype, axis if k_pack else 1 - axis)
    elif format == "e4m3":
        values = x.to(ttgl.float8e4nv, bitcast=True).to(dtype)
    elif format == "e5m2":
        values = x.to(ttgl.float8e5, bitcast=True).to(dtype)
    elif format == "bf16":
        values = x.to(ttgl.bfloat16, bitcast=True).to(dtype)
    else:
        values = x.to(ttgl.float16, bitcast=True).to(dtype)
    if scale is not None:
        ttgl.static_assert(scale.dtype == ttgl.uint8 or scale.dtype == ttgl.int8, "scales must be exponents, uint8")
        along = scale if axis == 1 else ttgl.permute(scale, [1, 0])
        values = (values.to(ttgl.float32) * scale_power(spread_scales(along, values, axis))).to(dtype)
    return settled(values)


@gluon.jit
def tl_dot_scaled(
    lhs,
    lhs_scale,
    lhs_format: ttgl.constexpr,
    rhs,
    rhs_scale,
    rhs_format: ttgl.constexpr,
    acc=None,
    fast_math: ttgl.constexpr = False,
    lhs_k_pack: ttgl.constexpr = True,
    rhs_k_pack: ttgl.constexpr = True,
    out_dtype: ttgl.constexpr = ttgl.float32,
):
    dtype: ttgl.constexpr = factor_type(lhs_format, rhs_format)
    left = scaled_factor(lhs, lhs_scale, lhs_format, dtype, 1, lhs_k_pack)
    right = scaled_factor(rhs, rhs_scale, rhs_format, dtype, 0, rhs_k_pack)
    return tl_dot(left, right, acc, out_dtype=out_dtype)
