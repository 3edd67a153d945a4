"""Buffers in shared memory. Their bytes lie where the layout has them, so that views of other types see what they see
on a GPU."""

import functools
from dataclasses import replace

import numpy as np

from .... import _C
from ....language import dtypes as types
from ....runtime.interpreter import formats
from ....runtime.interpreter.accesses import ATOMICS, check_atomic, exchange, read, write
from ....runtime.interpreter.buffers import Elements
from ....runtime.interpreter.registry import by_launch, current, implements_in_gluon
from ....runtime.interpreter.values import (
    axis_of,
    broadcast_with_rank,
    cast,
    convert_to,
    describe,
    integers,
    make,
    plain,
    to_tensor,
)
from ..language._bases import _in_elements, _shape_of
from ..language._core import shared_memory_descriptor
from ..language._layouts import (
    Layout,
    MBarrierLayout,
    PaddedSharedLayout,
    SharedLayout,
    SharedLinearLayout,
)
from ..language._types import _parts, shared_memory_descriptor_type
from .layouts import checked_layout, is_known, laid_out, layout_of, linear_layout, require_equal
from .phases import state_at


def _rank_of(layout, shape):
    """The number of dimensions of the matrix that a layout is for; those before count buffers."""
    for name in ("order", "shape", "offset_bases"):
        if hasattr(layout, name):
            found = getattr(layout, name)
            return len(found[0]) if name == "offset_bases" else len(found)
    return getattr(layout, "rank", len(shape))


def _of_one_memory(layout):
    """The layout for a program whose blocks have one memory together."""
    if getattr(layout, "block_bases", ()):
        return SharedLinearLayout(layout.offset_bases + layout.block_bases, (), layout.alignment)
    if not getattr(layout, "cga_layout", ()):
        return layout
    if isinstance(layout, PaddedSharedLayout):
        part = _shape_of(layout.offset_bases, len(layout.shape))
        bases = layout.offset_bases + tuple(basis for basis in _in_elements(layout.cga_layout, part) if any(basis))
        return PaddedSharedLayout(layout.interval_padding_pairs, bases, (), layout.shape)
    return replace(layout, cga_layout=())


def _places_of_one(layout, shape):
    layout = _of_one_memory(layout)
    linear = dict(linear_layout(layout, shape).bases)
    count = 1 << len(linear["offset"])
    numbers, coordinates = np.arange(count), np.zeros((len(shape), count), np.int64)
    for bit, basis in enumerate(linear["offset"]):
        coordinates ^= np.outer(basis, numbers >> bit & 1)
    moved = numbers.copy()
    if isinstance(layout, PaddedSharedLayout):
        for interval, padding in layout.interval_padding_pairs:
            moved += numbers // interval * padding
    places = np.zeros(shape, np.int64)
    places[tuple(coordinates[:, ::-1])] = moved[::-1]  # the first of several places of an element
    return places, int(moved[-1]) + 1


@functools.lru_cache(maxsize=256)
def _places(layout, shape):
    """(the place of each element of a buffer in elements from its start on, their number)."""
    rank = _rank_of(layout, shape)
    if len(shape) - rank not in (0, 1):
        raise ValueError(
            f"{layout} is for {rank} dimensions, before which one may count buffers; there are {len(shape)}"
        )
    places, count = _places_of_one(layout, shape[len(shape) - rank :])
    if len(shape) > rank:
        places = np.arange(shape[0]).reshape(-1, *[1] * rank) * count + places
    return places, count * (shape[0] if len(shape) > rank else 1)


class Buffer(Elements, shared_memory_descriptor):
    """A buffer in shared memory, or a view of one."""

    _memory, _type = "shared memory", shared_memory_descriptor_type

    @property
    def nbytes_per_cta(self):
        return self.numel * self.dtype.primitive_bitwidth // 8 // _parts(self.layout)

    def counts_buffers(self):
        return self.rank > _rank_of(self.layout, self.shape)

    def state(self):
        """That of a barrier."""
        if self.dtype != types.int64 or self.shape != (1,) or self.layout != MBarrierLayout():
            return None
        state = state_at(int(self.addresses[0]))
        return "no barrier yet, or no more" if state is None else f"a barrier that {state}"

    @by_launch("load from shared memory")
    def load(self, layout):
        layout = checked_layout(layout, self.shape)
        if not is_known(layout):
            raise ValueError(f"a layout over threads is needed here, not {layout}")
        return laid_out(self.contents(), layout)

    @by_launch("store to shared memory")
    def store(self, value):
        self.write(require_equal("store", to_tensor(value), self.shape, self.dtype))

    def index(self, index):
        if not self.counts_buffers():
            raise ValueError(
                f"only a dimension in front of those of the layout counts buffers, and {self.describe()} has none"
            )
        return Buffer(self._one_of(index), self.dtype, self.layout)

    def permute(self, order):
        order = [axis_of(axis, self.rank, "permute") for axis in integers(order, "the order")]
        text = _C.permuted_buffer_encoding(self.layout.ir_text, list(self.whole), order)
        if text is None:
            raise ValueError(f"there is no layout for the permuted part of {self.describe()}")
        whole = [self.whole[axis] for axis in order]
        return Buffer(self.addresses.transpose(order), self.dtype, Layout.from_ir_text(text), whole)

    def slice(self, start, length, dim=0):
        addresses = self._part(start, length, axis_of(dim, self.rank, "slice"))
        return Buffer(addresses, self.dtype, self.layout, self.whole)

    def reshape(self, shape):
        shape = tuple(integers(shape, "a shape"))
        if np.prod(shape, dtype=np.int64) != self.numel or self.whole != self.shape:
            raise ValueError(f"{self.describe()} cannot be reshaped to {list(shape)}, or is a part of a buffer")
        text = _C.reshaped_buffer_encoding(self.layout.ir_text, list(self.shape), list(shape))
        if text is None:
            raise ValueError(f"there is no layout for {self.describe()} with the shape {list(shape)}")
        return Buffer(self.addresses.reshape(shape), self.dtype, Layout.from_ir_text(text))

    def reinterpret(self, dtype=None, shape=None, layout=None):
        dtype, layout = plain(dtype) or self.dtype, plain(layout) or self.layout
        shape = self.shape if shape is None else tuple(integers(shape, "a shape"))
        places, count = _places(layout, tuple(shape))
        size, first = formats.storage_type(dtype).itemsize, self.addresses.min()
        own = int(self.addresses.max() - first) + formats.storage_type(self.dtype).itemsize
        if count * size > own:
            raise ValueError(f"`.reinterpret` gives the {own} bytes of {self.describe()} a type of {count * size}")
        return Buffer(first + (places * size).astype(np.uint64), dtype, layout)

    def _chosen(self, indices, axis, mask=None):
        """The addresses of the elements whose place along an axis is in ``indices``, and which of them are accessed."""
        indices, axis = to_tensor(indices), axis_of(axis, self.rank, "gather")
        if not indices.dtype.is_int() or len(indices.shape) != self.rank:
            raise ValueError(
                "the indices must be a block of integers with as many dimensions as the buffer, not "
                f"{describe(indices)}"
            )
        places = list(np.indices(indices.shape))
        active = None if mask is None else broadcast_with_rank(cast(to_tensor(mask), types.int1), indices.shape).data
        places[axis] = np.where(True if active is None else active, indices.data.astype(np.int64), 0)
        if ((places[axis] < 0) | (places[axis] >= self.shape[axis])).any():
            raise IndexError(f"an index lies outside of dimension {axis} of {self.describe()}")
        return self.addresses[tuple(places)], indices, active

    @by_launch("gather from shared memory")
    def gather(self, indices, axis):
        addresses, indices, _ = self._chosen(indices, axis)
        return laid_out(make(read(addresses, self.dtype), self.dtype), layout_of(indices))

    @by_launch("scatter to shared memory")
    def scatter(self, values, indices, axis):
        addresses, indices, _ = self._chosen(indices, axis)
        values = broadcast_with_rank(convert_to(values, self.dtype), indices.shape)
        write(addresses, values.data, self.dtype)

    def _keep_alive(self):
        pass


def _scatter_method(operation):
    def method(self, values, indices, axis, mask=None):
        check_atomic(self.dtype, operation)
        addresses, indices, active = self._chosen(indices, axis, mask)
        values = broadcast_with_rank(convert_to(values, self.dtype), indices.shape)
        old = make(exchange(addresses, values.data, self.dtype, active, ATOMICS[operation]), self.dtype)
        return laid_out(old, layout_of(indices))

    return by_launch(f"atomic_scatter_{operation}")(method)


for _operation in ATOMICS:
    setattr(Buffer, f"atomic_scatter_{_operation}", _scatter_method(_operation))


@implements_in_gluon()
def allocate_shared_memory(element_ty, shape, layout, value=None):
    dtype, layout, shape = plain(element_ty), plain(layout), tuple(integers(shape, "a shape"))
    if not isinstance(layout, SharedLayout):
        raise ValueError(f"a layout of shared memory is needed here, not {layout!r}")
    if any(extent < 1 or extent & (extent - 1) for extent in shape[len(shape) - _rank_of(layout, shape) :]):
        raise ValueError(f"the extents of a buffer must be powers of two, not {list(shape)}")
    places, count = _places(layout, shape)
    size = formats.storage_type(dtype).itemsize
    start = current().gluon.allocate(count * size)
    buffer = Buffer(np.uint64(start) + (places * size).astype(np.uint64), dtype, layout)
    if plain(value) is not None:
        buffer.write(require_equal("allocate_shared_memory", to_tensor(value), shape, dtype))
    return buffer
