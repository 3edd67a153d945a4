"""The classes that annotations of kernels use, and the types in signatures."""

import builtins
from enum import Enum

from ._kernel_only import interpreter
from .constants import constexpr, constexpr_type
from .dtypes import SIGNATURE_TYPES, block_type, pointer_type, tuple_type
from .methods import tensor, tensor_descriptor

__all__ = [
    "CONSTEXPR_0",
    "PropagateNan",
    "condition",
    "const",
    "constexpr",
    "constexpr_type",
    "range",
    "slice",
    "static_range",
    "str_to_ty",
    "tensor",
    "tensor_descriptor",
    "tensor_descriptor_type",
    "tuple",
]

# A default value in functions that authors of kernels copy from Triton's own library.
CONSTEXPR_0 = constexpr(0)


class PropagateNan(Enum):
    """Whether ``minimum``, ``maximum`` and ``clamp`` return NaN if an operand is NaN."""

    NONE = 0
    ALL = 0xFFFF


class const:
    """Annotates a parameter as a pointer to read-only memory."""


class tensor_descriptor_type:
    """The type of tensor descriptors."""

    def __init__(self, block_type, shape_type=None, strides_type=None):
        self.block_type = block_type
        self.shape_type = shape_type
        self.strides_type = strides_type


class tuple(builtins.tuple):
    """A tuple of values in a kernel."""

    def __new__(cls, args=()):
        return super().__new__(cls, args)


class slice:
    """A slice of a tuple in a kernel."""

    def __init__(self, start, stop=None, step=None):
        self.start, self.stop, self.step = start, stop, step


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
