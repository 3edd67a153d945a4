"""The values of an interpreted kernel and the rules for their types: what `src/frontend/lowering/semantics` is for
compiled kernels."""

import math
import operator

import numpy as np

from ...language import dtypes as types
from ...language.constants import constexpr
from ...language.methods import tensor
from . import formats
from .registry import by_launch

ARITHMETIC, DIVISION = range(2)


class NoSingleValue(ValueError):
    """A block stands where one value is needed: as a condition, for example."""


class TensorHandle:
    """The elements of a tensor: ``data`` in the compute type of ``dtype``."""

    def __init__(self, data, dtype, attr=None):
        self.data = np.asarray(data, formats.compute_type(dtype))
        self.dtype = dtype
        self.attr = {} if attr is None else attr


class InterpretedTensor(tensor):
    """A scalar or block whose elements exist."""

    def __init__(self, handle, type=None):
        self.handle = handle
        self._type = type

    @property
    def data(self):
        return self.handle.data

    @property
    def dtype(self):
        return self.handle.dtype

    @property
    def type(self):
        if self._type is None:
            self._type = types.block_type(self.dtype, self.shape) if self.shape else self.dtype
        return self._type

    @property
    def shape(self):
        return self.handle.data.shape

    @property
    def numel(self):
        return self.handle.data.size

    @property
    @by_launch("T")
    def T(self):
        if len(self.shape) != 2:
            raise ValueError(f"`.T` needs a tensor of rank 2, not {describe(self)}")
        return make(self.data.T, self.dtype)

    def _number(self, kind):
        if self.numel != 1:
            raise NoSingleValue(f"{describe(self)} has no single value: only one element can be {kind}")
        return self.data.reshape(())[()].item()

    def __bool__(self):
        return bool(self._number("a condition"))

    def __int__(self):
        return int(self._number("a number"))

    def __float__(self):
        return float(self._number("a number"))

    def __index__(self):
        if not (self.dtype.is_int() and self.numel == 1):
            raise TypeError(f"{describe(self)} is not an integer")
        return self._number("an integer").__index__()

    def __iter__(self):
        raise TypeError(f"{describe(self)} cannot be unpacked or iterated")

    @by_launch("[]")
    def __getitem__(self, index):
        result, kept, axes = self.data, 0, 0
        for entry in index if isinstance(index, tuple) else (index,):
            entry = plain(entry)
            if entry is None:
                result = np.expand_dims(result, axes)
            elif entry == slice(None) and kept < len(self.shape):
                kept += 1
            else:
                raise ValueError(
                    f"{describe(self)} takes only `:` and `None` as indices, and at most one `:` a dimension"
                )
            axes += 1
        return make(result, self.dtype)

    def __format__(self, spec):
        return format(self._number("formatted"), spec) if spec else str(self)

    def __repr__(self):
        return f"{describe(self)}({np.array2string(self.data, separator=', ')})"

    __str__ = __repr__
    __hash__ = object.__hash__


def make(data, dtype):
    return InterpretedTensor(TensorHandle(data, dtype))


def describe(value):
    """What messages call a value: "int32[16]", "the constant 3"."""
    if not isinstance(value, tensor):
        return f"the constant {value!r}" if value is None or is_number(value) else f"a `{type(value).__name__}`"
    return f"{value.dtype}{list(value.shape) if value.shape else ''}"


def plain(value):
    """A compile-time value without its wrapping."""
    return value.value if isinstance(value, constexpr) else value


def is_number(value):
    return isinstance(value, (bool, int, float, np.number, np.bool_))


def natural_type(number):
    """The type that a number takes as a tensor."""
    if isinstance(number, (bool, np.bool_)):
        return types.int1
    if isinstance(number, (int, np.integer)):
        for dtype in (types.int32, types.uint32, types.int64, types.uint64):
            if dtype.get_int_min_value() <= number <= dtype.get_int_max_value():
                return dtype
        raise ValueError(f"the number {number} does not fit in 64 bits")
    magnitude = abs(number)
    is_single = magnitude == 0 or not math.isfinite(magnitude) or 2.0**-126 <= magnitude <= float(np.finfo("f4").max)
    return types.float32 if is_single else types.float64


def constant(number, dtype, shape=()):
    """A number, converted to ``dtype``."""
    if dtype.is_floating():
        data = formats.rounded(np.float64(number), dtype)
    elif isinstance(number, (float, np.floating)):
        data = bool(number) if dtype.is_bool() else formats.integers_from_floats(np.float64(number), dtype)
    elif dtype.is_bool():
        data = bool(number)
    else:
        width = dtype.primitive_bitwidth
        data = np.array(int(number) % 2**width, f"uint{width}").view(formats.compute_type(dtype))
    return make(np.broadcast_to(np.asarray(data, formats.compute_type(dtype)), shape), dtype)


def to_tensor(value):
    """A number as a scalar of its natural type, a tensor unchanged."""
    value = plain(value)
    if isinstance(value, InterpretedTensor):
        return value
    if is_number(value):
        return constant(value, natural_type(value))
    raise TypeError(f"{describe(value)} is neither a tensor nor a number")


def integer(value, what):
    """A value that must be known at compile time, as an int."""
    value = plain(value)
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{what} must be an integer that is known at compile time, not {describe(value)}") from None


def integers(values, what):
    values = plain(values)
    if isinstance(values, (tuple, list)):
        return [integer(value, what) for value in values]
    return [integer(values, what)]


def shape_of(values):
    """The shape that ``*shape`` arguments give: separate sizes, or one sequence of them."""
    values = [plain(value) for value in values]
    if len(values) == 1 and isinstance(values[0], (tuple, list)):
        values = values[0]
    shape = tuple(integer(size, "a dimension") for size in values)
    types.validate_block_shape(shape)
    return shape


# ---- Conversions ----


def cast(value, dtype, toward_zero=None):
    """``value`` converted to ``dtype``; ``toward_zero`` None leaves the rounding of a narrower float to the default."""
    source = value.dtype
    narrows = source.is_floating() and dtype.is_floating() and source.primitive_bitwidth > dtype.primitive_bitwidth
    if toward_zero is not None and not narrows:
        raise ValueError(f"a rounding mode needs a float that gets narrower, not {source} to {dtype}")
    if source == dtype:
        return value
    if dtype.is_void():
        raise ValueError("a value cannot be cast to void")
    if source.is_ptr() or dtype.is_ptr():
        return _cast_pointer(value, dtype)
    if (source.is_fp8() or dtype.is_fp8()) and source.is_int() != dtype.is_int():
        raise ValueError(f"{source} cannot be cast to {dtype}: convert by way of another float type")
    if dtype.is_bool():
        return make(value.data != 0, dtype)
    if dtype.is_floating():
        exact = value.data if source.is_floating() else _float_from_integers(value.data, dtype)
        return make(formats.rounded(exact, dtype, bool(toward_zero)), dtype)
    if source.is_floating():
        return make(formats.integers_from_floats(value.data, dtype), dtype)
    return make(value.data.astype(formats.compute_type(dtype)), dtype)


def _float_from_integers(data, dtype):
    """Integers as floats from which rounding to ``dtype`` gives what rounding the integers themselves would."""
    if data.dtype.itemsize < 8 or dtype.is_fp32() or dtype.is_fp64():
        return data.astype(np.float32 if dtype.is_fp32() else np.float64)
    # A bit that says whether any below it is set takes the place of those that 53 bits do not hold.
    sticky = (data & ~data.dtype.type(0x7FF)) | ((data & data.dtype.type(0x7FF) != 0).astype(data.dtype) << 11)
    wide = data.astype(np.float64)
    return np.where(np.abs(wide) < 2.0**53, wide, sticky.astype(np.float64))


def _cast_pointer(value, dtype):
    if dtype.is_ptr():
        address = value if value.dtype.is_ptr() else cast(value, types.int64) if value.dtype.is_int() else None
        if address is not None:
            return make(address.data.astype(np.uint64), dtype)
    elif dtype.is_bool():
        return make(value.data != 0, dtype)
    elif dtype.is_int() and dtype.primitive_bitwidth == 64:
        return make(value.data.astype(formats.compute_type(dtype)), dtype)
    raise ValueError(f"{value.dtype} cannot be cast to {dtype}: pointers convert to 64-bit integers only")


def bitcast(value, dtype):
    """The same bits as another type."""
    source = value.dtype
    if source.is_ptr() or dtype.is_ptr():
        return cast(value, dtype)
    if source.primitive_bitwidth != dtype.primitive_bitwidth:
        raise ValueError(
            f"a bitcast keeps the number of bits: {source} has {source.primitive_bitwidth}, {dtype} has "
            f"{dtype.primitive_bitwidth}"
        )
    bits = np.asarray(formats.encode(value.data, source), order="C").view(formats.storage_type(dtype))
    return make(formats.decode(bits, dtype).reshape(value.shape), dtype)


def convert_to(value, dtype):
    """The implicit conversion to the element type of a place."""
    value = plain(value)
    if is_number(value) and not dtype.is_ptr():
        return constant(value, dtype)
    return cast(to_tensor(value), dtype)


# ---- Shapes ----


def common_shape(*shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        texts = " and ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"the shapes {texts} do not agree: sizes must be equal or 1") from None


def broadcast_with_rank(value, shape):
    """Leading dimensions are added where the rank is lower; dimensions of size 1 grow."""
    if value.shape == tuple(shape):
        return value
    if common_shape(value.shape, shape) != tuple(shape):
        raise ValueError(f"{describe(value)} cannot be broadcast to {list(shape)}")
    return make(np.broadcast_to(value.data, shape), value.dtype)


def axis_of(axis, rank, what):
    axis = integer(axis, "the axis")
    if not -rank <= axis < rank:
        raise ValueError(f"the axis {axis} of `{what}` is out of range for rank {rank}")
    return axis % rank


# ---- Promotion ----


def _promote_tensors(left, right, operator_class):
    names = {left.name, right.name}
    if "fp64" in names:
        return types.float64
    if "fp32" in names:
        return types.float32
    if "fp16" in names:
        return types.float32 if operator_class == DIVISION else types.float16
    if "bf16" in names:
        return types.bfloat16 if left == right and operator_class != DIVISION else types.float32
    if left.is_fp8() and right.is_fp8():
        return left if left == right else types.float16
    if left.is_fp8() or right.is_fp8():
        raise TypeError(f"{left} and {right} have no common type: convert the 8-bit float first")
    if left.is_int_unsigned() == right.is_int_unsigned():
        return left if left.primitive_bitwidth >= right.primitive_bitwidth else right
    if operator_class == DIVISION:
        raise TypeError(f"{left} and {right} differ in signedness: a division needs operands of one")
    unsigned, signed = (left, right) if left.is_int_unsigned() else (right, left)
    return unsigned if unsigned.primitive_bitwidth >= signed.primitive_bitwidth else signed


def _check_number(number, dtype):
    if not dtype.is_int() or isinstance(number, float):
        return
    if number < 0 and dtype.is_int_unsigned():
        raise ValueError(f"the negative number {number} meets {dtype}, which is unsigned")
    if not dtype.get_int_min_value() <= number <= dtype.get_int_max_value():
        raise ValueError(f"the number {number} is out of range for {dtype}")


def _promoted(left, right, operator_class):
    """The common type of two operands."""
    numbers = [operand for operand in (left, right) if is_number(operand)]
    dtypes = [natural_type(operand) if is_number(operand) else operand.dtype for operand in (left, right)]
    if len(numbers) != 1:
        return _promote_tensors(*dtypes, operator_class)
    (number,) = numbers
    dtype = dtypes[1] if is_number(left) else dtypes[0]
    if natural_type(number).kind().value > dtype.kind().value:
        result = _promote_tensors(*dtypes, operator_class)
    elif operator_class == DIVISION and dtype.name in ("fp16", "bf16"):
        result = types.float32
    else:
        result = dtype
    _check_number(number, result)
    return result


def operand(value, text):
    """An operand of the operator ``text``: a tensor of numbers or a number."""
    value = plain(value)
    if not isinstance(value, InterpretedTensor) and not is_number(value):
        raise TypeError(f"{describe(value)} is not an operand of `{text}`")
    if isinstance(value, InterpretedTensor) and value.dtype.is_ptr():
        raise TypeError(f"{describe(value)} is not an operand of `{text}`: cast the pointer to tl.int64 first")
    return value


def promote(left, right, operator_class, text):
    """Both operands in their common type and shape."""
    return promote_all([left, right], operator_class, text)


def promote_all(operands, operator_class, text):
    """Operands in their common type and shape. Numbers adapt to what the tensors among them promote to."""
    operands = [operand(value, text) for value in operands]
    first, *others = sorted(operands, key=is_number)
    dtype = natural_type(first) if is_number(first) else first.dtype
    for value in others:
        dtype = _promoted(constant(0, dtype), value, operator_class)
    shape = common_shape(*(value.shape for value in operands if not is_number(value)))
    bring = lambda value: cast(value, dtype) if not is_number(value) else constant(value, dtype, shape)
    return [broadcast_with_rank(bring(value), shape) for value in operands]
