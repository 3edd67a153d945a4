"""`triton.jit`: the Python side of kernels. The extension module launches them. This module decorates functions and
compiles each variant when it is first launched."""

import atexit
import collections
import copy
import functools
from collections import namedtuple
from types import FunctionType

from .. import _C, _function_classes, knobs
from .._utils import find_paths_if, get_iterable_path, type_canonicalisation_dict  # noqa: F401
from . import _forks
from ._arguments import MockTensor, TensorWrapper, reinterpret  # noqa: F401
from ._code_names import convert_to_tuple_if_list, get_def_col_number, get_def_line_number, names_of_code  # noqa: F401
from ._compile_time import (  # noqa: F401
    BoundConstexprFunction,
    ConstexprFunction,
    MarkedFunction,
    constexpr_function,
)
from ._kernel_interface import FunctionLike, KernelInterface, KernelParam, parameter_names
from ._kernel_source import KernelSource
from ._specialization import create_function_from_signature
from ._specialization import specialize as _specialize
from ._specialization_data import deserialize_specialization_data, serialize_specialization_data

JitFunctionInfo = namedtuple("JitFunctionInfo", ["module", "name", "jit_function"])


def __getattr__(name):
    if name == "T":  # for annotations of programs: `KernelInterface[T]`
        from typing import TypeVar  # late, because loading it takes longer than the rest of this module

        return globals().setdefault("T", TypeVar("T"))
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


# Imported at the first launch, since programs that only decorate functions need none of it; a statement in a function
# would look for the module each time.
@functools.cache
def _driver():
    from ..backends.active import driver

    return driver


@functools.cache
def _compiler():
    from ..compiler import compiler

    return compiler


@functools.cache
def _misses():
    from . import _misses

    return _misses


class _DeviceCaches(collections.defaultdict):
    """What `create_binder` makes for each device; first the compiled kernels by key. When this is cleared, the launcher
    forgets them too."""

    def __init__(self, create_binder, forget):
        super().__init__(create_binder)
        self._forget = forget

    def __missing__(self, device):
        # Devices of one target share their variants: each loads those that are launched on it.
        return self.setdefault(device, self.default_factory() if device == 0 else self[0])

    def __getitem__(self, device):
        entry = super().__getitem__(device)
        if entry[2] != _driver().active.launch_target():
            entry = self[device] = self.default_factory()
        return entry

    def clear(self):
        super().clear()
        self._forget()


def _revive(cls, state):
    """A JITFunction from another process. It has no Python function, so that it describes compiled kernels but cannot
    be compiled."""
    function = cls.__new__(cls)
    function.__dict__.update(
        state, pre_run_hooks=[], _updated_names=set(), _pending={}, _preloaded={}, _classes={}, _generic={}
    )
    function.device_caches = _DeviceCaches(function.create_binder, function._forget)
    function._configure(function.__name__, [parameter.facts() for parameter in function.params], function.pre_run_hooks)
    return function


class _ReplaceableRun(type):
    """Kernels are launched by the extension module, which does not look for `run`. Tools replace that function, to see
    launches; from then on kernels of the class are launched through it."""

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        if name == "run":
            cls._route_launches()

    def __delattr__(cls, name):
        super().__delattr__(name)
        if name == "run":
            cls._route_launches()

    def _route_launches(cls):
        ours, own = KernelInterface.__getitem__, cls.__dict__.get("__getitem__")
        if own is None and cls.run is not _C.JITFunctionBase.run:
            type.__setattr__(cls, "__getitem__", ours)
        elif own is ours and cls.run is _C.JITFunctionBase.run:
            type.__delattr__(cls, "__getitem__")
        elif own not in (None, ours) and cls.run is not _C.JITFunctionBase.run:
            # It may call that of the base.
            type.__setattr__(JITFunction, "__getitem__", JITFunction.__dict__.get("__getitem__", ours))


class JITFunction(_C.JITFunctionBase, KernelSource, KernelInterface, metaclass=_ReplaceableRun):
    """A kernel. Launch it as ``kernel[grid](*arguments, **keywords)``; other kernels call it by its name."""

    _sent_as = "kernel"

    #: Attributes that exist in one process only.
    _LOCAL = (
        "fn",
        "__globals__",
        "pre_run_hooks",
        "device_caches",
        "launch_metadata",
        "_repr",
        "_used_global_vals",
        "_pending",
        "_preloaded",
        "_classes",
        "_generic",
        "ASTSource",
        "CompiledKernel",
        "compile",
    )
    _used_global_vals = None
    kernel = None  # programs that ask for a compiled kernel find none here

    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
        invariant=False,
    ):
        self._read_source(fn)
        unspecialized = do_not_specialize, do_not_specialize_on_alignment
        self._set_up(fn, version, *unspecialized, debug, noinline, repr, launch_metadata, invariant)

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "run" in cls.__dict__:
            cls._route_launches()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        # Of this kernel alone: it gets a class of its own, which looks for `run`.
        if name == "run" and "__getitem__" not in type(self).__dict__:
            own_class = type(type(self))(type(self).__name__, (type(self),), {"__slots__": ()})
            own_class.__getitem__ = KernelInterface.__getitem__
            object.__setattr__(self, "__class__", own_class)

    def _set_up(
        self,
        fn,
        version,
        do_not_specialize,
        do_not_specialize_on_alignment,
        debug,
        noinline,
        repr,
        launch_metadata,
        invariant=False,
    ):
        from inspect import signature  # not needed by programs that only import the package

        self.fn = fn
        self.module = fn.__module__
        self.version = version
        self.debug = debug
        self.noinline = bool(noinline)
        self.launch_metadata = launch_metadata
        #: Whether one variant runs for all values and addresses, so that the bits of results do not depend on them.
        self.invariant = bool(invariant)
        if invariant:
            do_not_specialize = list(range(len(signature(fn).parameters)))
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self._repr = repr
        self._hash = None
        self.signature = signature(fn)
        parameters = list(self.signature.parameters.values())
        unspecialized = parameter_names(do_not_specialize, parameters)
        unaligned = parameter_names(do_not_specialize_on_alignment, parameters)
        self.params = [
            KernelParam(number, parameter, parameter.name in unspecialized, parameter.name in unaligned, self.invariant)
            for number, parameter in enumerate(parameters)
        ]
        self.arg_names = [parameter.name for parameter in self.params]
        self.constexprs = [parameter.num for parameter in self.params if parameter.is_constexpr]
        self.pre_run_hooks = []
        self.device_caches = _DeviceCaches(self.create_binder, self._forget)
        self._pending = {}  # FutureKernels by key, until they are first used
        self._preloaded = {}  # CompiledKernels by key, until they are first used
        self._classes = {}  # (source, options) of the variants that launches have, by key
        self._generic = {}  # CompiledKernels of `_fallback` by its key
        self._updated_names = set()
        for name in ("__doc__", "__name__", "__qualname__", "__module__"):
            setattr(self, name, getattr(fn, name))
        self.__globals__ = fn.__globals__
        self._configure(fn.__name__, [parameter.facts() for parameter in self.params], self.pre_run_hooks)

    def _forget(self):
        for known in (self._pending, self._preloaded, self._classes, self._generic):
            known.clear()
        self._reset()

    def _outside_names(self):
        """The names that the function's code reads from globals and from enclosing functions."""
        return self._find_outside_names()()

    def _find_outside_names(self):
        """What returns the `_outside_names`. It does not refer to the kernel, whose parsed source holds it."""
        return functools.partial(names_of_code, self.fn, self._updated_names)

    @property
    def type(self):
        from ..language.constants import constexpr

        return constexpr(self).type

    def is_gluon(self):
        return False

    @property
    def used_global_vals(self):
        """{(name, number of the globals): (value, globals)} of what the kernel was compiled with. A program that moves
        the function to another process may assign it."""
        if self._used_global_vals is not None:
            return self._used_global_vals
        return {(name, id(self.__globals__)): (value, self.__globals__) for name, value in self._captures()}

    @used_global_vals.setter
    def used_global_vals(self, value):
        self._used_global_vals = value

    @property
    def cache_key(self):
        """A text that changes with the source, its place, the called functions and the captured values."""
        if self._hash is None:
            self._hash = _C.source_hash(self)
        return self._hash

    @property
    def hash(self):
        """The `cache_key`, once a variant was compiled."""
        return self.cache_key if self._classes else self._hash

    @hash.setter
    def hash(self, value):
        self._hash = value

    def repr(self, _):
        """The name of the kernel for a specialization, an object with ``constants`` and ``signature``."""
        return self.__qualname__ if self._repr is None else self._repr(_)

    def add_pre_run_hook(self, hook):
        """Calls ``hook(*args, **kwargs)`` before each launch."""
        self.pre_run_hooks.append(hook)

    def get_capture_scope(self):
        from inspect import getclosurevars

        closure = getclosurevars(self.fn).nonlocals
        return {**self.__globals__, **closure}

    def explain(self, *args, grid=None, target=None, as_json=False, **options):
        """Why the kernel is as fast as it is, as `tritonc explain` says it, for a launch with these arguments: a text,
        or JSON. The target is a text such as ``"cuda:90"``; by default the one of launches. The kernel does not run,
        and the grid has no effect."""
        from ._inspection import explain

        return explain(self, args, options, target, as_json)

    def explore(self, *args, grid=None, target=None, open_browser=True, output=None, **options):
        """Opens the page of `tritonc explore` on a launch with these arguments, and returns its address. With
        ``output="page.html"`` it writes the page to this file instead. With a grid, and for a GPU, the page can
        simulate the launch, on copies of the arrays. A program that is not interactive waits in this call, until
        Ctrl-C; with ``open_browser=False`` it goes on, and the page lives as long as the program."""
        from ._inspection import explore

        return explore(self, args, options, target, grid, open_browser, output)

    def classes(self, *args, target=None, **declared):
        """All classes of launches whose arguments lie in declared ranges, as a `KernelClasses`: for each combination of
        types, divisibility by 16, equality to 1, constants and options, one variant. A parameter or option may be given

        - a range of integers, ``"1..65536"`` (both ends belong to it), ``"16..4096:16"`` (multiples of 16) or a
          ``range``; the name ``any`` stands for every integer of the parameter's type, by default of 32 bits,
        - a type of pointers, ``"*fp32:16"`` for arrays at multiples of 16 bytes, ``"*fp32"`` for all arrays,
        - a list or set of alternatives, ``BLOCK=[64, 128]``, which may be ranges in their turn,
        - any other value as a launch gets it.

        The target is a text such as ``"cuda:90"``; by default the one of launches. ValueError for names that the kernel
        does not have, for ranges without a number, and for more than 10,000 classes."""
        from ._classes import classes_of

        return classes_of(self, args, declared, target)

    def parse(self):
        import ast

        return ast.parse(self.src)

    def __call__(self, *args, **kwargs):
        from ..language._kernel_only import interpreter

        if interpreter() is not None:
            from .interpreter import InterpretedFunction

            return InterpretedFunction.of(self)(*args, **kwargs)
        raise RuntimeError(
            f"`{self.__name__}` is a kernel: launch it as `{self.__name__}[grid](...)`; a direct call "
            "works only inside another kernel"
        )

    def __repr__(self):
        return f"JITFunction({self.module}:{self.__qualname__})"

    def _reduce_with_contents(self):
        if self.fn is not None:
            from pickle import PicklingError

            try:
                return FunctionLike._reduce_with_contents(self)
            except (PicklingError, TypeError, AttributeError):  # it refers to something that cannot be sent
                pass
        state = {name: value for name, value in self.__dict__.items() if name not in self._LOCAL}
        return _revive, (type(self), {**state, **dict.fromkeys(self._LOCAL)})

    def _is_importable(self):
        return self.fn is not None and super()._is_importable()

    def __copy__(self):
        return self.__deepcopy__({})

    def __deepcopy__(self, memo):
        if self.fn is not None:
            return self
        revive, arguments = self.__reduce__()
        return revive(*copy.deepcopy(arguments, memo))

    def _compile(self, arguments, options, is_warmup, values):
        """The CompiledKernel of a new variant, or None when a hook says to skip the launch. Called by the launcher."""
        return _misses().compile_variant(self, arguments, options, is_warmup, values)

    def _describe_variant(self, key, src, options):
        from ..backends.active import driver

        target = driver.active.launch_target()
        return serialize_specialization_data(
            self.__name__, src._signature_with_fields, src.constants, src.attrs, options, key, target
        )

    def preload(self, specialization_data):
        """Compiles the variant that a hook of compilations got, and gives it to the launch that needs it. None
        where a hook says that nothing shall be compiled."""
        from ..backends.active import driver

        facts = deserialize_specialization_data(specialization_data)
        if facts["name"] != self.__name__:
            raise RuntimeError(f"the data describe a variant of `{facts['name']}`, not of `{self.__name__}`")
        target = driver.active.launch_target()
        given = facts["target"]
        if (given["backend"], given["arch"]) != (target.backend, target.arch):
            raise RuntimeError(
                f"the data describe a variant of `{self.__name__}` for {given['backend']}:{given['arch']}, but kernels "
                f"are launched on {target.backend}:{target.arch} now"
            )
        return self._preload(facts)

    def _preload(self, facts):
        from ..compiler.compiler import ASTSource
        from ._misses import compile_with_hooks
        from ._variants import variant_key, with_variants

        src = ASTSource._for_launches(self, facts["signature"], facts["constants"], facts["attrs"])
        key = variant_key(src, facts["options"])

        def keep(kernel):
            self._preloaded[key] = kernel
            with_variants.add(self)

        return compile_with_hooks(self, key, src, facts["options"], True, keep)

    def create_binder(self):
        """(kernels by key, texts of keys, target, backend, function that binds arguments) for the current device.

        Programs that compile the variant of a launch themselves go on with `_pack_args`, `ASTSource` and `compile`.
        """
        compiler, target = _compiler(), _driver().active.launch_target()
        own = {"ASTSource": compiler.ASTSource._for_launches, "CompiledKernel": compiler.CompiledKernel}
        self.__dict__.update(own, compile=compiler.compile)
        backend = compiler.backend_of_launches(target)
        return {}, {}, target, backend, create_function_from_signature(self.signature, self.params, backend)

    def _pack_args(self, backend, kwargs, bound_args, specialization, options):
        """(options, signature, constants, attributes) of what the function of `create_binder` returned."""
        own = _C.has_backend(backend.target.backend)
        types = [type_ for type_, _ in specialization]
        keys = ["" if type_ == "constexpr" else key for type_, key in specialization]
        values = list(bound_args.values())
        constants = find_paths_if(types, lambda _, type_: type_ == "constexpr")
        described = find_paths_if(keys, lambda _, key: isinstance(key, str))
        return (
            backend.parse_options(options, self.arg_names) if own else backend.parse_options(options),
            dict(zip(self.arg_names, types, strict=True)),
            {path: get_iterable_path(values, path) for path in constants},
            {path: backend.parse_attr(get_iterable_path(keys, path)) for path in described},
        )

    def _call_hook(self, hook, key, src, options, is_warmup):
        described = ", ".join(f"{name}: {type_}" for name, type_ in src.signature.items())
        text = f"{self.__name__}[{', '.join(f'{k}: {v}' for k, v in options.items())}]({described})"
        from ..backends.active import driver

        facts = dict(
            key=key,
            signature=src.signature,
            device=driver.active.get_current_device(),
            constants=src.constants,
            num_warps=options.get("num_warps", 4),
            num_ctas=options.get("num_ctas", 1),
            num_stages=options.get("num_stages", 3),
            enable_fp_fusion=options.get("enable_fp_fusion", knobs.language.default_fp_fusion),
            launch_cooperative_grid=options.get("launch_cooperative_grid", False),
            extern_libs=options.get("extern_libs"),
            configs=[src.attrs],
            specialization_data=self._describe_variant(key, src, options),
            is_warmup=is_warmup,
        )
        # Programs that make kernels of text name the function, to find it again.
        info = JitFunctionInfo(self.fn.__module__, self.fn.__qualname__, self)
        return hook(key=key, repr=text, fn=info, compile=facts, is_manual_warmup=is_warmup, already_compiled=False)

    def _call_launch_hook(self, which, kernel, grid, bound):
        """Called by the launcher around a launch while a hook of launches or of loaded kernels is set."""
        from ..backends.active import driver

        if which == "enter":
            kernel._init_handles()
        hook = knobs.runtime.launch_enter_hook if which == "enter" else knobs.runtime.launch_exit_hook
        if hook:
            stream = driver.active.get_current_stream(driver.active.get_current_device())
            hook(kernel.launch_metadata(grid, stream, *bound.values()))


#: What programs outside ask for with `isinstance`: a function that kernels call.
JITCallable = JITFunction
TRITON_MODULE = "triton.language"
GLUON_MODULE = "triton.experimental.gluon.language"


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


def compute_cache_key(kernel_key_cache, specialization, options):
    """The text that distinguishes the variants of a kernel; ``kernel_key_cache`` keeps those that were made."""
    key = (tuple(specialization), str(options))
    if key not in kernel_key_cache:
        kernel_key_cache[key] = str(specialization) + str(options)
    return kernel_key_cache[key]


@functools.cache
def _warm_up():
    """Sets up the compiler on a thread while the program continues. Its threads must end before the process does."""
    atexit.register(_C.wait_for_compiler)
    _forks.register()
    _C.warm_up()


def _decorate(fn, make, decorator):
    """What the decorator of this name gives: ``make(fn)``, or without a function what makes one of the function that
    follows. Kernels stay what they are."""

    def decorate(function):
        if isinstance(function, KernelInterface):
            return function
        if not isinstance(function, FunctionType):
            raise TypeError(f"@{decorator} decorates functions, not a `{type(function).__name__}`")
        return make(function)

    if not knobs.runtime.interpret:
        _warm_up()
    return decorate if fn is None else decorate(fn)


def jit(
    fn=None,
    *,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
    invariant=False,
):
    """Turns a function that is written in the kernel language into a kernel.

    Launch it as ``kernel[grid](*arguments)``; arrays become pointers to their first element. With ``invariant``, one
    variant runs for all values and addresses of arguments of the same types, constants and options, so that the bits of
    its results do not depend on which variants there are. Code that relies on no such value is slower.
    """

    def make(function):
        if knobs.runtime.interpret:
            from .interpreter import InterpretedFunction

            return InterpretedFunction(
                function,
                do_not_specialize=do_not_specialize,
                debug=debug,
                launch_metadata=launch_metadata,
                invariant=invariant,
            )
        return JITFunction(
            function,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
            invariant=invariant,
        )

    return _decorate(fn, make, "triton.jit")


def native_specialize_impl(backend, arg, is_const=False, specialize_value=True, align=True):
    """(type in a signature, key) of an argument: what a launch would compile for."""
    return _specialize(backend, arg, is_const, specialize_value, align)


def mangle_type(arg, specialize=False):
    """The type that the argument has in a signature: ``"*fp32"``, ``"i32"``; ``"constexpr"`` for a constant."""
    from ..backends.compiler import BaseBackend

    return _specialize(BaseBackend, arg, False, specialize, True)[0]


_function_classes.JITFunction = JITFunction
