"""Tensor descriptors of ragged tensors: rows of many slices lie behind each other, and each slice is accessed as if the
others were not there. What lies outside of the slice is read as zero and not written.

The descriptor gets two more dimensions in front. Their coordinates move the start of the ragged dimension so that the
slice ends where the dimension ends, which the hardware checks. The address that results is the slice's own plus 2**64,
which is the same address.
"""

import triton
import triton.language as tl

from .tensor_descriptor import TensorDescriptor, strides_of

_LARGEST_EXTENT = 0x7FFF0000
_ROWS = 1 << 30


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """The descriptor of ``T``, whose dimension ``ragged_dim`` holds the slices. It has two or three dimensions, the
    last of which is not ragged, and at most 2**30 rows."""
    shape, strides = list(T.shape), strides_of(T)
    rank = len(shape)
    ragged_dim += rank if ragged_dim < 0 else 0
    assert 2 <= rank <= 3, f"a ragged tensor has two or three dimensions, not {rank}"
    assert len(block_shape) == rank, f"{len(block_shape)} block dimensions for {rank} dimensions"
    assert 0 <= ragged_dim < rank - 1, f"dimension {ragged_dim} of {rank} cannot be ragged; the last one never is"
    assert shape[ragged_dim] <= _ROWS, f"the ragged dimension has {shape[ragged_dim]} rows; it may have 2**30"
    stride = strides[ragged_dim]
    shape[ragged_dim] = _ROWS
    return TensorDescriptor(
        T, [_LARGEST_EXTENT, _LARGEST_EXTENT, *shape], [(1 << 34) - stride, stride, *strides], [1, 1, *block_shape]
    )


@triton.jit
def to_ragged_indices(slice_off, slice_size, row):
    """The coordinates for a row of the slice of ``slice_size`` rows that begins at row ``slice_off``: the two in front,
    and the one of the ragged dimension."""
    ROWS: tl.constexpr = 1073741824
    return ROWS, slice_off + slice_size, ROWS - slice_size + row


@triton.jit
def _ragged_coordinates(slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    c0, c1, c2 = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    return (c0, c1) + coords[:ragged_dim] + (c2,) + coords[ragged_dim + 1 :]


@triton.jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """The block at ``coords`` of the slice."""
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "the descriptor must be made by create_ragged_descriptor")
    data = TMA.load(_ragged_coordinates(slice_off, slice_size, coords, ragged_dim))
    return tl.reshape(data, data.shape[2:])


@triton.jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Writes the block at ``coords`` of the slice."""
    data = tl.reshape(data, (1, 1) + data.shape)
    TMA.store(_ragged_coordinates(slice_off, slice_size, coords, ragged_dim), data)


@triton.jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds to the block at ``coords`` of the slice."""
    data = tl.reshape(data, (1, 1) + data.shape)
    TMA.atomic_add(_ragged_coordinates(slice_off, slice_size, coords, ragged_dim), data)
