"""Values known at compile time."""

import operator

from ._bases import base_value
from .dtypes import dtype

__all__ = ["constexpr", "constexpr_type"]


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


class constexpr(base_value):
    """A value known at compile time. Operators apply to the values and give another one."""

    def __init__(self, value):
        self.value = _plain(value)

    @property
    def type(self):
        return constexpr_type(self.value)

    def __index__(self):
        return operator.index(self.value)

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

    def __getattr__(self, name):
        """The attributes of the value, which compiled kernels know, too."""
        if name.startswith("_") or "value" not in vars(self):  # which is so while the object is copied
            raise AttributeError(f"'constexpr' object has no attribute {name!r}")
        return getattr(self.value, name)

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


def as_constant(value):
    """A constant as a Python function gets it that kernels call. A value that exists at run time is none."""
    return value if isinstance(value, base_value) else constexpr(value)


def _folded(operation):
    def fold(self, other):
        # A value of an interpreted kernel has operators of its own.
        return NotImplemented if hasattr(other, "handle") else constexpr(operation(self.value, _plain(other)))

    return fold


def _reflected(operation):
    return lambda self, other: constexpr(operation(_plain(other), self.value))


def _add_operators():
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
