"""`TRITON_FALLBACK=generic`: launches of classes that nobody has compiled run at once, on a variant that knows nothing
of the values and addresses of its arguments. A thread makes the class's own variant meanwhile."""

import os
import threading

from .. import _C, knobs
from ..backends.active import driver
from ..compiler import compiler
from ..errors import TritonError
from ._variants import tells_constants_apart, variant_key, with_variants

_lock = threading.Lock()


def _renew_lock():
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # a thread of the parent may have held it


def is_on():
    """Whether the settings ask for it. ValueError for another value."""
    value = knobs.runtime.fallback
    if value not in (None, "", "0", "generic"):
        raise ValueError(
            f"TRITON_FALLBACK is `{value}`; it must be `generic`, for launches on a variant without facts about values "
            "instead of waiting for one, or 0"
        )
    return value == "generic"


def _generic_sources(kernel, src):
    """The sources of variants of the same types, constants and options that run for other values and addresses, the
    better one first: that of launches with the same ones, which are mostly strides, and that of all launches. They are
    the same for a class without ones. There are none where keys do not distinguish variants, and for kernels that are
    `invariant`, whose own variants know no more."""
    if kernel.invariant or not tells_constants_apart(src) or _C.profiler.instrumentation():
        return []
    sources = [_generic_source(kernel, src, ones) for ones in (True, False)]
    return sources if sources[0].signature != sources[1].signature else sources[1:]


def _generic_source(kernel, src, keeps_ones):
    """Nothing is known to be divisible, arrays may overlap, and which numbers are 1 is known only if ``keeps_ones``."""
    signature = {
        parameter.name: src.signature[parameter.name] if keeps_ones else _generic_type(parameter, (number,), src)
        for number, parameter in enumerate(kernel.params)
    }
    constants = {path: value for path, value in src.constants.items() if _type_at(signature, path) == "constexpr"}
    attributes = {}
    for number, type_ in enumerate(signature.values()):
        _share_storage((number,), type_, attributes)
    return compiler.ASTSource._for_launches(kernel, signature, constants, attributes)


def _generic_type(parameter, path, src):
    type_ = src.signature[parameter.name]
    return type_ if parameter.is_constexpr else _without_ones(type_, path, src, parameter.annotation_type)


def _without_ones(type_, path, src, own_type=""):
    """The type; of an integer that is a constant only because it is 1, the one that others have."""
    if isinstance(type_, tuple):
        items = [_without_ones(item, (*path, index), src) for index, item in enumerate(type_)]
        return type(type_)(*items) if hasattr(type_, "_fields") else tuple(items)
    value = src.constants.get(path)
    return own_type or "i32" if type_ == "constexpr" and type(value) is int and value == 1 else type_


def _type_at(signature, path):
    type_ = list(signature.values())[path[0]]
    for index in path[1:]:
        if not isinstance(type_, tuple):
            break
        type_ = type_[index]
    return type_


def _share_storage(path, type_, attributes):
    """All arrays may lie in one memory."""
    if isinstance(type_, tuple):
        for index, item in enumerate(type_):
            _share_storage((*path, index), item, attributes)
    elif str(type_).startswith("tensordesc"):
        attributes[(*path, 0)] = [["tt.storage", 0]]
    elif str(type_).startswith("*"):
        attributes[path] = [["tt.storage", 0]]


def _key(kernel, src, options, target):
    return kernel.cache_key, str(target), variant_key(src, options)


def find(kernel, src, options, may_compile):
    """What a launch of the class runs on until its own variant is there; None if there is no generic one. The variant
    is compiled as soon as ``may_compile()`` holds."""
    target = driver.active.launch_target()
    for generic in _generic_sources(kernel, src) if kernel._generic or _C.has_bundles() else ():
        key = _key(kernel, generic, options, target)
        if key not in kernel._generic and (bundled := compiler.find_bundled(target, generic, options)):
            kernel._generic[key] = bundled
        if compiled := kernel._generic.get(key):
            return GenericKernel(kernel, src, options, target, compiled, may_compile)
    return None


def prepare(kernel, src, options, target, is_warmup):
    """Makes the generic variants of a class that are not there: at once in a warm-up, or else on the thread, so that no
    launch waits for them."""
    for generic in _generic_sources(kernel, src):
        key = _key(kernel, generic, options, target)
        if key in kernel._generic:
            continue

        def compile_it(generic=generic, key=key):
            try:
                compiled = compiler.compile_for(target, generic, dict(options))
            except (TritonError, RuntimeError):
                compiled = None  # the kernel needs the facts, such as for `tl.static_assert(stride == 1)`
            if _key(kernel, generic, options, target) == key and not _C.profiler.instrumentation():
                kernel._generic[key] = compiled

        if is_warmup:
            compile_it()
        else:
            _submit(compile_it)


class GenericKernel:
    """Stands in for the CompiledKernel of one class. All but launches is that of the generic variant."""

    _handle = None  # The launcher calls `_launch`.

    def __init__(self, kernel, src, options, target, generic, may_compile):
        self._may_compile = may_compile
        self._kernel, self._src, self._options, self._target = kernel, src, options, target
        self._generic = generic
        self._key = variant_key(src, options)
        self._own = None  # the Future of the class's own variant
        self._process = None  # the one whose thread makes it

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._generic, name)

    def __getitem__(self, grid):
        return self._generic[grid]

    def _launch(self, grid, bound):
        """Called by the launcher with the values of all parameters by name."""
        compiled = self._swap() or self._generic
        hooks = knobs.runtime.launch_enter_hook or knobs.runtime.launch_exit_hook
        if hooks:
            self._kernel._call_launch_hook("enter", compiled, grid, bound)
        compiled[grid](*bound.values())
        if hooks:
            self._kernel._call_launch_hook("exit", compiled, grid, bound)

    def _swap(self):
        """The class's own variant, which later launches find without this object; None while it is not there, or if it
        cannot be compiled."""
        if self._own is None or self._process != os.getpid():
            if self._may_compile():
                self._own, self._process = _submit(self._compile), os.getpid()
            return None
        if not self._own.done() or self._own.exception() is not None:
            return None
        compiled = self._own.result()
        if compiled is None:
            self._own = None
            return None
        self._kernel._preloaded[self._key] = compiled
        with_variants.add(self._kernel)
        self._kernel._forget_variant(self)
        return compiled

    def _compile(self):
        """The class's own variant; None if the settings have changed, for which it would be another one."""
        own = self._kernel.__dict__.get("compile") or compiler.compile
        compiled = own(self._src, target=self._target, options=self._options)
        is_same = variant_key(self._src, self._options) == self._key and not _C.profiler.instrumentation()
        return compiled if is_same else None


_executors = {}  # by process: a forked one has no threads of its parent


def _submit(work):
    """The Future of what the thread does."""
    from concurrent.futures import ThreadPoolExecutor

    with _lock:
        if os.getpid() not in _executors:
            _executors.clear()
            _executors[os.getpid()] = ThreadPoolExecutor(1, thread_name_prefix="triton-variants")
        return _executors[os.getpid()].submit(work)
