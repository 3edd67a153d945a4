"""Loads, stores and atomic operations, through pointers, block pointers and descriptors."""

import numpy as np

from ...language import dtypes as types
from ...language.types import tensor_descriptor
from . import formats
from .operators import computed
from .registry import IMPLEMENTATIONS, by_launch, current, implements
from .values import (
    InterpretedTensor,
    broadcast_with_rank,
    cast,
    common_shape,
    constant,
    convert_to,
    describe,
    integer,
    integers,
    is_number,
    make,
    plain,
    shape_of,
    to_tensor,
)

_LOAD_CACHE, _STORE_CACHE = ("", ".ca", ".cg", ".cs", ".cv"), ("", ".wb", ".cg", ".cs", ".wt")
_EVICTION = ("", "evict_first", "evict_last")


def choice(value, allowed, name):
    value = "" if plain(value) is None else plain(value)
    if value not in allowed:
        raise ValueError(f"`{name}` is {value!r}; it must be one of {', '.join(map(repr, allowed))}")
    return value


def read(addresses, dtype, active=None):
    """The elements at an array of addresses. Where ``active`` is false nothing is read, and the result is zero."""
    storage = formats.storage_type(dtype)
    flat = addresses.reshape(-1)
    if active is None:
        bits = current().memory.load(flat, storage)
    else:
        bits, chosen = np.zeros(flat.shape, storage), np.flatnonzero(active)
        bits[chosen] = current().memory.load(flat[chosen], storage)
    return formats.decode(bits, dtype).reshape(addresses.shape)


def write(addresses, values, dtype, active=None):
    flat, bits = addresses.reshape(-1), formats.encode(np.ascontiguousarray(values).reshape(-1), dtype)
    if active is not None:
        chosen = np.flatnonzero(active)
        flat, bits = flat[chosen], bits[chosen]
    current().memory.store(flat, bits)


class BlockPointer(InterpretedTensor):
    """The result of ``tl.make_block_ptr``: a block of an array in memory."""

    def __init__(self, base, shape, strides, offsets, block_shape, order):
        self.base, self._extent, self.strides, self.offsets = base, shape, strides, offsets
        self.block_shape, self.order = tuple(block_shape), order
        self.element = base.dtype.element_ty

    dtype = property(lambda self: self.base.dtype)
    shape = property(lambda self: self.block_shape)
    numel = property(lambda self: int(np.prod(self.block_shape)))
    type = property(lambda self: types.block_type(self.dtype, self.block_shape))

    def places(self, checked):
        """The address of each element, and which of them lie inside of the array along the dimensions ``checked``."""
        return block_places(self.base, self._extent, self.strides, self.offsets, self.block_shape, checked)

    def moved(self, offsets):
        return BlockPointer(self.base, self._extent, self.strides, offsets, self.block_shape, self.order)


def block_places(base, extent, strides, offsets, block_shape, checked):
    address, inside = np.zeros(block_shape, np.int64), np.ones(block_shape, bool)
    for axis, size in enumerate(block_shape):
        line = [1] * len(block_shape)
        line[axis] = size
        coordinate = (int(offsets[axis]) + np.arange(size, dtype=np.int64)).reshape(line)
        address = address + coordinate * int(strides[axis])
        if axis in checked:
            inside = inside & (coordinate >= 0) & (coordinate < int(extent[axis]))
    size = formats.storage_type(base.dtype.element_ty).itemsize
    return base.data + (address * size).astype(np.uint64), inside


def _scalars(values, what):
    values = plain(values)
    values = values if isinstance(values, (tuple, list)) else (values,)
    scalars = [to_tensor(value) for value in values]
    for scalar in scalars:
        if scalar.shape or not scalar.dtype.is_int():
            raise ValueError(f"{what} takes integer scalars, not {describe(scalar)}")
    return [int(scalar) for scalar in scalars]


def _scalar_pointer(base, name):
    if not isinstance(base, InterpretedTensor) or not base.dtype.is_ptr() or base.shape:
        raise ValueError(f"`{name}` needs a scalar pointer, not {describe(base)}")
    return base


@implements
def make_block_ptr(base, shape, strides, offsets, block_shape, order):
    base, block = _scalar_pointer(base, "tl.make_block_ptr"), shape_of((block_shape,))
    parts = [_scalars(values, "tl.make_block_ptr") for values in (shape, strides, offsets)]
    order = integers(order, "the order")
    if any(len(part) != len(block) for part in (*parts, order)):
        raise ValueError(
            f"`tl.make_block_ptr` needs {len(block)} numbers of each kind, as many as the block has dimensions"
        )
    if sorted(order) != list(range(len(block))):
        raise ValueError(f"the order {order} is not a permutation of the dimensions")
    return BlockPointer(base, *parts, block, order)


@implements
def advance(base, offsets):
    if not isinstance(base, BlockPointer):
        raise ValueError(f"`tl.advance` needs a block pointer, not {describe(base)}")
    steps = _scalars(offsets, "tl.advance")
    if len(steps) != len(base.offsets):
        raise ValueError(f"`tl.advance` needs {len(base.offsets)} offsets, not {len(steps)}")
    return base.moved([old + step for old, step in zip(base.offsets, steps, strict=True)])


def _checked_dimensions(boundary_check, rank):
    boundary_check = plain(boundary_check)
    dimensions = [] if boundary_check is None else integers(boundary_check, "boundary_check")
    if len(set(dimensions)) != len(dimensions) or any(not 0 <= axis < rank for axis in dimensions):
        raise ValueError(f"`boundary_check` {tuple(dimensions)} must name dimensions from 0 to {rank - 1}, each once")
    return dimensions


def _refuse_for_blocks(**given):
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"`{name}` does not go with a block pointer: use `boundary_check`")


def _refuse_for_pointers(boundary_check, padding_option):
    if plain(boundary_check) not in (None, (), []):
        raise ValueError("`boundary_check` goes with block pointers only: use `mask`")
    if plain(padding_option) not in (None, ""):
        raise ValueError("`padding_option` goes with block pointers only: use `other`")


def _load_block(pointer, boundary_check, padding_option):
    checked = _checked_dimensions(boundary_check, len(pointer.block_shape))
    padding = choice(padding_option, ("", "zero", "nan"), "padding_option")
    if padding and not checked:
        raise ValueError("`padding_option` needs a `boundary_check`")
    return _padded(pointer.places(checked), pointer.element, padding)


def _padded(places, element, padding):
    if padding == "nan" and not element.is_floating():
        raise ValueError(f"the padding nan needs floats, not {element}")
    addresses, inside = places
    data = read(addresses, element, inside)
    return make(np.where(inside, data, data.dtype.type(np.nan)) if padding == "nan" else data, element)


def pointer_operand(pointer, name, for_writing=False):
    if isinstance(pointer, InterpretedDescriptor):
        raise ValueError(f"`tl.{name}` needs a pointer: a descriptor has its own `load` and `store`")
    if not isinstance(pointer, InterpretedTensor) or not pointer.dtype.is_ptr():
        raise ValueError(f"`tl.{name}` needs a pointer, not {describe(pointer)}")
    if for_writing and pointer.dtype.is_const():
        raise ValueError(f"`tl.{name}` writes through a pointer to constant memory")
    return pointer


def _mask(mask, name):
    mask = to_tensor(mask)
    if not mask.dtype.is_bool():
        raise ValueError(f"the mask of `tl.{name}` must be boolean, not {describe(mask)}")
    return mask


def _to_one_shape(name, pointer, **operands):
    """The pointer and the operands, which may be None, broadcast to one shape."""
    given = {what: value for what, value in operands.items() if value is not None}
    for what, value in given.items():
        if value.shape and not pointer.shape:
            raise ValueError(f"the {what} of `tl.{name}` is a block, but the pointer a scalar")
    shape = common_shape(pointer.shape, *(value.shape for value in given.values()))
    broadcast = [None if value is None else broadcast_with_rank(value, shape) for value in operands.values()]
    return broadcast_with_rank(pointer, shape), *broadcast


@implements
def load(pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", eviction_policy="",
         volatile=False):  # fmt: skip
    choice(cache_modifier, _LOAD_CACHE, "cache_modifier"), choice(eviction_policy, _EVICTION, "eviction_policy")
    if isinstance(pointer, BlockPointer):
        _refuse_for_blocks(mask=mask, other=other)
        return _load_block(pointer, boundary_check, padding_option)
    pointer = pointer_operand(pointer, "load")
    _refuse_for_pointers(boundary_check, padding_option)
    element = pointer.dtype.element_ty
    if mask is None:
        if other is not None:
            raise ValueError("`other` needs a `mask`")
        return make(read(pointer.data, element), element)
    mask = _mask(mask, "load")
    other = None if other is None else convert_to(other, element)
    pointer, mask, other = _to_one_shape("load", pointer, mask=mask, other=other)
    data = read(pointer.data, element, mask.data)
    return make(data if other is None else np.where(mask.data, data, other.data), element)


@implements
def store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy=""):
    choice(cache_modifier, _STORE_CACHE, "cache_modifier"), choice(eviction_policy, _EVICTION, "eviction_policy")
    if isinstance(pointer, BlockPointer):
        _refuse_for_blocks(mask=mask)
        value = broadcast_with_rank(convert_to(value, pointer.element), pointer.block_shape)
        addresses, inside = pointer.places(_checked_dimensions(boundary_check, len(pointer.block_shape)))
        return write(addresses, value.data, pointer.element, inside)
    pointer = pointer_operand(pointer, "store", for_writing=True)
    _refuse_for_pointers(boundary_check, "")
    element = pointer.dtype.element_ty
    mask = None if mask is None else _mask(mask, "store")
    pointer, value, mask = _to_one_shape("store", pointer, value=convert_to(value, element), mask=mask)
    return write(pointer.data, value.data, element, None if mask is None else mask.data)


# ---- Descriptors ----


class TensorDescHandle:
    """An array in memory that is accessed in blocks."""

    def __init__(self, base, shape, strides, block_shape, padding, round_f32_to_tf32=False):
        self.base, self.shape, self.strides = base, shape, strides
        self.block_shape, self.padding, self.round_f32_to_tf32 = tuple(block_shape), padding, round_f32_to_tf32


class InterpretedDescriptor(tensor_descriptor):
    """The value of a descriptor in a kernel."""

    # The properties of the base class are for kernels that are compiled.
    dtype = block_shape = block_type = None

    def __init__(self, handle):
        self.handle = handle
        self.block_shape = handle.block_shape
        self.shape = tuple(constant(size, types.int32) for size in handle.shape)
        self.strides = tuple(constant(stride, types.int64) for stride in handle.strides)
        self.dtype = handle.base.dtype.element_ty
        self.block_type = self.type = types.block_type(self.dtype, self.block_shape)

    def places(self, offsets):
        for offset in offsets if isinstance(offsets, (tuple, list)) else (offsets,):
            if isinstance(offset, InterpretedTensor) and offset.dtype.primitive_bitwidth == 64:
                raise AssertionError(f"the offsets of a descriptor have at most 32 bits, unlike {describe(offset)}")
        offsets = _scalars(offsets, "a descriptor")
        if len(offsets) != len(self.block_shape):
            raise ValueError(f"the descriptor needs {len(self.block_shape)} offsets, not {len(offsets)}")
        every = range(len(self.block_shape))
        return block_places(self.handle.base, self.handle.shape, self.handle.strides, offsets, self.block_shape, every)

    def _block(self, value):
        value = convert_to(value, self.dtype)
        if value.shape != self.block_shape:
            raise AssertionError(f"the descriptor moves blocks of {list(self.block_shape)}, not {describe(value)}")
        return value

    @by_launch("load")
    def load(self, offsets):
        result = _padded(self.places(offsets), self.dtype, self.handle.padding)
        return make(round_to_tf32(result.data), self.dtype) if self.handle.round_f32_to_tf32 else result

    @by_launch("store")
    def store(self, offsets, value):
        addresses, inside = self.places(offsets)
        write(addresses, self._block(value).data, self.dtype, inside)

    def _rows(self, x_offsets, y_offset):
        """The addresses of some rows of the array, and which elements lie inside of it."""
        rows, columns = to_tensor(x_offsets).data.astype(np.int64)[:, None], self.block_shape[1]
        column = int(to_tensor(y_offset)) + np.arange(columns, dtype=np.int64)[None, :]
        height, width = self.handle.shape
        inside = (rows >= 0) & (rows < height) & (column >= 0) & (column < width)
        steps = rows * int(self.handle.strides[0]) + column
        size = formats.storage_type(self.handle.base.dtype.element_ty).itemsize
        return self.handle.base.data + (steps * size).astype(np.uint64), inside

    @by_launch("gather")
    def gather(self, x_offsets, y_offset):
        return _padded(self._rows(x_offsets, y_offset), self.dtype, self.handle.padding)

    @by_launch("scatter")
    def scatter(self, value, x_offsets, y_offset):
        addresses, inside = self._rows(x_offsets, y_offset)
        write(addresses, convert_to(value, self.dtype).data, self.dtype, inside)

    def atomic(self, offsets, value, combine):
        addresses, inside = self.places(offsets)
        exchange(addresses, self._block(value).data, self.dtype, inside, combine)


def round_to_tf32(data):
    """To nearest, ties to even, with 10 bits of mantissa."""
    bits = np.asarray(data, order="C").view(np.uint32)
    nearest = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(data), nearest.view(np.float32), data)


@implements
def make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero"):
    base, block = _scalar_pointer(base, "tl.make_tensor_descriptor"), shape_of((block_shape,))
    if not 1 <= len(block) <= 5:
        raise ValueError(f"a descriptor has one to five dimensions, not {len(block)}")
    if len(strides) != len(block) or len(shape) != len(block):
        raise ValueError(f"a descriptor of rank {len(block)} needs as many sizes and strides")
    if isinstance(strides[-1], InterpretedTensor) or integer(strides[-1], "the last stride") != 1:
        raise ValueError(f"the last stride of a descriptor must be the constant 1, not {describe(plain(strides[-1]))}")
    shape, strides = _scalars(shape, "a descriptor"), _scalars(strides, "a descriptor")
    padding = choice(padding_option, ("zero", "nan"), "padding_option")
    if padding == "nan" and not base.dtype.element_ty.is_floating():
        raise ValueError(f"the padding nan needs floats, not {base.dtype.element_ty}")
    return InterpretedDescriptor(TensorDescHandle(base, shape, strides, block, padding))


@implements
def load_tensor_descriptor(desc, offsets):
    return desc.load(offsets)


@implements
def store_tensor_descriptor(desc, offsets, value):
    return desc.store(offsets, value)


# ---- Atomic operations ----


def exchange(addresses, values, dtype, active, combine):
    """Replaces each element in memory by ``combine(old, value)``, one after the other, and gives what was there before:
    zero where ``active`` is false."""
    flat, new = addresses.reshape(-1), values.reshape(-1)
    chosen = np.arange(flat.size) if active is None else np.flatnonzero(active)
    old = np.zeros(flat.shape, formats.compute_type(dtype))
    # Elements of distinct addresses go at once; the n-th at one address in the n-th round.
    _, places = np.unique(flat[chosen], return_inverse=True)
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], places[order])
    rounds = np.empty(chosen.size, np.int64)
    rounds[order] = np.arange(chosen.size) - starts
    for number in range(int(rounds.max(initial=-1)) + 1):
        lanes = chosen[rounds == number]
        before = read(flat[lanes], dtype)
        with np.errstate(all="ignore"):
            after = combine(before, new[lanes], lanes)
        write(flat[lanes], computed(after, dtype).data, dtype)
        old[lanes] = before
    return old.reshape(addresses.shape)


def _extremum(integers, floats):
    def combine(old, value, lanes):
        return (floats if old.dtype.kind == "f" else integers)(old, value)

    return combine


ATOMICS = {
    "add": lambda old, value, lanes: old + value,
    "max": _extremum(np.maximum, np.fmax),
    "min": _extremum(np.minimum, np.fmin),
    "and": lambda old, value, lanes: old & value,
    "or": lambda old, value, lanes: old | value,
    "xor": lambda old, value, lanes: old ^ value,
    "xchg": lambda old, value, lanes: value,
}


def check_atomic(element, operation):
    width, name = element.primitive_bitwidth, f"tl.atomic_{operation}"
    if element.is_ptr():
        valid = operation in ("xchg", "cas")
    elif operation == "cas":
        valid = width >= 16
    elif operation in ("and", "or", "xor"):
        valid = width >= 32 and element.is_int()
    else:
        valid = width >= 32 or (width == 16 and element.is_floating() and operation in ("add", "xchg"))
    if not valid:
        raise ValueError(f"`{name}` does not take elements of type {element}")


def _check_order(sem, scope):
    (
        choice(sem, ("", "acq_rel", "acquire", "release", "relaxed"), "sem"),
        choice(scope, ("", "gpu", "cta", "sys"), "scope"),
    )


def _register_atomic(operation):
    def atomic(pointer, val, mask=None, sem=None, scope=None):
        _check_order(sem, scope)
        pointer = pointer_operand(pointer, f"atomic_{operation}", for_writing=True)
        element = pointer.dtype.element_ty
        check_atomic(element, operation)
        name = f"atomic_{operation}"
        mask = None if mask is None else _mask(mask, name)
        pointer, value, mask = _to_one_shape(name, pointer, value=convert_to(val, element), mask=mask)
        active = None if mask is None else mask.data
        return make(exchange(pointer.data, value.data, element, active, ATOMICS[operation]), element)

    IMPLEMENTATIONS[f"atomic_{operation}"] = atomic
    if operation != "xchg":
        method = lambda self, offsets, value: self.atomic(offsets, value, ATOMICS[operation])
        setattr(InterpretedDescriptor, f"atomic_{operation}", by_launch(f"atomic_{operation}")(method))


for _operation in ATOMICS:
    _register_atomic(_operation)


@implements
def atomic_cas(pointer, cmp, val, sem=None, scope=None):
    _check_order(sem, scope)
    pointer = pointer_operand(pointer, "atomic_cas", for_writing=True)
    element = pointer.dtype.element_ty
    check_atomic(element, "cas")

    def operand(value, name):
        value = plain(value)
        if is_number(value):
            return constant(value, element)
        value = to_tensor(value)
        storage = formats.storage_type(element)
        if formats.storage_type(value.dtype).itemsize != storage.itemsize:
            raise ValueError(
                f"`{name}` of `tl.atomic_cas` is not converted: it must be {element}, not {describe(value)}"
            )
        return cast(value, element) if value.dtype.is_ptr() or value.dtype.is_int() and element.is_int() else value

    pointer, compared, value = _to_one_shape("atomic_cas", pointer, cmp=operand(cmp, "cmp"), val=operand(val, "val"))
    expected = formats.encode(compared.data.reshape(-1), element)

    def combine(old, new, lanes):
        return np.where(formats.encode(old, element) == expected[lanes], new, old)

    return make(exchange(pointer.data, value.data, element, None, combine), element)


def _atomic_order(sem, allowed):
    choice(sem, ("", allowed, "relaxed"), "sem")


@implements
def atomic_load(pointer, mask=None, sem=None, scope=None):
    _atomic_order(sem, "acquire")
    return load(pointer, mask)


@implements
def atomic_store(pointer, val, mask=None, sem=None, scope=None):
    _atomic_order(sem, "release")
    return store(pointer, val, mask)


@implements
def atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None):
    """Programs run one after the other, so that nothing changes while one waits: a wait that does not end at once ends
    in an error, or in the timeout."""
    _atomic_order(sem, "acquire")
    pointer = pointer_operand(pointer, "atomic_poll")
    element = pointer.dtype.element_ty
    if not element.is_int() or element.primitive_bitwidth not in (16, 32, 64):
        raise ValueError(f"`tl.atomic_poll` takes 16-, 32- and 64-bit integers, not {element}")
    if timeout_ns is not None and integer(timeout_ns, "timeout_ns") < 0:
        raise ValueError(f"`timeout_ns` of `tl.atomic_poll` is {plain(timeout_ns)}, but must be 0 or more")
    pointer, expected = _to_one_shape("atomic_poll", pointer, expected_value=convert_to(expected_value, element))
    reached = read(pointer.data, element) == expected.data
    if timeout_ns is None and not reached.all():
        raise RuntimeError("`tl.atomic_poll` waits without end: programs are interpreted one after the other")
    return make(np.broadcast_to(reached, pointer.shape), types.int1)
