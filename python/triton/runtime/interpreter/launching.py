"""Launches of interpreted kernels."""

import contextlib
import dataclasses
import functools
import inspect
import linecache
import operator
import os
import pathlib
import traceback
import types as types_module
import weakref
from collections.abc import Callable

from ... import _C, knobs
from ..._utils import cached_property
from ...compiler.compiler import LazyDict
from ...errors import TritonError
from ...language import _kernel_only, str_to_ty
from ...language import dtypes as types
from ...tools.tensor_descriptor import TensorDescriptor
from .. import _simulation
from .._arguments import TensorWrapper
from .._compile_time import ConstexprFunction
from .._kernel_interface import FunctionLike, KernelInterface, KernelParam, parameter_names
from ..errors import InterpreterError
from .accesses import InterpretedDescriptor, TensorDescHandle
from .execution import InterpreterBuilder, InterpreterOptions
from .rewriting import KERNEL_FILES, rewritten
from .values import constant, make, natural_type, plain

_OPTION_NAMES = {field.name for field in dataclasses.fields(InterpreterOptions)}
_OWN_FILES = str(pathlib.Path(__file__).parent) + os.sep
_LIBRARY_FILES = (_OWN_FILES, str(pathlib.Path(__file__).parents[2]) + os.sep)


_INTERPRETED = weakref.WeakKeyDictionary()


class GridExecutor:
    """Runs a kernel for every program of a grid, one after the other."""

    builder_class = InterpreterBuilder

    def __init__(self, fn, arg_names, grid, pre_run_hooks=(), params=None, options=None):
        self.fn, self.arg_names, self.grid, self.pre_run_hooks = fn, arg_names, grid, pre_run_hooks
        self.params = params or [None] * len(arg_names)
        self.options = options or {}

    def __call__(self, *args, **kwargs):
        options = {name: kwargs.pop(name) for name in list(kwargs) if name not in self.arg_names}
        self._check(args, kwargs, options)
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs, **options)
        debug = bool(options.pop("debug", None) or self.options.get("debug") or knobs.runtime.debug)
        bound = inspect.signature(self.fn).bind(*args, **kwargs)
        bound.apply_defaults()
        builder = self.builder_class(InterpreterOptions(**options, debug=debug))
        if make_program := self.options.get("make_program"):
            builder.gluon = make_program(builder)
        builder.set_grid_dim(*self._extents(bound.arguments))
        arguments = _Arguments(builder)
        parameters = bound.signature.parameters
        facts = {param.name: param for param in self.params if param is not None}
        for name, value in bound.arguments.items():
            if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(arguments.convert(item, None, name) for item in value)
            else:
                bound.arguments[name] = arguments.convert(value, facts.get(name), name)
        with self._hooks(builder, bound):
            self._run(builder, bound)
        arguments.copy_back()

    @contextlib.contextmanager
    def _hooks(self, builder, bound):
        """Calls the hooks of launches around one."""
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        if not enter and not leave:
            yield
            return
        data = LazyDict({"name": self.fn.__name__, "function": None, "stream": None})
        if own := self.options.get("launch_metadata"):
            metadata = types_module.SimpleNamespace(**vars(builder.options), name=self.fn.__name__, shared=0)
            data.add(own, (builder.grid_dim, metadata, dict(bound.arguments)))
        if enter:
            enter(data)
        yield
        if leave:
            leave(data)

    def _check(self, args, kwargs, options):
        """Reports arguments and options that do not fit the kernel."""
        for name in options:
            if name in ("device_type", "device", "stream"):
                raise AssertionError(f"`{name}` is not an option: kernels run on the current device")
            if name not in _OPTION_NAMES:
                raise KeyError(f"`{name}` is neither a parameter of the kernel nor an option")
        parameters = inspect.signature(self.fn).parameters.values()
        is_variadic = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
        if len(args) > len(self.arg_names) and not is_variadic:
            count = len(self.arg_names)
            raise TypeError(f"`{self.fn.__name__}` takes {count} arguments, but {len(args)} were given")
        for number, parameter in enumerate(parameters):
            if number < len(args) and parameter.name in kwargs:
                raise TypeError(f"the launch gives two values for the parameter `{parameter.name}`")
            is_given = number < len(args) or parameter.name in kwargs or parameter.kind is parameter.VAR_POSITIONAL
            if not is_given and parameter.default is parameter.empty:
                raise TypeError(f"the launch gives no value for the parameter `{parameter.name}`")

    def _extents(self, arguments):
        grid = self.grid(dict(arguments)) if isinstance(self.grid, Callable) else self.grid
        assert grid is not None, "a launch needs a grid"
        sizes = [_C.plain_number(plain(size)) for size in (grid if isinstance(grid, (tuple, list)) else (grid,))]
        for number, size in enumerate(sizes):
            if not hasattr(size, "__index__"):
                raise TypeError(f"the extents of a grid are integers, not `{type(size).__name__}`")
            sizes[number] = size = operator.index(size)
            if not 0 <= size < 2**31:
                raise ValueError(f"the extents of a grid are from 0 to 2147483647, not {size}")
        if not 1 <= len(sizes) <= 3:
            raise ValueError(f"a grid has one to three extents, not {len(sizes)}")
        return (*sizes, 1, 1)[:3]

    def _run(self, builder, bound):
        width, height, depth = builder.grid_dim
        with builder.running():
            for program in ((x, y, z) for x in range(width) for y in range(height) for z in range(depth)):
                builder.set_grid_idx(*program)
                try:
                    self._run_program(builder, bound)
                except TritonError:
                    raise
                except Exception as error:
                    if type(error).__module__ == "bdb":  # the debugger's user ends the program
                        raise
                    raise InterpreterError(_message(error, self.fn.__name__, program)) from error

    def _run_program(self, builder, bound):
        if builder.gluon is not None:
            builder.gluon.begin()
        self.fn(*bound.args, **bound.kwargs)


def _message(error, name, program):
    """What went wrong, the place in the kernel and the program."""
    frames = traceback.extract_tb(error.__traceback__)
    own = frames and frames[-1].filename.startswith(_LIBRARY_FILES)
    text = str(error) if own and str(error) else f"{type(error).__name__}: {error}"
    place = next((frame for frame in reversed(frames) if frame.filename in KERNEL_FILES), None)
    where = f"in program {program} of the kernel `{name}`"
    if place is None:
        return f"{text}\n{where}"
    column = getattr(place, "colno", None)
    line = linecache.getline(place.filename, place.lineno).rstrip()
    header = f"{place.filename}:{place.lineno}:{f'{column + 1}:' if column is not None else ''} error: {text}"
    excerpt = ["    " + line.lstrip()] if line else []
    if line and column is not None:
        is_one_line = place.end_lineno == place.lineno and place.end_colno
        marked = max(1, (place.end_colno if is_one_line else len(line)) - column)
        excerpt.append("    " + " " * (column - (len(line) - len(line.lstrip()))) + "^" + "~" * (marked - 1))
    return "\n".join([header, *excerpt, where])


class _Arguments:
    """The arguments of a launch as a kernel gets them."""

    def __init__(self, builder):
        self.memory, self.gluon = builder.memory, builder.gluon
        self.copies = {}
        for address, size, lives in _simulation._accessible:
            if lives:
                self.memory.add(address, size, "an array in accessible_memory")

    def convert(self, value, param, name, is_specialized=True):
        value = _C.plain_number(plain(value))
        if param is not None and param.is_constexpr:
            return value
        annotated = str_to_ty(param.annotation_type) if param is not None and param.annotation_type else None
        if isinstance(value, (bool, int, float)):
            is_specialized = is_specialized and not (param is not None and param.do_not_specialize)
            return self._number(value, annotated, name, is_specialized)
        if value is None or isinstance(value, (types.dtype, KernelInterface, ConstexprFunction)):
            return value
        if hasattr(type(value), "__triton_aggregate__"):
            return value
        if isinstance(value, tuple):
            is_specialized = is_specialized and not (param is not None and param.is_invariant)
            converted = [
                self.convert(item, None, f"{name}[{index}]", is_specialized) for index, item in enumerate(value)
            ]
            return type(value)(*converted) if hasattr(value, "_fields") else tuple(converted)
        if isinstance(value, TensorDescriptor):
            base = self._pointer(value.base, None, name)
            strides = [int(stride) for stride in value.strides]
            shape = [int(size) for size in value.shape]
            handle = TensorDescHandle(base, shape, strides, value.block_shape, value.padding, value.round_f32_to_tf32)
            return InterpretedDescriptor(handle) if self.gluon is None else self.gluon.descriptor(handle, value)
        if isinstance(value, (str, list, dict)):
            raise TypeError(
                f"the argument `{name}` is a `{type(value).__name__}`, which only a tl.constexpr parameter takes"
            )
        if annotated is not None and not annotated.is_ptr():
            raise TypeError(f"the argument `{name}` must be a number, not a `{type(value).__name__}`")
        return self._pointer(value, param, name)

    @staticmethod
    def _number(value, annotated, name, is_specialized):
        if annotated is not None and not annotated.is_ptr():
            if annotated.is_int() and isinstance(value, float):
                raise TypeError(f"the argument `{name}` must be an integer, not {value}")
            return constant(value, annotated)
        if isinstance(value, bool) or isinstance(value, float):
            return constant(value, types.int1 if isinstance(value, bool) else types.float32)
        if value == 1 and is_specialized:
            return value
        if not -(2**63) <= value < 2**64:
            raise OverflowError(f"the argument `{name}`, {value}, does not fit in 64 bits")
        dtype = natural_type(value)
        return constant(value, types.int64 if dtype == types.uint32 else dtype)

    def _pointer(self, array, param, name):
        host = self._on_host(array)
        try:
            address, element = _C.inspect_array(host)
        except TypeError as error:
            kind = type(array).__name__
            raise TypeError(
                f"the argument `{name}`, a `{kind}`, is not an array or number for a kernel: {error}"
            ) from None
        self.memory.add(*_simulation.memory_of(host), name, not _C.is_read_only_array(host))
        is_const = param is not None and param.is_const
        return make(address, types.pointer_type(str_to_ty(element), const=is_const))

    def _on_host(self, array):
        """The array itself, or a copy of the memory that it views if that is a device's."""
        base = array.base if isinstance(array, TensorWrapper) else array
        if getattr(getattr(base, "device", None), "type", "cpu") == "cpu" or not hasattr(base, "untyped_storage"):
            return array
        storage = base.untyped_storage()
        if storage.data_ptr() not in self.copies:
            self.copies[storage.data_ptr()] = storage, storage.cpu()
        copied = self.copies[storage.data_ptr()][1]
        view = base.new_empty(0, device="cpu").set_(copied, base.storage_offset(), base.size(), base.stride())
        return TensorWrapper(view, array.dtype) if isinstance(array, TensorWrapper) else view

    def copy_back(self):
        for storage, copied in self.copies.values():
            storage.copy_(copied)


class InterpretedFunction(KernelInterface):
    """A kernel that runs as a Python function on NumPy arrays: breakpoints and prints inside of it work."""

    _sent_as = "interpreted kernel"
    executor_class = GridExecutor

    def __init__(self, fn, **options):
        try:
            inspect.getsourcelines(fn)
        except (OSError, TypeError) as error:
            raise ValueError(f"`{fn.__qualname__}` has no source text that can be read: define it in a file") from error
        self.fn = fn
        functools.update_wrapper(self, fn)
        self.module = fn.__module__
        self.options = options
        self.signature = inspect.signature(fn)
        parameters = list(self.signature.parameters.values())
        self.invariant = bool(options.get("invariant"))
        chosen = range(len(parameters)) if self.invariant else options.get("do_not_specialize")
        fixed = parameter_names(chosen, parameters)
        self.params = [
            KernelParam(i, parameter, parameter.name in fixed, False, self.invariant)
            for i, parameter in enumerate(parameters)
        ]
        self.arg_names = [parameter.name for parameter in parameters]
        self.pre_run_hooks = []

    def _reduce_with_contents(self):
        return FunctionLike._reduce_with_contents(self)

    @classmethod
    def of(cls, kernel):
        """The interpreted form of a compiled kernel, which an interpreted one calls; of an interpreted one, itself."""
        if isinstance(kernel, cls):
            return kernel
        if kernel not in _INTERPRETED:
            rules = {"do_not_specialize": kernel.do_not_specialize, "invariant": kernel.invariant}
            rules["make_program"] = getattr(kernel, "make_program", None)
            _INTERPRETED[kernel] = cls(kernel.fn, **rules)
        return _INTERPRETED[kernel]

    @cached_property
    def rewritten(self):
        return rewritten(self.fn)

    def add_pre_run_hook(self, hook):
        """Calls ``hook(*args, **kwargs)`` before each launch."""
        self.pre_run_hooks.append(hook)

    def run(self, *args, grid, warmup, **kwargs):
        if warmup:
            return None
        facts = self.rewritten, self.arg_names, grid, self.pre_run_hooks, self.params, self.options
        return self.executor_class(*facts)(*args, **kwargs)

    def __call__(self, *args, **kwargs):
        if _kernel_only.interpreter() is None:
            raise RuntimeError(
                f"`{self.__name__}` is a kernel: launch it as `{self.__name__}[grid](...)`; a direct call works only "
                "inside another kernel"
            )
        return self.rewritten(*args, **kwargs)

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"InterpretedFunction({self.module}:{self.__qualname__})"
