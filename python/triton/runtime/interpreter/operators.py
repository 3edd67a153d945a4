"""The operators of tensors."""

import functools
import operator

import numpy as np

from ...language import dtypes as types
from . import formats
from .registry import by_launch, current
from .values import (
    ARITHMETIC,
    DIVISION,
    InterpretedTensor,
    broadcast_with_rank,
    cast,
    common_shape,
    describe,
    is_number,
    make,
    operand,
    plain,
    promote,
    to_tensor,
)

_NEEDS_INTEGERS = {"//", "&", "|", "^", "<<", ">>"}
_FOR_OVERFLOW = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def computed(data, dtype):
    """The result of an operation on the compute type of ``dtype``, rounded to it."""
    return make(formats.rounded(data, dtype) if dtype.is_bf16() or dtype.is_fp8() else data, dtype)


def _truncating_quotient(left, right):
    with np.errstate(divide="ignore", over="ignore"):
        return (left - np.fmod(left, right)) // right


def _shift_amount(right, width):
    """Shifts by the width or more are unspecified in kernels; in NumPy they are for signed types alone."""
    return np.where(right.astype(np.uint64) < width, right, 0), right.astype(np.uint64) < width


def _shift(left, right, text, is_signed):
    width = left.dtype.primitive_bitwidth
    amount, inside = _shift_amount(right.data, width)
    if text == "<<":
        return np.where(inside, np.left_shift(left.data, amount), 0)
    unsigned = np.dtype(f"uint{width}") if width > 1 else np.dtype(np.uint8)
    data = left.data.astype(unsigned.name[1:] if is_signed else unsigned)
    return np.where(inside, np.right_shift(data, amount.astype(data.dtype)), 0).astype(left.data.dtype)


def _compute(text, left, right):
    a, b = left.data, right.data
    if text == "+":
        return a ^ b if a.dtype == np.bool_ else a + b
    if text == "-":
        return a ^ b if a.dtype == np.bool_ else a - b
    if text == "*":
        return a & b if a.dtype == np.bool_ else a * b
    if text == "/":
        return a / b
    if text == "//":
        return a if a.dtype == np.bool_ else _truncating_quotient(a, b)
    if text == "%":
        return a & False if a.dtype == np.bool_ else np.fmod(a, b)
    return {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}[text](a, b)


def add_pointer(pointer, offset, text):
    offset = to_tensor(offset)
    if not offset.dtype.is_int():
        raise TypeError(f"a pointer moves by integers, not by {describe(offset)}")
    steps = offset.data.astype(np.int64) * _size_in_memory(pointer.dtype.element_ty)
    steps = (steps if text == "+" else -steps).astype(np.uint64)
    return make(pointer.data + steps, pointer.dtype)


def _size_in_memory(dtype):
    return formats.storage_type(dtype).itemsize


def _pointer_arithmetic(text, left, right):
    is_pointer = [isinstance(side, InterpretedTensor) and side.dtype.is_ptr() for side in (left, right)]
    if all(is_pointer):
        raise TypeError(f"`{text}` does not combine two pointers")
    if text == "+" or text == "-" and is_pointer[0]:
        common_shape(getattr(left, "shape", ()), getattr(right, "shape", ()))
        return add_pointer(left, right, text) if is_pointer[0] else add_pointer(right, left, text)
    raise TypeError(f"`{text}` does not take pointers: cast to tl.int64 first")


def check_overflow(text, left, right):
    """In debug mode, integer ``+ - *`` narrower than 64 bits must not wrap."""
    dtype = left.dtype
    if not current().checks_overflow or not dtype.is_int() or dtype.primitive_bitwidth in (1, 64):
        return
    exact = _FOR_OVERFLOW[text](left.data.astype(np.int64), right.data.astype(np.int64))
    if ((exact < dtype.get_int_min_value()) | (exact > dtype.get_int_max_value())).any():
        raise AssertionError(f"{dtype} overflow in `{text}`")


def binary(text, left, right, checks_overflow=True):
    """``left text right``, where at least one side is a tensor."""
    left, right = plain(left), plain(right)
    if any(isinstance(side, InterpretedTensor) and side.dtype.is_ptr() for side in (left, right)):
        return _pointer_arithmetic(text, left, right)
    signed_by = left if isinstance(left, InterpretedTensor) else right
    left, right = promote(left, right, DIVISION if text in ("/", "//", "%") else ARITHMETIC, text)
    if text in _NEEDS_INTEGERS and not left.dtype.is_int():
        raise TypeError(f"`{text}` needs integers, not {describe(left)}")
    if text in _FOR_OVERFLOW and checks_overflow:
        check_overflow(text, left, right)
    with np.errstate(all="ignore"):
        if text in ("<<", ">>"):
            is_signed = isinstance(signed_by, InterpretedTensor) and signed_by.dtype.is_int_signed()
            return make(_shift(left, right, text, is_signed), left.dtype)
        if text == "/" and left.dtype.is_int():
            left, right = cast(left, types.float32), cast(right, types.float32)
        return computed(_compute(text, left, right), left.dtype)


def compare(text, left, right):
    left, right = promote(left, right, ARITHMETIC, text)
    functions = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater}
    return make({**functions, ">=": np.greater_equal}[text](left.data, right.data), types.int1)


def unary(text, value):
    value = to_tensor(operand(value, text))
    with np.errstate(all="ignore"):
        if text == "-" and not value.dtype.is_floating():
            return value if value.dtype.is_bool() else make(np.negative(value.data), value.dtype)
        if text == "-":
            return computed(-value.data, value.dtype)
    if text == "~" and not value.dtype.is_int():
        raise TypeError(f"`~` needs integers, not {describe(value)}")
    return make(~value.data, value.dtype) if text == "~" else value


def _logical_operand(value, text):
    value = to_tensor(operand(value, text))
    if not value.dtype.is_bool():
        raise ValueError(f"`{text}` needs boolean operands, not {describe(value)}: compare with zero")
    return value


def logical(text, left, right):
    """``and`` and ``or`` of booleans, both evaluated."""
    left, right = _logical_operand(left, text), _logical_operand(right, text)
    shape = common_shape(left.shape, right.shape)
    left, right = broadcast_with_rank(left, shape), broadcast_with_rank(right, shape)
    return make(left.data & right.data if text == "and" else left.data | right.data, types.int1)


def negated(value):
    """``not value``."""
    value = plain(value)
    return make(~_logical_operand(value, "not").data, types.int1) if isinstance(value, InterpretedTensor) else not value


def _method(function, text, reflected=False):
    run = by_launch(text)(functools.partial(function, text))

    def method(self, other):
        other = plain(other)
        if not isinstance(other, InterpretedTensor) and not is_number(other):
            return NotImplemented
        return run(other, self) if reflected else run(self, other)

    return method


def _unsupported(text, instead):
    def method(self, *others):
        raise TypeError(f"`{text}` is not supported on tensors: use {instead}")

    return method


def _install():
    names = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|"}
    for name, text in {**names, "xor": "^", "lshift": "<<", "rshift": ">>"}.items():
        setattr(InterpretedTensor, f"__{name}__", _method(binary, text))
        setattr(InterpretedTensor, f"__r{name}__", _method(binary, text, reflected=True))
    for name, text in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        setattr(InterpretedTensor, f"__{name}__", _method(compare, text))
    for name, text in {"neg": "-", "invert": "~", "pos": "+"}.items():
        setattr(InterpretedTensor, f"__{name}__", by_launch(text)(functools.partial(unary, text)))
    for name, text, instead in (("pow", "**", "`tl.exp2(y * tl.log2(x))`"), ("matmul", "@", "`tl.dot`")):
        setattr(InterpretedTensor, f"__{name}__", _unsupported(text, instead))
        setattr(InterpretedTensor, f"__r{name}__", _unsupported(text, instead))


_install()
