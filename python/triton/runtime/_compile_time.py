"""Python functions that kernels call at compile time."""

import functools
import os
import sys
from enum import Enum
from types import FunctionType, ModuleType

from .. import _function_classes
from .._utils import cached_property, digest
from ._code_names import names_of_code
from ._kernel_interface import FunctionLike


def _text_of(fn):
    """What changes with a function: its source or, where there is none, its code."""
    from inspect import getsource

    try:
        return getsource(fn)
    except (OSError, TypeError):
        return repr(fn.__code__.co_code) + repr(fn.__code__.co_consts)


def _is_followed(fn, root):
    """Whether the texts of functions that ``root`` calls count: those of its own package, and those that are not of an
    installed one."""
    package = (fn.__module__ or "").partition(".")[0]
    if package == (root.__module__ or "").partition(".")[0]:
        return True
    is_installed = any(name in fn.__code__.co_filename for name in ("site-packages", "dist-packages", "<frozen"))
    return package != "triton" and package not in sys.stdlib_module_names and not is_installed


def _read_values(fn):
    """{name: value} of what the function reads from outside: captured values, globals, attributes of modules."""
    scope = {**fn.__globals__}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    found = {name: scope[name] for name in names_of_code(fn) if name in scope}
    attributes, codes = set(), [fn.__code__]
    while codes:
        code = codes.pop()
        attributes.update(code.co_names)
        codes.extend(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    for name, module in list(found.items()):
        if isinstance(module, ModuleType):
            members = {item: vars(module)[item] for item in attributes & vars(module).keys()}
            found.update({f"{name}.{item}": member for item, member in members.items()})
    return found


def _describe_read(value, root, seen):
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, FunctionType):
        return _text_with_reads(value, root, seen) if _is_followed(value, root) else value.__qualname__
    if isinstance(value, (list, tuple)):
        return str([_describe_read(item, root, seen) for item in value])
    if isinstance(value, (set, frozenset)):
        return str(sorted(_describe_read(item, root, seen) for item in value))
    if isinstance(value, dict):
        pairs = [(_describe_read(key, root, seen), _describe_read(item, root, seen)) for key, item in value.items()]
        return str(pairs)
    if isinstance(value, ConstexprFunction):
        return _describe_read(value.fn, root, seen)
    if type(value).__module__ == "numpy" and hasattr(value, "tobytes"):
        return f"{value.dtype} {value.shape} {digest(value.tobytes().hex())}"
    text = fingerprint(value)
    # What differs in every process says nothing about the next one.
    return f"a {type(value).__qualname__}" if not text or _PROCESS in text or " at 0x" in text else text


def _text_with_reads(fn, root=None, seen=None):
    """The text of a function, its defaults, and what it reads from outside, each function once."""
    root, seen = root or fn, set() if seen is None else seen
    if fn in seen:
        return fn.__qualname__
    seen.add(fn)
    given = (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values())
    reads = [f"{name} = {_describe_read(value, root, seen)}" for name, value in sorted(_read_values(fn).items())]
    defaults = [_describe_read(value, root, seen) for value in given]
    return "\n".join([_text_of(fn), *defaults, *reads])


def _plain(value):
    """The value of a constexpr; any other one unchanged. Grids call `triton.cdiv` in each launch, mostly with ints."""
    if type(value) is int:
        return value
    from ..language.constants import constexpr

    return value.value if isinstance(value, constexpr) else value


class ConstexprFunction(FunctionLike):
    """A Python function that kernels call at compile time, with compile-time arguments."""

    _sent_as = "constexpr function"

    def __init__(self, fn):
        self.fn = fn
        functools.update_wrapper(self, fn)

    @cached_property
    def fingerprint(self):
        """The source text, and what the function reads. A kernel that was compiled with another is not reused."""
        return _text_with_reads(self.fn)

    def _outside_names(self):
        return names_of_code(self.fn)

    def __get__(self, instance, owner):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, **kwargs):
        return self.fn(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})

    @property
    def src(self):
        """The text from ``def`` on."""
        from textwrap import dedent

        text = dedent(_text_of(self.fn))
        return text[max(text.find("def "), 0) :]


class BoundConstexprFunction:
    """A `ConstexprFunction` as a method of a value."""

    def __init__(self, instance, fn):
        self.__self__, self.__func__ = instance, fn

    @property
    def cache_key(self):
        return self.__func__.fingerprint

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn):
    """Lets kernels call a Python function at compile time."""
    return ConstexprFunction(fn)


_function_classes.ConstexprFunction, _function_classes.constexpr_function = ConstexprFunction, constexpr_function


class _CallsAtCompileTime:
    """What functions of the language do that a Python function calls at compile time."""

    @staticmethod
    def call(function, args, kwargs):
        from ..language import core
        from ..language._runtime_values import describe_extern_call

        if function is core.extern_elementwise:
            return describe_extern_call(*args, **kwargs)
        return function.__wrapped__(*args, **kwargs)


def _as_marked_functions_get(value):
    from ..language.constants import as_constant
    from ..language.dtypes import dtype
    from ..language.types import tuple as language_tuple

    if isinstance(value, (dtype, FunctionLike)):
        return value
    if isinstance(value, tuple):
        elements = map(_as_marked_functions_get, value)
        return type(value)(*elements) if hasattr(value, "_fields") else language_tuple(elements)
    return as_constant(value)


class MarkedFunction(ConstexprFunction):
    """A Python function with the attribute `__triton_builtin__`. It runs at compile time and gets constants as
    `tl.constexpr`, also in tuples, but dtypes and functions as they are, unless the name of a `tl.constexpr` gives
    the dtype (one in a module that the kernel names comes as it is); a dtype is its own `value`. Of a value
    that exists at run time it sees the type. It may return the value, or a call of a library's function with it
    (`extern_elementwise`)."""

    def __init__(self, fn):
        from inspect import signature

        super().__init__(fn)
        takes_semantic = "_semantic" in signature(fn).parameters
        marked = self.fn

        def call(*args, **kwargs):
            from ..language._kernel_only import interpreter, set_interpreter

            keywords = {name: _as_marked_functions_get(value) for name, value in kwargs.items()}
            if takes_semantic:
                keywords["_semantic"] = None
            before = interpreter()
            set_interpreter(_CallsAtCompileTime)
            try:
                return marked(*map(_as_marked_functions_get, args), **keywords)
            finally:
                set_interpreter(before)

        self._marked, self.fn = marked, call

    @cached_property
    def fingerprint(self):
        """The source text, with that of the functions which a decorator has wrapped."""
        return _text_with_reads(self._marked)


class LimitsFunction(ConstexprFunction):
    """`torch.finfo` or `torch.iinfo`: takes a type as kernels have it, and returns the limits as a named tuple."""

    _FIELDS = ("bits", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, info):
        from collections import namedtuple

        import torch

        def limits(dtype):
            found = info(getattr(torch, repr(dtype).rpartition(".")[2]))
            named = {name: getattr(found, name) for name in self._FIELDS if hasattr(found, name)}
            return namedtuple(info.__name__, named)(**named)

        super().__init__(limits)
        self.__name__ = info.__name__


class ConstantCall(ConstexprFunction):
    """A class, or a method of a value, that a kernel has as a constant. The value's own fingerprint says what changes
    with it."""

    fingerprint = ""


#: Distinguishes values that have no text from those of other processes.
_PROCESS = os.urandom(8).hex()


def _text_of_code(code):
    constants = [_text_of_code(item) if hasattr(item, "co_code") else repr(item) for item in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {constants}"


@functools.cache
def _text_of_class(kind):
    """What the class is called, and what its methods do."""
    methods = [getattr(getattr(item, "__func__", item), "__code__", None) for item in vars(kind).values()]
    bases = [_text_of_class(base) for base in kind.__bases__ if base is not object]
    return f"{kind.__module__}.{kind.__qualname__}: {[_text_of_code(code) for code in methods if code]} {bases}"


def _members_of(value, seen):
    """The fingerprints of the attributes that an object has itself."""
    if id(value) in seen:
        return "itself"
    seen = {*seen, id(value)}
    return {
        name: _fingerprint(member, seen)
        for name, member in sorted(getattr(value, "__dict__", {}).items())
        if not name.startswith("__")
    }


def _fingerprint(value, seen):
    if isinstance(value, type):
        plain = (bool, int, float, str, tuple, frozenset, Enum)
        values = [repr(item) for item in vars(value).values() if isinstance(item, plain)]
        return f"{_text_of_class(value)} {values}"
    if isinstance(getattr(value, "cache_key", None), str):  # a function for kernels
        return value.cache_key
    kind = type(value)
    text = repr(value) if kind.__repr__ is not object.__repr__ else ""
    members = _members_of(value, seen)
    return f"{text} {members or '' if text or members else (_PROCESS, id(value))} of {_text_of_class(kind)}"


def fingerprint(value):
    """What distinguishes a value from unequal ones, also in another process. None for values that can change,
    which are not hashable, for arrays, and for values that fail when they are asked."""
    try:
        hash(value)
        is_array = any(hasattr(value, name) for name in ("__dlpack__", "__array_interface__", "data_ptr"))
        return None if is_array else _fingerprint(value, frozenset())
    except Exception:
        return None


_function_classes.ConstantCall, _function_classes.MarkedFunction = ConstantCall, MarkedFunction
_function_classes.fingerprint = fingerprint
