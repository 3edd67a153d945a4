"""Functions that make tensors and change their shapes."""

import numpy as np

from ...language import dtypes as types
from .registry import current, implements
from .values import (
    ARITHMETIC,
    axis_of,
    broadcast_with_rank,
    cast,
    common_shape,
    constant,
    describe,
    integer,
    integers,
    is_number,
    make,
    plain,
    promote,
    shape_of,
    to_tensor,
)


def _grid_axis(axis):
    axis = integer(axis, "the axis")
    if axis not in (0, 1, 2):
        raise ValueError(f"the axis of the grid must be 0, 1 or 2, not {axis}")
    return axis


@implements
def program_id(axis):
    return constant(current().grid_idx[_grid_axis(axis)], types.int32)


@implements
def num_programs(axis):
    return constant(current().grid_dim[_grid_axis(axis)], types.int32)


@implements
def arange(start, end):
    start, end = integer(start, "the start of arange"), integer(end, "the end of arange")
    if start < 0 or end >= 2**32:
        raise ValueError(f"the bounds {start} and {end} of arange must fit in int32")
    if end <= start:
        raise ValueError(f"arange from {start} to {end} is empty")
    types.validate_block_shape((end - start,))
    return make(np.arange(start, end).astype(np.int32), types.int32)


@implements
def full(shape, value, dtype):
    shape, dtype, value = shape_of((shape,)), plain(dtype), plain(value)
    if not isinstance(dtype, types.dtype):
        raise ValueError(f"`tl.full` needs a dtype, not {describe(dtype)}")
    if is_number(value) and not dtype.is_ptr():
        return constant(value, dtype, shape)
    value = cast(to_tensor(value), dtype)
    if value.numel != 1:
        raise ValueError(f"`tl.full` takes a number or one element, not {describe(value)}")
    return make(np.broadcast_to(value.data.reshape(()), shape), dtype)


def index_along(input, axis):
    """The index of each element of ``input`` along ``axis``."""
    input = to_tensor(input)
    if axis is None:
        raise ValueError("indices need the axis along which they count")
    axis = axis_of(axis, len(input.shape), "tl.argmax")
    shape = [1] * len(input.shape)
    shape[axis] = input.shape[axis]
    indices = np.arange(input.shape[axis], dtype=np.int32).reshape(shape)
    return make(np.broadcast_to(indices, input.shape), types.int32)


@implements
def cat(input, other, can_reorder=False, dim=0):
    left, right = promote(to_tensor(input), to_tensor(other), ARITHMETIC, "tl.cat")
    axis = axis_of(dim, len(left.shape), "tl.cat")
    if can_reorder and len(left.shape) != 1:
        raise ValueError(f"`can_reorder` needs blocks of rank 1, not {describe(left)}")
    return make(np.concatenate([left.data, right.data], axis), left.dtype)


@implements
def broadcast(input, other):
    left, right = to_tensor(input), to_tensor(other)
    shape = common_shape(left.shape, right.shape)
    return broadcast_with_rank(left, shape), broadcast_with_rank(right, shape)


@implements
def broadcast_to(input, *shape):
    input, shape = to_tensor(input), shape_of(shape)
    if input.shape and len(input.shape) != len(shape):
        raise ValueError(f"{describe(input)} cannot be broadcast to {list(shape)}: the ranks differ")
    return broadcast_with_rank(input, shape)


@implements
def expand_dims(input, axis):
    input, axes = to_tensor(input), integers(axis, "the axis")
    rank = len(input.shape) + len(axes)
    axes = [axis_of(axis, rank, "tl.expand_dims") for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("`tl.expand_dims` got an axis twice")
    return make(np.expand_dims(input.data, tuple(axes)), input.dtype)


@implements
def reshape(input, *shape, can_reorder=False):
    input, shape = to_tensor(input), shape_of(shape)
    if input.numel != int(np.prod(shape, dtype=np.int64)):
        raise ValueError(f"{describe(input)} cannot be reshaped to {list(shape)}: the number of elements differs")
    return make(input.data.reshape(shape), input.dtype)


@implements
def view(input, *shape):
    return reshape(input, *shape)


def _permuted(input, dims, name):
    rank = len(input.shape)
    order = [axis + rank if axis < 0 else axis for axis in dims]
    if sorted(order) != list(range(rank)):
        raise ValueError(f"`tl.{name}` needs a permutation of the {rank} axes, not {dims}")
    return make(input.data.transpose(order), input.dtype)


def _dimensions(dims):
    return integers(dims[0] if len(dims) == 1 else dims, "an axis")


@implements
def trans(input, *dims):
    input = to_tensor(input)
    if dims:
        return _permuted(input, _dimensions(dims), "trans")
    if len(input.shape) < 2:
        raise ValueError(f"`tl.trans` needs a rank of at least 2, not {describe(input)}")
    return make(input.data.swapaxes(-1, -2), input.dtype)


@implements
def permute(input, *dims):
    return _permuted(to_tensor(input), _dimensions(dims), "permute")


@implements
def join(a, b):
    left, right = to_tensor(a), to_tensor(b)
    if left.dtype != right.dtype:
        left, right = promote(left, right, ARITHMETIC, "tl.join")
    left, right = broadcast(left, right)
    return make(np.stack([left.data, right.data], -1), left.dtype)


@implements
def split(a):
    a = to_tensor(a)
    if not a.shape or a.shape[-1] != 2:
        raise ValueError(f"`tl.split` needs a last dimension of size 2, not {describe(a)}")
    return make(a.data[..., 0], a.dtype), make(a.data[..., 1], a.dtype)


@implements
def item(input):
    if input.numel != 1:
        raise AssertionError(f"`.item` needs a block of one element, not {describe(input)}")
    return make(input.data.reshape(()), input.dtype)


@implements
def multiple_of(input, values):
    return to_tensor(input)


@implements
def max_contiguous(input, values):
    return to_tensor(input)


@implements
def max_constancy(input, values):
    return to_tensor(input)
