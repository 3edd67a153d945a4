"""Compile-time values, and the classes that annotations of kernels name."""

import builtins
from enum import Enum

from ._kernel_only import kernel_only
from .dtypes import dtype
from .methods import TensorMethods

__all__ = [
    "PropagateNan",
    "condition",
    "const",
    "constexpr",
    "constexpr_type",
    "range",
    "slice",
    "static_range",
    "tensor",
    "tensor_descriptor",
    "tensor_descriptor_type",
    "tuple",
]


class PropagateNan(Enum):
    """Whether a NaN operand of ``minimum`` and the like reaches the result."""

    NONE = 0
    ALL = 0xFFFF


class const:
    """Annotates a parameter as a pointer to read-only memory."""


class tensor(TensorMethods):
    """A value that a kernel computes: a scalar or a block. Exists inside kernels only."""

    def __init__(self, *args, **kwargs):
        raise kernel_only("tl.tensor")


class tensor_descriptor:
    """A strided array in memory, accessed in blocks. Made by ``tl.make_tensor_descriptor`` inside kernels."""

    def __init__(self, *args, **kwargs):
        raise kernel_only("tl.tensor_descriptor")


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
        raise RuntimeError("`tl.range` can only be iterated inside a @triton.jit kernel")


class static_range:
    """A loop iterator whose body is compiled once for each value; the index is known at compile time."""

    def __init__(self, arg1, arg2=None, step=None):
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step

    def __iter__(self):
        raise RuntimeError("`tl.static_range` can only be iterated inside a @triton.jit kernel")


class condition:
    """The condition of a ``while`` loop with hints for the compiler."""

    def __init__(self, arg1, disable_licm=False):
        self.condition, self.disable_licm = arg1, disable_licm


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


class constexpr:
    """A value known at compile time. Operators apply to the values and give another one."""

    def __init__(self, value):
        self.value = _plain(value)

    @property
    def type(self):
        return constexpr_type(self.value)

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __iter__(self):
        return map(constexpr, self.value)

    def __len__(self):
        return len(self.value)

    def __getitem__(self, *args):
        return self.value.__getitem__(*(_plain(arg) for arg in args))

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __neg__(self):
        return constexpr(-self.value)

    def __pos__(self):
        return constexpr(+self.value)

    def __invert__(self):
        return constexpr(~self.value)

    def logical_and(self, other):
        return constexpr(self.value and _plain(other))

    def logical_or(self, other):
        return constexpr(self.value or _plain(other))

    def not_(self):
        return constexpr(not self.value)


def _folded(operation):
    return lambda self, other: constexpr(operation(self.value, _plain(other)))


def _reflected(operation):
    return lambda self, other: constexpr(operation(_plain(other), self.value))


def _add_operators():
    import operator

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        setattr(constexpr, f"__{name}__", _folded(getattr(operator, name)))
        setattr(constexpr, f"__r{name}__", _reflected(getattr(operator, name)))
    for name in ("lshift", "rshift", "and_", "or_", "xor"):
        setattr(constexpr, f"__{name.rstrip('_')}__", _folded(getattr(operator, name)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(constexpr, f"__{name}__", _folded(getattr(operator, name)))


_add_operators()


class constexpr_type(dtype):
    """The type of a compile-time value: the value itself."""

    def __init__(self, value):
        self.value = _plain(value)
        self.name = f"constexpr[{self.value}]"

    def mangle(self):
        return f"c{self.value!r}"

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)
