"""Blocks with a layout that the kernel names, and what it asks about its threads."""

from ....runtime.interpreter import reductions, shapes
from ....runtime.interpreter.registry import current, implements_in_gluon
from ....runtime.interpreter.values import describe, integers, plain, to_tensor
from ..language._layouts import (
    DistributedLinearLayout,
    PaddedSharedLayout,
    SharedLayout,
    SharedLinearLayout,
)
from .layouts import are_equivalent, checked_layout, is_known, laid_out, layout_of, linear_layout


def _of_layout(value, layout):
    return laid_out(value, checked_layout(layout, value.shape))


@implements_in_gluon()
def arange(start, end, layout=None):
    return _of_layout(shapes.arange(start, end), layout)


@implements_in_gluon()
def full(shape, value, dtype, layout=None):
    return _of_layout(shapes.full(shape, value, dtype), layout)


@implements_in_gluon()
def zeros(shape, dtype, layout=None):
    return full(shape, 0, dtype, layout)


@implements_in_gluon()
def full_like(input, value, shape=None, dtype=None, layout=None):
    input = to_tensor(input)
    shape = input.shape if plain(shape) is None else plain(shape)
    layout = layout_of(input) if plain(layout) is None else layout
    return full(shape, value, input.dtype if plain(dtype) is None else dtype, layout)


@implements_in_gluon()
def zeros_like(input, shape=None, dtype=None, layout=None):
    return full_like(input, 0, shape, dtype, layout)


@implements_in_gluon()
def histogram(input, num_bins, mask=None, layout=None):
    return _of_layout(reductions.histogram(input, num_bins, mask), layout)


@implements_in_gluon()
def convert_layout(value, layout, assert_trivial=False):
    value = to_tensor(value)
    layout = checked_layout(layout, value.shape)
    if plain(assert_trivial) and not are_equivalent(layout_of(value), layout, value.shape):
        raise ValueError(f"threads or registers exchange elements between {layout_of(value)} and {layout}")
    return laid_out(value, layout)


@implements_in_gluon()
def set_auto_layout(value, layout):
    if not getattr(value, "shape", ()):
        raise ValueError(f"`set_auto_layout` takes a block, not {describe(value)}")
    if is_known(layout_of(value)):
        raise ValueError(
            f"the block has a layout already, {layout_of(value)}, and only one that is to be inferred can be set"
        )
    return _of_layout(value, layout)


@implements_in_gluon()
def num_warps():
    return current().gluon.warps


@implements_in_gluon()
def num_ctas():
    return current().options.num_ctas


@implements_in_gluon()
def to_linear_layout(layout, shape):
    layout, shape = plain(layout), tuple(integers(shape, "a shape"))
    if isinstance(layout, PaddedSharedLayout):
        raise ValueError(f"a layout without paddings and clusters is needed here, not {layout}")
    if not isinstance(layout, SharedLayout) and not is_known(layout):
        return layout
    bases = {name: tuple(map(tuple, of_input)) for name, of_input in linear_layout(layout, shape).bases}
    if isinstance(layout, SharedLayout):
        return SharedLinearLayout(bases["offset"])
    return DistributedLinearLayout(*(bases.get(name, ()) for name in ("register", "lane", "warp", "block")), shape)


@implements_in_gluon("barrier", "nvidia_hopper_fence_async_shared", "nvidia_hopper_cluster__barrier")
def meet(cluster=False, relaxed=False):
    """One thread runs a group of warps, of all blocks: there is nothing to wait for."""
