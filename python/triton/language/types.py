"""The classes that annotations of kernels use, and the types in signatures."""

import builtins
from enum import Enum

from .. import _utils
from .._utils import must_use_result
from ._bases import base_type, base_value
from ._kernel_only import TRITON_BUILTIN, builtin, interpreter, is_builtin, kernel_only
from .constants import constexpr, constexpr_type
from .dtypes import SIGNATURE_TYPES, block_type, dtype, pointer_type, tuple_type
from .methods import tensor, tensor_descriptor

__all__ = [
    "CONSTEXPR_0",
    "PropagateNan",
    "TRITON_BUILTIN",
    "base_type",
    "base_value",
    "binary_op_type_legalization",
    "builtin_max",
    "builtin_min",
    "check_bit_width",
    "condition",
    "const",
    "constexpr",
    "constexpr_type",
    "dispatch",
    "extern",
    "get_primitive_bitwidth",
    "is_builtin",
    "is_negative_zero",
    "item",
    "must_use_result",
    "range",
    "slice",
    "slice_type",
    "static_range",
    "str_to_ty",
    "tensor",
    "tensor_descriptor",
    "tensor_descriptor_base",
    "tensor_descriptor_base_type",
    "tensor_descriptor_type",
    "tuple",
]

# A default value in functions that authors of kernels copy from Triton's own library.
CONSTEXPR_0 = constexpr(0)
base_value.register(tensor)


class PropagateNan(Enum):
    """Whether ``minimum``, ``maximum`` and ``clamp`` return NaN if an operand is NaN."""

    NONE = 0
    ALL = 0xFFFF


class const:
    """Annotates a parameter as a pointer to read-only memory."""


tensor_descriptor_base = tensor_descriptor
base_value.register(tensor_descriptor)


class tensor_descriptor_base_type(base_type):
    """The type of tensor descriptors, by the block that they move."""

    def __init__(self, block_type):
        self.block_type = block_type

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash(self.block_type)

    def __str__(self):
        return f"tensor_descriptor<{self.block_type}>"

    def mangle(self):
        return f"TD{self.block_type.mangle()}"


class tensor_descriptor_type(tensor_descriptor_base_type):
    """The type of tensor descriptors that are made in kernels."""

    def __init__(self, block_type, shape_type=None, strides_type=None):
        super().__init__(block_type)
        self.shape_type = shape_type
        self.strides_type = strides_type

    __hash__ = tensor_descriptor_base_type.__hash__


class tuple(builtins.tuple):
    """A tuple of values in a kernel."""

    def __new__(cls, args=(), type=None):
        self = super().__new__(cls, args)
        self.type = type
        return self

    @property
    def values(self):
        """The elements, as a list."""
        return list(self)


base_value.register(tuple)


def _unwrap_if_constexpr(value):
    """The value that a `tl.constexpr` holds, or each element of a tuple or list; others as they are."""
    if isinstance(value, list):
        return list(map(_unwrap_if_constexpr, value))
    if isinstance(value, builtins.tuple):
        elements = map(_unwrap_if_constexpr, value)
        return type(value)(*elements) if hasattr(value, "_fields") else type(value)(elements)
    return value.value if isinstance(value, constexpr) else value


class slice(base_value):
    """A slice of a tuple in a kernel."""

    def __init__(self, start, stop=None, step=None):
        self.start, self.stop, self.step = start, stop, step

    @property
    def type(self):
        return slice_type()


class slice_type(dtype):
    """The type of slices."""

    def __init__(self):
        self.name = "slice_type"


def _indices(loop, name):
    if interpreter() is None:
        raise RuntimeError(f"`{name}` can only be iterated inside a @triton.jit kernel")
    return interpreter().iterate(loop)


class range:
    """A loop iterator with hints for the compiler: pipeline depth, unroll count, and so on."""

    def __init__(
        self,
        arg1,
        arg2=None,
        step=None,
        num_stages=None,
        loop_unroll_factor=None,
        disallow_acc_multi_buffer=False,
        flatten=False,
        warp_specialize=False,
        disable_licm=False,
    ):
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step
        self.num_stages = num_stages
        self.loop_unroll_factor = loop_unroll_factor
        self.disallow_acc_multi_buffer = disallow_acc_multi_buffer
        self.flatten = flatten
        self.warp_specialize = warp_specialize
        self.disable_licm = disable_licm

    def __iter__(self):
        return _indices(self, "tl.range")


class static_range:
    """A loop iterator whose body is compiled once for each value; the index is known at compile time."""

    def __init__(self, arg1, arg2=None, step=None):
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step

    def __iter__(self):
        return _indices(self, "tl.static_range")


class condition:
    """The condition of a ``while`` loop with hints for the compiler."""

    def __init__(self, arg1, disable_licm=False):
        self.condition, self.disable_licm = arg1, disable_licm

    def __bool__(self):
        return bool(self.condition)


def str_to_ty(name, c=None):
    """The type for its text in a signature: ``"i32"``, ``"*fp16"``, ``"*ki8"``, ``"tensordesc<fp16[16, 64]>"``."""
    if isinstance(name, builtins.tuple):
        types = [str_to_ty(element, c) for element in name]
        return tuple_type(types, getattr(name, "_fields", None))
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(str_to_ty(name[2 if const else 1 :], c), const=const)
    if name == "constexpr":
        return constexpr_type(constexpr(None))
    if name.startswith("tensordesc<"):
        element, block = name.removeprefix("tensordesc<").split("[")
        shape = [int(extent) for extent in block.split("]")[0].split(",")]
        return tensor_descriptor_type(block_type(str_to_ty(element, c), shape))
    return SIGNATURE_TYPES[name]


# What programs outside of kernels import from `triton.language.core`.
builtin_max, builtin_min = builtins.max, builtins.min
extern = builtin


def get_primitive_bitwidth(dtype):
    """The width of a type by its name in signatures, such as ``"fp16"``."""
    return _utils.get_primitive_bitwidth(dtype)


def is_negative_zero(x):
    """Whether a number is the zero of negative sign."""
    return x == 0.0 and str(x).startswith("-")


def check_bit_width(value, shift_value):
    """Raises ValueError when a value is shifted by all its bits or more."""
    if isinstance(shift_value, constexpr):
        bits = value.type.scalar.primitive_bitwidth
        if shift_value.value >= bits:
            raise ValueError(f"a value of {bits} bits cannot be shifted by {shift_value.value}")


def binary_op_type_legalization(lhs, rhs, semantic):
    """The operands in their common type, as ``semantic`` decides it."""
    return semantic.binary_op_type_checking_impl(lhs, rhs)


@builtin
def item(input):
    """The element of a tensor that has only one."""
    raise kernel_only("tl.core.item")


@builtin
def dispatch(func, lib_name, lib_path, args, arg_type_symbol_dict, ret_type, is_pure):
    """Calls a function of a library of LLVM IR."""
    raise kernel_only("tl.core.dispatch")
