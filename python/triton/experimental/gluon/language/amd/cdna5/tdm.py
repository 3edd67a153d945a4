"""Copies of blocks of arrays between global and shared memory: the functions of gfx1250 for its engine. Threads move
the elements; the engine itself is not used yet."""

from ...... import language as tl
from ......language._aggregate import aggregate
from ......language.target_info import current_target
from ......language.types import constexpr
from ......language.types import tuple as language_tuple
from ......runtime.jit import constexpr_function
from ...._jit import jit
from ...._names import complete as _complete
from ..._core import amd_cdna5_mbarrier__arrive_after_blocks as _arrive_after_blocks
from ..._core import arange, convert_layout, full, num_warps, zeros
from ..._layouts import BlockedLayout, PaddedSharedLayout, SliceLayout, SwizzledSharedLayout
from ..._types import tdm_descriptor_type as tensor_descriptor_type  # noqa: F401
from . import async_copy


@aggregate
class tensor_descriptor:
    """A block of an array: the element at which it begins, and along each dimension how many elements the array has
    from there on, and how far they lie apart. The block has `block_shape` elements, and its buffer `layout`."""

    base: object
    shape: language_tuple
    strides: language_tuple
    block_shape: constexpr
    layout: constexpr
    dtype: constexpr
    #: Whether copies move anything; a load that does not leaves the buffer as it is.
    predicate: object


@constexpr_function
def _wrong_block(rank, shape, strides, block_shape, layout):
    """Whether the engine has such blocks; else what is wrong."""
    if not 1 <= rank <= 5:
        return f"blocks have 1 to 5 dimensions, not {rank}"
    if not rank == shape == strides:
        return f"shape, strides and block_shape must have the same length, not {shape}, {strides} and {rank}"
    is_plain = isinstance(layout, SwizzledSharedLayout) and layout.max_phase == 1
    if not is_plain and not isinstance(layout, PaddedSharedLayout):
        return f"the layout must be a PaddedSharedLayout, or a SwizzledSharedLayout with max_phase 1, not {layout}"
    extents = list(map(int, block_shape))
    if any(extent < 1 or extent & (extent - 1) for extent in extents):
        return f"the extents of block_shape must be powers of two, not {extents}"
    if isinstance(layout, PaddedSharedLayout) and list(layout.shape) != extents:
        return f"block_shape must be that of the layout, {list(layout.shape)}, not {extents}"
    return ""


@constexpr_function
def _threads(shape, bits, warps, lanes):
    """A layout in which threads move up to 16 bytes of neighbours, and warps whole rows."""
    rank = len(shape)
    vector = min(128 // bits, shape[-1])
    own, across, warps_along = [1] * (rank - 1) + [vector], [1] * rank, [1] * rank
    for dim in reversed(range(rank)):
        across[dim] = min(lanes, max(shape[dim] // own[dim], 1))
        lanes //= across[dim]
    across[0] *= lanes
    warps_along[0] = warps
    return BlockedLayout(own, across, warps_along, list(range(rank))[::-1])


@constexpr_function
def _along(layout, dim):
    """That of the indices of a dimension."""
    for other in reversed(range(layout.rank)):
        layout = layout if other == dim else SliceLayout(other, layout)
    return layout


@jit
def _indices(block_shape: constexpr, dim: constexpr, layout: constexpr):
    """The indices along a dimension, as a block that extends along it alone."""
    places = arange(0, block_shape[dim], layout=_along(layout, dim))
    for other in tl.static_range(len(block_shape)):
        if other != dim:
            places = tl.expand_dims(places, other)
    return places


@jit
def _layout_of(block_shape: constexpr, dtype: constexpr):
    return _threads(block_shape, dtype.primitive_bitwidth, num_warps(), current_target().warp_size)


@jit
def _elements(desc):
    """(pointers to the elements of the block, which of them the array has)."""
    layout: constexpr = _layout_of(desc.block_shape, desc.dtype)
    offsets = zeros(desc.block_shape, tl.int64, layout)
    inside = full(desc.block_shape, True, tl.int1, layout)
    for dim in tl.static_range(len(desc.block_shape)):
        places = _indices(desc.block_shape, dim, layout)
        offsets += places.to(tl.int64) * desc.strides[dim]
        inside = inside & (places < desc.shape[dim])
    return desc.base + offsets, inside


@jit
def _scalars(values, dtype: constexpr):
    """Numbers as scalars of a dtype, also those known at compile time: descriptors keep their type in loops."""
    result = ()
    for place in tl.static_range(len(values)):
        result = result + (tl.to_tensor(values[place]).to(dtype),)
    return result


@jit
def make_tensor_descriptor(base, shape, strides, block_shape: constexpr, layout: constexpr) -> tensor_descriptor:
    tl.static_assert(current_target().arch == "gfx1250", "descriptors of `tdm` need AMD's gfx1250")
    wrong: constexpr = _wrong_block(len(block_shape), len(shape), len(strides), block_shape, layout)
    tl.static_assert(wrong == "", wrong)
    return tensor_descriptor(
        base,
        _scalars(shape, tl.int32),
        _scalars(strides, tl.int64),
        block_shape,
        layout,
        base.dtype.element_ty,
        tl.to_tensor(True),
    )


@jit
def _descriptor(desc):
    """A descriptor of a kernel's own, also of one that the launch has passed."""
    tl.static_assert(not isinstance(desc, tl.tensor), "copies of `tdm` need a descriptor, not a pointer or a block")
    if isinstance(desc, tensor_descriptor):
        return desc
    else:
        return make_tensor_descriptor(desc.base, desc.shape, desc.strides, desc.block_shape, desc.layout)


@jit
def _moved(desc, offsets, clamps: constexpr):
    """The descriptor of the block that begins so many elements further."""
    tl.static_assert(len(offsets) == len(desc.block_shape), "the offsets must be as many as the block has dimensions")
    base, shape = desc.base, ()
    steps = _scalars(offsets, tl.int32)
    for dim in tl.static_range(len(desc.block_shape)):
        base += steps[dim].to(tl.int64) * desc.strides[dim]
        shape = shape + (tl.maximum(desc.shape[dim] - steps[dim], 0) if clamps else desc.shape[dim],)
    return tl.aggregate_replace(desc, base=base, shape=shape)


@jit
def update_tensor_descriptor(desc, add_offsets=None, set_bounds=None, pred=None, clamp_bounds: constexpr = False):
    tl.static_assert(
        add_offsets is not None or set_bounds is not None or pred is not None,
        "`update_tensor_descriptor` needs `add_offsets`, `set_bounds` or `pred`",
    )
    tl.static_assert(
        not clamp_bounds or (add_offsets is not None and set_bounds is None),
        "`clamp_bounds` of `update_tensor_descriptor` needs `add_offsets`, and excludes `set_bounds`",
    )
    result = _descriptor(desc)
    if add_offsets is not None:
        result = _moved(result, add_offsets, clamp_bounds)
    if set_bounds is not None:
        result = tl.aggregate_replace(result, shape=_scalars(set_bounds, tl.int32))
    if pred is not None:
        result = tl.aggregate_replace(result, predicate=tl.to_tensor(pred != 0))
    return result


@constexpr_function
def _wrong_buffer(dtype, shape, buffer_dtype, buffer_shape, block_shape, layout, buffer_layout):
    """What keeps a buffer from having such a block; "" if it can."""
    if dtype == buffer_dtype and list(shape) == list(buffer_shape):
        if layout == buffer_layout or list(shape) != list(block_shape):  # rows that are gathered are another block
            return ""
        needed = f"the buffer must have the layout of the descriptor, {layout}, not {buffer_layout}"
        return f"{needed}; allocate it with `desc.layout`"
    block, buffer = f"{dtype}{list(shape)}", f"{buffer_dtype}{list(buffer_shape)}"
    return f"a block of {block} and a buffer of {buffer} must have the same shape and dtype"


@jit
def _check_buffer(desc, pointers, buffer):
    tl.static_assert(
        not isinstance(buffer, (tl.tensor, tensor_descriptor)),
        "copies of `tdm` need a buffer in shared memory, not a block or a descriptor",
    )
    wrong: constexpr = _wrong_buffer(
        desc.dtype, pointers.shape, buffer.dtype, buffer.shape, desc.block_shape, desc.layout, buffer.layout
    )
    tl.static_assert(wrong == "", wrong)


@jit
def _load(desc, elements, dest, cache_modifier: constexpr = ""):
    """Starts the copy of `elements`, (pointers, which of them the array has), into a buffer."""
    _check_buffer(desc, elements[0], dest)
    if desc.predicate:
        async_copy.global_to_shared(dest, elements[0], elements[1], 0, cache_modifier)


@jit
def _store(desc, elements, src):
    _check_buffer(desc, elements[0], src)
    if desc.predicate:
        tl.store(elements[0], src.load(_layout_of(src.shape, src.dtype)), mask=elements[1])


@constexpr_function
def _arrivals(warps, hint):
    """How often a copy arrives: once for each warp that the engine has for it."""
    return warps if hint is None else bin(int(hint)).count("1")


@jit
def _finish(mbarrier, warp_used_hint: constexpr = None):
    """Ends a group of copies, and arrives at the barrier, if there is one."""
    tl.static_assert(
        warp_used_hint is None or warp_used_hint > 0,
        "`warp_used_hint` must have a bit for each warp that copies, not 0",
    )
    async_copy.commit_group()
    if mbarrier is not None:
        _arrive_after_blocks(mbarrier, _arrivals(num_warps(), warp_used_hint))


@jit
def async_load(
    src,
    offsets=None,
    dest=None,
    pred=None,
    mbarrier=None,
    warp_used_hint: constexpr = None,
    cache_modifier: constexpr = "",
):
    tl.static_assert(dest is not None, "`async_load` needs `dest`, the buffer that gets the block")
    desc = _descriptor(src)
    if offsets is not None:
        desc = _moved(desc, offsets, True)
    if pred is not None:
        desc = update_tensor_descriptor(desc, pred=pred)
    _load(desc, _elements(desc), dest, cache_modifier)
    _finish(mbarrier, warp_used_hint)


@jit
def async_store(dest, offsets=None, src=None, mbarrier=None, cache_modifier: constexpr = ""):
    tl.static_assert(src is not None, "`async_store` needs `src`, the buffer that has the block")
    desc = _descriptor(dest)
    if offsets is not None:
        desc = _moved(desc, offsets, True)
    _store(desc, _elements(desc), src)
    _finish(mbarrier)


@jit
def async_wait(num_outstanding: constexpr = 0):
    async_copy.wait_group(num_outstanding)


@jit
def _rows(desc, indices):
    """As `_elements`, of the rows with these numbers. The descriptor says at which column the block begins."""
    tl.static_assert(len(desc.block_shape) == 2, "rows are gathered from, and scattered to, matrices")
    tl.static_assert(
        isinstance(indices, tl.tensor)
        and len(indices.shape) == 1
        and (indices.dtype == tl.int16 or indices.dtype == tl.int32),
        "the numbers of rows must be a block of int16 or int32 with one dimension",
    )
    block_shape: constexpr = [indices.shape[0], desc.block_shape[1]]
    layout: constexpr = _layout_of(block_shape, desc.dtype)
    rows = convert_layout(indices, SliceLayout(1, layout)).to(tl.int64)[:, None]
    columns = _indices(block_shape, 1, layout)
    inside = (rows >= 0) & (rows < desc.shape[0]) & (columns < desc.shape[1])
    return desc.base + (rows * desc.strides[0] + columns.to(tl.int64) * desc.strides[1]), inside


@jit
def async_gather(desc, src_row_indices, dst, mbarrier=None):
    rows = _descriptor(desc)
    _load(rows, _rows(rows, src_row_indices), dst)
    _finish(mbarrier)


@jit
def async_scatter(desc, dst_row_indices, src, mbarrier=None):
    rows = _descriptor(desc)
    _store(rows, _rows(rows, dst_row_indices), src)
    _finish(mbarrier)


@jit
def async_load_fused(members, cache_modifier: constexpr = ""):
    for member in tl.static_range(len(members)):
        desc = _descriptor(members[member][0])
        _load(desc, _elements(desc), members[member][1], cache_modifier)
    async_copy.commit_group()


@jit
def prefetch(src, offsets, pred=True, speculative: constexpr = False):
    """A hint, which has no effect."""


__getattr__, __dir__ = _complete(__name__)
