"""Small functions on nested tuples, on names of types, and on shapes.

The items of nested tuples and lists have places: paths of indices such as (1, 0).
"""

import functools
import os
import sys
import warnings

from ._C import canonical_type

TRITON_MAX_TENSOR_NUMEL = 1048576
#: What settings are switched off by, beside nothing.
WORDS_FOR_OFF = ("0", "n", "off", "no", "false")


def get_iterable_path(iterable, path):
    """The item at ``path``."""
    return functools.reduce(lambda item, index: item[index], path, iterable)


def set_iterable_path(iterable, path, val):
    """Replaces the item at ``path``, whose container must be a list."""
    get_iterable_path(iterable, path[:-1])[path[-1]] = val


def is_iterable(x):
    return isinstance(x, (tuple, list))


def is_namedtuple(val):
    """Whether it is a class of named tuples, or one of their values."""
    cls = val if isinstance(val, type) else type(val)
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def apply_with_path(value, fn, _path=None):
    """Calls ``fn(path, item)`` for each item that is not a tuple or list."""
    path = _path or ()
    if is_iterable(value):
        for index, item in enumerate(value):
            apply_with_path(item, fn, (*path, index))
    else:
        fn(path, value)


def find_paths_if(iterable, pred):
    """The paths of the items that are not a tuple or list and for which ``pred(path, item)`` is true."""
    found = []
    apply_with_path(iterable, lambda path, item: found.append(path) if pred(path, item) else None)
    return found


def is_power_of_two(x):
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape):
    """The number of elements of a block. Raises an error where a kernel would report the shape."""
    numel = 1
    for index, size in enumerate(shape):
        if not hasattr(size, "__index__"):
            raise TypeError(f"dimension {index} of a shape must be an int, not {type(size).__name__}")
        if size <= 0 or size & (size - 1):
            raise ValueError(f"dimension {index} of a shape must be a power of two, not {size}")
        numel *= size
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"a block of {numel} elements is too large: it may have at most {TRITON_MAX_TENSOR_NUMEL}")
    return numel


_LONG_NAMES = (
    "bool int1 uint1 i1 float8e4nv float8e5 float8e4b15 float8_e4m3fn float8e4b8 float8_e4m3fnuz float8_e5m2 "
    "float8e5b16 float8_e5m2fnuz half float16 bfloat16 float float32 double float64 int8 int16 int int32 int64 "
    "uint8 uint16 uint32 uint64"
).split()
_SIGNATURE_NAMES = (
    "u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e4nv fp8e5 fp8e4b15 fp8e4b8 fp8e5b16 fp16 bf16 fp32 fp64 void".split()
)
_SIGNATURE_BITS = {"i1": 1, "void": 0} | {
    name: 8 if name.startswith("fp8") else int(name.lstrip("uifpb")) for name in _SIGNATURE_NAMES if name != "void"
}
#: Every name of an element type, and the one that signatures have for it.
type_canonicalisation_dict = {
    **{name: canonical_type({"uint1": "int1"}.get(name, name), 0, False) or "u1" for name in _LONG_NAMES},
    **{name: name for name in _SIGNATURE_NAMES},
}
for _name in ("bool", "int1", "uint1", "i1"):
    type_canonicalisation_dict[_name] = "u1"
#: The width of an element type, by any of its names.
BITWIDTH_DICT = {
    **_SIGNATURE_BITS,
    **{name: _SIGNATURE_BITS[type_canonicalisation_dict[name]] for name in type_canonicalisation_dict},
}


def canonicalize_dtype(dtype):
    """The signature's name of a type of this package, of NumPy, PyTorch or JAX, or of its text."""
    return type_canonicalisation_dict[str(dtype).rsplit(".", 1)[-1]]


def canonicalize_ptr_dtype(dtype, is_const):
    return f"*{'k' if is_const else ''}{canonicalize_dtype(dtype)}"


def get_primitive_bitwidth(dtype):
    return BITWIDTH_DICT[dtype]


def must_use_result(x, s=True):
    """Marks a kernel function whose result a caller must not drop. ``x`` may be the message."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x


class cached_property:
    """An attribute that is computed when it is first read. That of `functools` holds a lock meanwhile before Python
    3.12; the child of a fork would wait for it forever if another thread of the parent held it."""

    def __init__(self, function):
        self._function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._function(instance))


def digest(text):
    """The SHA-256 of a text in hexadecimal digits."""
    import hashlib  # loads OpenSSL, which importing the package does not

    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def read_json(text):
    """The value that a text is. ValueError also for one that is nested too deep, which is damaged as others are."""
    import json

    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deep") from error


@functools.cache
def warn_once(message, category=UserWarning):
    """Shows a warning the first time that it is asked for, at the line outside of this package that led to it."""
    folder, level, frame = os.path.dirname(__file__) + os.sep, 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folder):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
