"""Reductions, scans and other functions across elements."""

import numpy as np

from ...language import dtypes as types
from .registry import implements
from .values import (
    NoSingleValue,
    axis_of,
    broadcast_with_rank,
    cast,
    common_shape,
    describe,
    integer,
    make,
    plain,
    shape_of,
    to_tensor,
)


def _operands(input):
    """The operands of a reduction or scan in one shape, and whether the result is a tuple."""
    is_tuple = isinstance(input, (tuple, list))
    tensors = [to_tensor(value) for value in (input if is_tuple else (input,))]
    if not tensors:
        raise ValueError("a reduction needs at least one operand")
    shape = common_shape(*(value.shape for value in tensors))
    return [broadcast_with_rank(value, shape) for value in tensors], is_tuple


def _in_float32(tensors):
    """Operands with 8-bit floats widened: those are combined in float32 and rounded at the end."""
    return [cast(value, types.float32) if value.dtype.is_fp8() else value for value in tensors]


def _results(arrays, computed, tensors, is_tuple):
    """Arrays as results in the types of the operands."""
    narrowed = []
    for array, wide, value in zip(arrays, computed, tensors, strict=True):
        narrowed.append(cast(make(array, wide.dtype), value.dtype))
    return tuple(narrowed) if is_tuple else narrowed[0]


def _as_list(result):
    return [to_tensor(value) for value in (result if isinstance(result, (tuple, list)) else (result,))]


def call_elementwise(function, arrays, dtypes):
    """The results of a function of scalars on the elements of arrays of one shape: on all elements at once if it has no
    branches, else element by element. A list of tensors."""
    tensors = [make(array, dtype) for array, dtype in zip(arrays, dtypes, strict=True)]
    shape = tensors[0].shape
    try:
        return [broadcast_with_rank(result, shape) for result in _as_list(function(*tensors))]
    except NoSingleValue:
        pass
    rows = []
    for index in np.ndindex(shape):
        rows.append(_as_list(function(*(make(value.data[index], value.dtype) for value in tensors))))
    columns = zip(*rows, strict=True)
    return [make(np.array([value.data for value in column]).reshape(shape), column[0].dtype) for column in columns]


class Combine:
    """The function of a reduction or scan, on lists of arrays of equal shape."""

    def __init__(self, function, dtypes):
        self.function, self.dtypes = function, dtypes

    def __call__(self, left, right):
        results = call_elementwise(self.function, [*left, *right], self.dtypes * 2)
        if len(results) != len(self.dtypes):
            raise ValueError(f"the combine function gives {len(results)} values for {len(self.dtypes)} operands")
        for result, dtype in zip(results, self.dtypes, strict=True):
            if result.dtype != dtype:
                raise ValueError(f"the combine function gives {result.dtype} for operands of type {dtype}")
        return [result.data for result in results]


def _reduced(arrays, combine):
    """Combines along the first axis: neighbouring halves, until one element is left."""
    while arrays[0].shape[0] > 1:
        half, rest = divmod(arrays[0].shape[0], 2)
        combined = combine([a[: 2 * half : 2] for a in arrays], [a[1 : 2 * half : 2] for a in arrays])
        arrays = [np.concatenate([c, a[2 * half :]]) if rest else c for c, a in zip(combined, arrays, strict=True)]
    return [array[0] for array in arrays]


@implements
def reduce(input, axis, combine_fn, keep_dims=False):
    tensors, is_tuple = _operands(input)
    rank, kept = len(tensors[0].shape), bool(plain(keep_dims))
    wide = _in_float32(tensors)
    if plain(axis) is None and rank:
        arrays = [value.data.reshape(-1) for value in wide]
        axes = tuple(range(rank))
    elif rank:
        axes = (axis_of(axis, rank, "tl.reduce"),)
        arrays = [np.moveaxis(value.data, axes[0], 0) for value in wide]
    else:
        return tuple(tensors) if is_tuple else tensors[0]
    arrays = _reduced(arrays, Combine(combine_fn, [value.dtype for value in wide]))
    if kept:
        arrays = [np.expand_dims(array, axes) for array in arrays]
    return _results(arrays, wide, tensors, is_tuple)


@implements
def associative_scan(input, axis, combine_fn, reverse=False):
    tensors, is_tuple = _operands(input)
    axis = axis_of(axis, len(tensors[0].shape), "tl.associative_scan")
    wide = _in_float32(tensors)
    combine = Combine(combine_fn, [value.dtype for value in wide])
    ends = slice(None, None, -1 if plain(reverse) else None)
    arrays = [np.moveaxis(value.data, axis, 0)[ends] for value in wide]
    distance = 1
    while distance < arrays[0].shape[0]:
        combined = combine([a[:-distance] for a in arrays], [a[distance:] for a in arrays])
        arrays = [np.concatenate([a[:distance], c]) for a, c in zip(arrays, combined, strict=True)]
        distance *= 2
    return _results([np.moveaxis(array[ends], 0, axis) for array in arrays], wide, tensors, is_tuple)


@implements
def map_elementwise(scalar_fn, *args, pack=1):
    tensors, _ = _operands(args)
    pack = integer(pack, "pack")
    if pack < 1 or pack & (pack - 1):
        raise ValueError(f"`pack` must be a power of two, not {pack}")
    shape = tensors[0].shape
    # The function takes `pack` neighbouring elements of the first operand, then of the second, and so on.
    groups = [value.data.reshape(-1, pack) for value in tensors]
    arrays = [group[:, lane] for group in groups for lane in range(pack)]
    dtypes = [value.dtype for value in tensors for _ in range(pack)]
    results = call_elementwise(scalar_fn, arrays, dtypes)
    joined = []
    for first in range(0, len(results), pack):
        lanes = results[first : first + pack]
        joined.append(make(np.stack([lane.data for lane in lanes], -1).reshape(shape), lanes[0].dtype))
    return joined[0] if len(joined) == 1 else tuple(joined)


@implements
def histogram(input, num_bins, mask=None):
    input, (bins,) = to_tensor(input), shape_of((num_bins,))
    if len(input.shape) != 1 or not input.dtype.is_int():
        raise AssertionError(f"`tl.histogram` takes integers of rank 1, not {describe(input)}")
    data = input.data
    if mask is not None:
        mask = to_tensor(mask)
        if not mask.dtype.is_bool():
            raise ValueError(f"the mask of `tl.histogram` must be boolean, not {describe(mask)}")
        data = data[broadcast_with_rank(mask, input.shape).data]
    inside = data[(data >= 0) & (data < bins)].astype(np.int64)
    return make(np.bincount(inside, minlength=bins).astype(np.int32), types.int32)


@implements
def gather(src, index, axis):
    src, index = to_tensor(src), to_tensor(index)
    if not index.dtype.is_int():
        raise AssertionError(f"the index of `tl.gather` must be integers, not {describe(index)}")
    axis = axis_of(axis, len(src.shape), "tl.gather")
    without = lambda shape: shape[:axis] + shape[axis + 1 :]
    if len(src.shape) != len(index.shape) or without(src.shape) != without(index.shape):
        raise AssertionError(f"the shapes of {describe(src)} and {describe(index)} may differ along the axis alone")
    return make(np.take_along_axis(src.data, index.data.astype(np.int64), axis), src.dtype)
