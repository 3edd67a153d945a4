# The part of triton.language that is written in the kernel language itself. Every function here is a kernel; `tl` is
# triton.language, `math` is Python's, other names are those of this file.


def cdiv(x, div):
    """The quotient `x / div` of integers, rounded up."""
    return (x + div - 1) // div


def sigmoid(x):
    """The logistic function of each element."""
    return 1 / (1 + tl.exp(-x))


def softmax(x, dim: tl.constexpr = None, *, keep_dims: tl.constexpr = None, ieee_rounding: tl.constexpr = False):
    """Exponentials of `x` along `dim`, by default the first, divided by their sum. `keep_dims` has no effect."""
    if keep_dims is not None:
        tl.core._warn("`keep_dims` of `tl.softmax` has no effect: the result has the shape of its operand")
    axis: tl.constexpr = 0 if dim is None else dim
    keep: tl.constexpr = len(x.shape) > 1
    exponentials = tl.exp(x - max(x, axis, keep_dims=keep))
    return tl.fdiv(exponentials, sum(exponentials, axis, keep_dims=keep), ieee_rounding)


def ravel(x, can_reorder: tl.constexpr = False):
    """The elements of `x` as a 1-D block."""
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


def zeros(shape: tl.constexpr, dtype: tl.constexpr):
    """A block of zeros."""
    return tl.full(shape, 0, dtype)


def zeros_like(input):
    """A block of zeros with the shape and dtype of `input`."""
    return tl.full(input.shape, 0, input.dtype)


def squeeze(x, dim: tl.constexpr):
    """`x` without its dimension `dim`, which must have size 1."""
    axis: tl.constexpr = dim + len(x.shape) if dim < 0 else dim
    tl.static_assert(x.shape[axis] == 1, "squeeze needs a dimension of size 1")
    return tl.reshape(x, x.shape[:axis] + x.shape[axis + 1:])


def unsqueeze(x, dim: tl.constexpr):
    """`x` with a new dimension of size 1 at `dim`."""
    return tl.expand_dims(x, dim)


def interleave(a, b):
    """Elements of `a` and `b` in alternation along the last dimension, which doubles."""
    joined = tl.join(a, b)
    if len(joined.shape) == 1:
        return joined
    else:
        return tl.reshape(joined, joined.shape[:-2] + (2 * joined.shape[-2],))


def swizzle2d(i, j, size_i, size_j, size_g):
    """Maps row-major tile indices `i`, `j` to column-major order within groups of `size_g` rows."""
    linear = i * size_j + j
    tiles_per_group = size_g * size_j
    first_row = linear // tiles_per_group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    inside = linear % tiles_per_group
    return first_row + inside % rows, inside // rows


def _log2(i: tl.constexpr):
    """The base-2 logarithm of a power of two."""
    return int(math.log2(i))


def _widen_bfloat16(x):
    if x.dtype.is_bf16():
        return x.to(tl.float32)
    else:
        return x


def _widen_to_32_bits(x):
    if x.dtype.primitive_bitwidth >= 32:
        return x
    elif x.dtype.is_floating():
        return x.to(tl.float32)
    else:
        return x.to(tl.int32)


def _accumulate_in(x, dtype: tl.constexpr):
    """`x` in the dtype in which sums and products of it are computed."""
    if dtype is not None:
        return x.to(dtype)
    elif x.dtype.is_int() and x.dtype.primitive_bitwidth < 32:
        return x.to(tl.int32 if x.dtype.is_int_signed() else tl.uint32)
    else:
        return x


def _add(a, b):
    return a + b


def _multiply(a, b):
    return a * b


def _exclusive_or(a, b):
    return a ^ b


def _or(a, b):
    return a | b


def _maximum(a, b):
    return tl.maximum(a, b)


def _minimum(a, b):
    return tl.minimum(a, b)


def _keeps_against_nan(value1, index1, value2, index2):
    """Whether the second value is NaN, which is not an extreme: any number comes before it, and of two the first."""
    if value1.dtype.is_floating():
        return (value2 != value2) & ((value1 == value1) | (index1 < index2))
    else:
        return False


def _first_maximum(value1, index1, value2, index2):
    keep = (value1 > value2) | ((value1 == value2) & (index1 < index2)) | _keeps_against_nan(
        value1, index1, value2, index2)
    return tl.where(keep, value1, value2), tl.where(keep, index1, index2)


def _first_minimum(value1, index1, value2, index2):
    keep = (value1 < value2) | ((value1 == value2) & (index1 < index2)) | _keeps_against_nan(
        value1, index1, value2, index2)
    return tl.where(keep, value1, value2), tl.where(keep, index1, index2)


def _any_maximum(value1, index1, value2, index2):
    keep = (value1 > value2) | (value2 != value2)
    return tl.where(keep, value1, value2), tl.where(keep, index1, index2)


def _any_minimum(value1, index1, value2, index2):
    keep = (value1 < value2) | (value2 != value2)
    return tl.where(keep, value1, value2), tl.where(keep, index1, index2)


def sum(input, axis: tl.constexpr = None, keep_dims: tl.constexpr = False, dtype: tl.constexpr = None):
    """The sum along `axis`, or of all elements. Integers narrower than 32 bits are added in 32 bits; `dtype` sets another type."""
    return tl.reduce(_accumulate_in(input, dtype), axis, _add, keep_dims=keep_dims)


def max(input, axis: tl.constexpr = None, return_indices: tl.constexpr = False,
        return_indices_tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    """The largest element along `axis`, or of all elements; with `return_indices` also where it is."""
    if return_indices:
        input = _widen_bfloat16(input)
        return tl.reduce((input, tl.core._index_along(input, axis)), axis,
                         _first_maximum if return_indices_tie_break_left else _any_maximum, keep_dims=keep_dims)
    else:
        return tl.reduce(_widen_to_32_bits(input), axis, _maximum, keep_dims=keep_dims)


def min(input, axis: tl.constexpr = None, return_indices: tl.constexpr = False,
        return_indices_tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    """The smallest element along `axis`, or of all elements; with `return_indices` also where it is."""
    if return_indices:
        input = _widen_bfloat16(input)
        return tl.reduce((input, tl.core._index_along(input, axis)), axis,
                         _first_minimum if return_indices_tie_break_left else _any_minimum, keep_dims=keep_dims)
    else:
        return tl.reduce(_widen_to_32_bits(input), axis, _minimum, keep_dims=keep_dims)


def argmax(input, axis: tl.constexpr, tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    """The int32 index of the largest element along `axis`; the lowest one on ties when `tie_break_left`."""
    value, index = max(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left,
                       keep_dims=keep_dims)
    return index


def argmin(input, axis: tl.constexpr, tie_break_left: tl.constexpr = True, keep_dims: tl.constexpr = False):
    """The int32 index of the smallest element along `axis`; the lowest one on ties when `tie_break_left`."""
    value, index = min(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left,
                       keep_dims=keep_dims)
    return index


def xor_sum(input, axis: tl.constexpr = None, keep_dims: tl.constexpr = False):
    """The exclusive or of integers along `axis`, or of all elements."""
    tl.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return tl.reduce(input, axis, _exclusive_or, keep_dims=keep_dims)


def reduce_or(input, axis: tl.constexpr, keep_dims: tl.constexpr = False):
    """The bitwise or of integers along `axis`, or of all elements."""
    tl.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


def cumsum(input, axis: tl.constexpr = 0, reverse: tl.constexpr = False, dtype: tl.constexpr = None):
    """The running sum along `axis`, from the end when `reverse`."""
    return tl.associative_scan(_accumulate_in(_widen_bfloat16(input), dtype), axis, _add, reverse)


def cumprod(input, axis: tl.constexpr = 0, reverse: tl.constexpr = False, dtype: tl.constexpr = None):
    """The running product along `axis`, from the end when `reverse`. Integers narrower than 32 bits are multiplied in 32 bits; `dtype` sets another type."""
    return tl.associative_scan(_accumulate_in(input, dtype), axis, _multiply, reverse)


def _swap_neighbours(x, distance: tl.constexpr):
    """Exchanges elements of the flattened `x` whose index differs in the bit `distance`: `x` and its partners, both in
    the shape [pairs, 2, distance]."""
    y = tl.reshape(x, (x.numel // (2 * distance), 2, distance))
    bits = y.to(tl.core.get_int_dtype(x.dtype.primitive_bitwidth, True), bitcast=True)
    return y, (bits ^ xor_sum(bits, 1, keep_dims=True)).to(x.dtype, bitcast=True)


def _to_sortable(x):
    """Integers in the order of `x`, which `_from_sortable` takes back: one comparison then orders each pair, zeros of two
    signs and NaNs, which come first or last by their sign, included. Threads of GPUs compare and exchange 32 bits at a
    time, so that narrow elements widen where `_merge_stages_in_loop` still has room for them."""
    width: tl.constexpr = x.dtype.primitive_bitwidth
    bits = x.to(tl.core.get_int_dtype(width, True), bitcast=True) if x.dtype.is_floating() else x
    widens: tl.constexpr = width < 32 and x.numel <= 8192 and tl.core._elements_per_thread(x) > 0
    wide = bits.to(tl.int32) if widens else bits
    return _flip_negative_floats(wide, width) if x.dtype.is_floating() else wide


def _from_sortable(sortable, dtype: tl.constexpr):
    width: tl.constexpr = dtype.primitive_bitwidth
    if dtype.is_floating():
        bits = _flip_negative_floats(sortable, width)
        return bits.to(tl.core.get_int_dtype(width, True)).to(dtype, bitcast=True)
    else:
        return sortable.to(dtype)


def _flip_negative_floats(bits, width: tl.constexpr):
    """Of two negative floats, the one of greater bits is less."""
    return bits ^ ((bits >> (width - 1)) & (2**(width - 1) - 1))


def _compare_and_swap(x, distance: tl.constexpr, stage: tl.constexpr, descending: tl.constexpr):
    """One step of a bitonic network: orders elements `distance` apart, in runs of `2**stage` elements whose direction
    alternates, the first being `descending` or not; `stage` None means one direction throughout."""
    y, partner = _swap_neighbours(x, distance)
    is_right = (tl.arange(0, 2) == 1)[None, :, None]
    if stage is None:
        reverse = is_right != descending
    else:
        pair = tl.arange(0, x.numel // (2 * distance))[:, None, None]
        reverse = is_right ^ (((pair * (2 * distance) >> stage) & 1) != (1 if descending else 0))
    return tl.reshape(tl.where((y > partner) ^ reverse, partner, y), x.shape)


def _merge_stage(x, stage: tl.constexpr, alternate: tl.constexpr, descending: tl.constexpr):
    """Sorts every bitonic run of `2**stage` elements, in alternating directions if `alternate`."""
    direction: tl.constexpr = stage if alternate else None
    for step in tl.static_range(stage):
        x = _compare_and_swap(x, 2**(stage - 1 - step), direction, descending)
    return x


def _merge_stages_in_loop(x, first: tl.constexpr, last: tl.constexpr, descending: tl.constexpr):
    """The same as `_merge_stages`, with code for one step, in which partners come from shared memory."""
    flat = tl.reshape(x, (x.numel,))
    index = tl.arange(0, x.numel)
    position = index & (x.shape[-1] - 1)
    for stage in range(first, last + 1):
        is_falling = ((position >> stage) & 1) != (1 if descending else 0)
        for step in range(stage):
            distance = 1 << (stage - 1 - step)
            partner = tl.gather(flat, index ^ distance, 0)
            reverse = ((index & distance) != 0) ^ is_falling
            flat = tl.where((flat > partner) ^ reverse, partner, flat)
    return tl.reshape(flat, x.shape)


def _merge_stages(x, first: tl.constexpr, last: tl.constexpr, descending: tl.constexpr):
    """Sorts bitonic runs of `2**first` to `2**last` elements, in alternating directions but for a run that is all of
    the last dimension. Assemblers need minutes where each thread has many elements and all steps have code of their
    own."""
    steps: tl.constexpr = (last * (last + 1) - first * (first - 1)) // 2
    fits: tl.constexpr = 8 <= x.dtype.primitive_bitwidth and x.numel * x.dtype.primitive_bitwidth <= 8 * 32768
    if fits and tl.core._elements_per_thread(x) * steps > 4096:
        return _merge_stages_in_loop(x, first, last, descending)
    else:
        for stage in tl.static_range(first, last + 1):
            x = _merge_stage(x, stage, 2**stage < x.shape[-1], descending)
        return x


def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """Sorts `x` along its last dimension, along which it must be bitonic: first rising, then falling."""
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "only the last dimension can be merged")
    stages: tl.constexpr = _log2(x.shape[-1])
    return _from_sortable(_merge_stages(_to_sortable(x), stages, stages, descending), x.dtype)


def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """`x` sorted along its last dimension."""
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "only the last dimension can be sorted")
    stages: tl.constexpr = _log2(x.shape[-1])
    return _from_sortable(_merge_stages(_to_sortable(x), 1, stages, descending), x.dtype)


def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """`x` sorted along its last dimension; with `k`, the first so many in that order."""
    if k is None:
        return sort(x, dim, descending)
    else:
        return topk(x, k, dim, descending)


def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    """The `k` largest elements along the last dimension in falling order, or the smallest in rising order."""
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "only the last dimension can be searched")
    tl.static_assert(0 < k and k <= x.shape[-1], "k must be from 1 to the size of the last dimension")
    kept: tl.constexpr = _log2(k)
    stages: tl.constexpr = _log2(x.shape[-1])
    dtype: tl.constexpr = x.dtype
    x = _merge_stages(_to_sortable(x), 1, kept, descending)
    for stage in tl.static_range(kept, stages):
        runs: tl.constexpr = x.shape[-1] // 2**(kept + 1)
        pairs = tl.reshape(x, (x.numel // x.shape[-1] * runs, 2, 2**kept))
        best = tl.reduce(pairs, 1, _maximum if descending else _minimum)
        x = tl.reshape(best, x.shape[:-1] + (runs * 2**kept,))
        x = _merge_stages(x, kept, kept, descending)
    return _from_sortable(x, dtype)


def flip(x, dim: tl.constexpr = None):
    """`x` with the order of elements along `dim`, by default the last, reversed."""
    last: tl.constexpr = len(x.shape) - 1
    axis: tl.constexpr = last if dim is None else dim + len(x.shape) if dim < 0 else dim
    inner: tl.constexpr = _product(x.shape[axis + 1:])
    shape: tl.constexpr = x.shape
    for bit in tl.static_range(_log2(x.shape[axis])):
        y, partner = _swap_neighbours(x, inner * 2**bit)
        x = tl.reshape(partner, shape)
    return x


def _product(values: tl.constexpr):
    return 1 if len(values) == 0 else values[0] * _product(values[1:])
