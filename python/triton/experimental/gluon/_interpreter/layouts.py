"""The layouts of the blocks of a kernel in Gluon: facts beside the elements, which NumPy holds in one piece."""

import functools
import inspect

from .... import _C
from ....language import dtypes as types
from ....runtime.interpreter.values import InterpretedTensor, describe, plain
from ..language._layouts import (
    AutoLayout,
    CoalescedLayout,
    DistributedLayout,
    Layout,
    SliceLayout,
)
from ..language._types import distributed_type


class _BlockType(types.block_type):
    """The type of blocks with a layout, which is a `distributed_type` as well."""

    def __init__(self, element_ty, shape, layout):
        super().__init__(element_ty, shape)
        self.layout = layout

    @property
    def __class__(self):
        return distributed_type

    def __eq__(self, other):
        if not isinstance(other, distributed_type):
            return super().__eq__(other)
        return (self.element_ty, tuple(self.shape), self.layout) == (other.element_ty, tuple(other.shape), other.layout)

    __hash__ = types.block_type.__hash__


class Block(InterpretedTensor):
    """A block of elements with a layout."""

    def __init__(self, handle, layout):
        super().__init__(handle)
        self.layout = layout

    @property
    def type(self):
        return _BlockType(self.dtype, self.shape, self.layout)

    def linear(self):
        """The layout by its bases, or None for one that follows."""
        return linear_layout(self.layout, self.shape) if is_known(self.layout) else None


_AUTO = AutoLayout()


def layout_of(value):
    """The layout of a block. Blocks that name none have one that follows from their uses."""
    return getattr(value, "layout", _AUTO)


def laid_out(value, layout):
    """The same elements with this layout."""
    return Block(value.handle, layout) if value.shape else value


def is_known(layout):
    return not isinstance(layout, (AutoLayout, CoalescedLayout))


def checked_layout(layout, shape):
    """A layout for blocks of this shape; none is one that follows."""
    layout = plain(layout)
    if layout is None:
        return _AUTO
    if not isinstance(layout, DistributedLayout):
        raise ValueError(f"a layout over threads is needed here, not {layout!r}")
    if is_known(layout) and layout.rank != len(shape):
        raise ValueError(f"{layout} is for {layout.rank} dimensions, but the block has {len(shape)}")
    return layout


# ---- Layouts that follow from others ----


@functools.lru_cache(maxsize=1024)
def linear_layout(layout, shape):
    """The layout of a block or buffer of this shape by its bases."""
    return _C.encoding_layout(layout.ir_text, list(shape))


@functools.lru_cache(maxsize=1024)
def _after(operation, layout, shape, numbers):
    text = _C.encoding_after(operation, layout.ir_text, list(shape), list(numbers))
    if text is None:
        raise ValueError(f"`{operation}` of a block of {list(shape)} in {layout} would move elements between threads")
    return Layout.from_ir_text(text)


def after(operation, layout, shape, numbers=()):
    """The layout in which an operation leaves a block of this shape, so that no elements move."""
    return _after(operation, layout, tuple(shape), tuple(numbers)) if is_known(layout) else layout


@functools.lru_cache(maxsize=1024)
def _are_equivalent(left, right, shape):
    return _C.are_encodings_equivalent(left.ir_text, right.ir_text, list(shape))


def are_equivalent(left, right, shape):
    return left == right or is_known(left) and is_known(right) and _are_equivalent(left, right, tuple(shape))


def _expanded(layout, shape, axes):
    for axis in sorted(axes):
        shape, before = (*shape[:axis], 1, *shape[axis:]), shape
        layout = after("expand_dims", layout, before, (axis,))
    return layout


def _indexed(arguments, result):
    (tensor, index) = arguments
    entries = index if isinstance(index, tuple) else (index,)
    axes = [axis for axis, entry in enumerate(entries) if plain(entry) is None]
    return _expanded(layout_of(tensor), tensor.shape, axes)


def _with_new_dimensions(arguments, result):
    tensor, axes = arguments[0], plain(arguments[1])
    axes = axes if isinstance(axes, (tuple, list)) else (axes,)
    return _expanded(layout_of(tensor), tensor.shape, [int(plain(axis)) % len(result.shape) for axis in axes])


def _permuted(arguments, result):
    tensor, *dims = arguments
    rank = len(tensor.shape)
    dims = plain(dims[0]) if len(dims) == 1 else dims
    order = [int(plain(axis)) % rank for axis in dims] or [*range(rank - 2), rank - 1, rank - 2]
    return after("transpose", layout_of(tensor), tensor.shape, order)


def _reshaped(arguments, result):
    return after("reshape", layout_of(arguments[0]), arguments[0].shape, result.shape)


def _joined(arguments, result):
    return after("join", shared_layout("join", arguments[:2], result.shape[:-1]), result.shape[:-1])


def _interleaved(arguments, result):
    shape = (*result.shape[:-1], result.shape[-1] // 2)
    joined = after("join", shared_layout("interleave", arguments[:2], shape), shape)
    return after("reshape", joined, (*shape, 2), result.shape)


def _split(arguments, result):
    return after("split", layout_of(arguments[0]), arguments[0].shape)


def _like_first(arguments, result):
    return layout_of(arguments[0])


def _like_second(arguments, result):
    return layout_of(arguments[1])


#: Functions whose results have another layout than their operands.
_RULES = {
    "[]": _indexed,
    "expand_dims": _with_new_dimensions,
    "T": _permuted,
    "trans": _permuted,
    "permute": _permuted,
    "reshape": _reshaped,
    "view": _reshaped,
    "ravel": _reshaped,
    "join": _joined,
    "interleave": _interleaved,
    "split": _split,
    "broadcast_to": _like_first,
    "gather": _like_second,
}


def _blocks(values):
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _blocks(value)
        elif isinstance(value, InterpretedTensor) and value.shape:
            yield value


def shared_layout(name, values, shape):
    """The layout that all blocks of this rank have, of which some follow from others."""
    known = [block for block in _blocks(values) if is_known(layout_of(block)) and len(block.shape) == len(shape)]
    for block in known[1:]:
        if layout_of(block) != layout_of(known[0]):
            raise ValueError(
                f"`{name}` takes blocks of one layout, not {layout_of(known[0])} and {layout_of(block)}: "
                "`ttgl.convert_layout(x, layout)` brings one to the other"
            )
    if known:
        return layout_of(known[0])
    others = [layout_of(block) for block in _blocks(values) if len(block.shape) == len(shape)]
    return next((layout for layout in others if isinstance(layout, CoalescedLayout)), _AUTO)


def _in_order(function, kwargs):
    """The values of keywords in the order of a function's parameters."""
    places = {name: place for place, name in enumerate(inspect.signature(function).parameters)}
    return [kwargs[name] for name in sorted(kwargs, key=lambda name: places.get(name, len(places)))]


def _axis(function, args, kwargs):
    """The argument `axis` of a call."""
    if "axis" in kwargs:
        return plain(kwargs["axis"])
    names = list(inspect.signature(function).parameters)
    return plain(args[names.index("axis")]) if "axis" in names[: len(args)] else None


def _reduced(name, function, args, kwargs, result):
    """The layout of a block without a dimension of its operands, or None if it has all."""
    operands = [block for block in _blocks([*args, *kwargs.values()]) if len(block.shape) == len(result.shape) + 1]
    axis = _axis(function, args, kwargs) if operands else None
    if axis is None:
        return None
    layout = shared_layout(name, operands, operands[0].shape)
    return SliceLayout(int(axis) % len(operands[0].shape), layout) if is_known(layout) else layout


def with_layouts(name, function, args, kwargs, result):
    """The results of a function, an operator or a method with the layouts that follow from those of its operands."""
    if isinstance(result, (tuple, list)) and not hasattr(result, "_fields"):
        return type(result)(with_layouts(name, function, args, kwargs, each) for each in result)
    operands = [*args, *_in_order(function, kwargs)] if kwargs else args
    if not isinstance(result, InterpretedTensor) or not result.shape:
        if name == "store" and (stored := next(_blocks(operands), None)) is not None:
            shared_layout(name, operands, stored.shape)
        return result
    if type(result) is not InterpretedTensor:  # It has one.
        return result
    if rule := _RULES.get(name):
        return laid_out(result, rule(operands, result))
    layout = _reduced(name, function, args, kwargs, result)
    return laid_out(result, shared_layout(name, operands, result.shape) if layout is None else layout)


def require_equal(name, value, shape, dtype):
    """A block of this shape and dtype."""
    if not isinstance(value, InterpretedTensor) or value.shape != tuple(shape) or value.dtype != dtype:
        raise ValueError(f"`{name}` needs a block {dtype}{list(shape)}, not {describe(value)}")
    return value
