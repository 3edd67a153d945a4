"""`TRITON_FALLBACK=generic`: launches of classes that nobody has compiled run at once, on a variant that knows less of
the values and addresses of its arguments. A thread makes the class's own variant meanwhile."""

import os
import threading
import weakref

from .. import _C, knobs
from ..compiler import compiler
from ..errors import TritonError
from . import _ladder as ladder
from ._variants import settings_key, tells_constants_apart, variant_key, with_variants

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


def _has_generic(kernel, src):
    """There are no generic variants where keys do not distinguish variants, and for kernels that are `invariant`, whose
    own variants know no more."""
    return not kernel.invariant and tells_constants_apart(src) and not _C.profiler.instrumentation()


class _Group:
    """The generic variants of a kernel for one target, and for the same options and settings."""

    def __init__(self):
        self.variants = {}  # (source, CompiledKernel; None if it cannot be compiled) by the source's text
        self.prepared = set()  # texts of the sources beside which there are some
        self.known = None  # what `_candidates` has found: (of what, the candidates by their family)

    def add(self, src, compiled):
        self.variants[ladder.text_of(src)] = src, compiled
        self.known = None


def _key(kernel, options, target):
    return kernel.cache_key, target, settings_key(options)


def find(kernel, src, options, settings, target, may_compile, bundled_sources):
    """What a launch of the class runs on until its own variant is there: the variant that knows the most of those that
    serve it, which may know all that the own one would, and is then a CompiledKernel. None if there is none. The own
    one is compiled as soon as ``may_compile()`` holds. ``settings`` are the `settings_key` of the options;
    ``bundled_sources(kernel, target)`` are those of the kernel's variants in bundles, with their options."""
    if not _has_generic(kernel, src):
        return None
    candidates = _candidates(kernel, settings, target, bundled_sources(kernel, target))
    known = ladder.best_first(candidates.get(ladder.family_of(src), ()), src)
    ready = (compiled for each in known if (compiled := each.get(target)))
    best = next(ready, None)
    if best is None:
        return None
    if ladder.text_of(best.src) == ladder.text_of(src):
        return best
    # Launches alone find out whether arrays overlap.
    safest = best if ladder.may_overlap(best.src) else next((e for e in ready if ladder.may_overlap(e.src)), None)
    key = ladder.text_of(src) + settings
    return safest and GenericKernel(kernel, src, options, key, target, best, safest, may_compile)


_bundled = weakref.WeakKeyDictionary()  # what bundles have for a source: {target and settings: CompiledKernel or None}


def read_ahead(kernel, target, bundled):
    """Finds and reads what launches of the kernel may run on, so that none does; ``bundled`` are `_bundled_sources`."""
    if kernel.invariant:
        return
    settings = {settings_key(options): None for _, options in bundled}
    settings |= {settings: None for _, place, settings in kernel._generic if place == target}
    for each in [settings_key({}), *settings]:
        for family in _candidates(kernel, each, target, bundled).values():
            for candidate in family:
                ladder.best_first(family, candidate.src)  # The interpreter has seen it before launches do it.
                candidate.get(target)


class _Candidate:
    """A variant; one of a bundle, which has options, is not read yet."""

    def __init__(self, src, options, compiled):
        self.src, self._options, self._compiled = src, options, compiled

    def get(self, target):
        if self._compiled is None and self._options is not None:
            place = target, settings_key(self._options)
            found = _bundled.setdefault(self.src, {})
            if place not in found:
                found[place] = compiler.find_bundled(target, self.src, self._options)
            self._compiled, self._options = found[place], None
        return self._compiled


def _candidates(kernel, settings, target, bundled):
    """The generic variants, and those that launches of other classes have, in memory and in bundles, by their family:
    of each there are only as many as its arguments have facts, however many constants the kernel has."""
    group = kernel._generic.setdefault((kernel.cache_key, target, settings), _Group())
    entry = dict.get(kernel.device_caches, 0)
    launched = entry[0] if entry else {}
    # First launches turn one that was preloaded into one that is launched.
    of_what = id(bundled), len(kernel._preloaded) + len(launched)
    if group.known is None or group.known[0] != of_what:
        of_memory = _in_memory(group, [*kernel._preloaded.items(), *launched.items()], settings, target)
        found = {
            ladder.text_of(src): _Candidate(src, each, None) for src, each in bundled if settings_key(each) == settings
        }
        families = {}
        for each in (found | of_memory).values():
            families.setdefault(ladder.family_of(each.src), []).append(each)
        group.known = of_what, families, bundled
    return group.known[1]


def _in_memory(group, launched, settings, target):
    """{text: candidate} of what was compiled or loaded."""
    found = {}
    for key, compiled in launched:
        is_ours = isinstance(compiled, compiler.CompiledKernel) and isinstance(compiled.src, compiler.ASTSource)
        if is_ours and compiled._target == target and key == ladder.text_of(compiled.src) + settings:
            found[ladder.text_of(compiled.src)] = _Candidate(compiled.src, None, compiled)
    for text, (src, compiled) in list(group.variants.items()):
        if compiled:
            found[text] = _Candidate(src, None, compiled)
    return found


def sources_beside(kernel, src, options, target):
    """Those of the generic variants that `prepare` makes beside a class."""
    return ladder.sources_beside(kernel, src, options, target) if _has_generic(kernel, src) else []


def made(kernel, src, settings, target, bundled):
    """The class's own variant, if it is one of the generic ones or of those in bundles; else None."""
    if not is_on() or not _has_generic(kernel, src):
        return None
    family = _candidates(kernel, settings, target, bundled).get(ladder.family_of(src), ())
    return next((each.get(target) for each in family if ladder.text_of(each.src) == ladder.text_of(src)), None)


def keep(kernel, src, options, compiled, target):
    """A generic variant that was made elsewhere."""
    if _has_generic(kernel, src):
        kernel._generic.setdefault(_key(kernel, options, target), _Group()).add(src, compiled)


def prepare(kernel, src, options, target, is_warmup):
    """Makes the generic variants beside a class that are not there: at once in a warm-up, or else on the thread, so
    that no launch waits for them."""
    if not _has_generic(kernel, src):
        return
    key = _key(kernel, options, target)
    group = kernel._generic.setdefault(key, _Group())
    if ladder.text_of(src) in group.prepared:
        return
    group.prepared.add(ladder.text_of(src))

    def compile_all():
        for generic in ladder.sources_beside(kernel, src, options, target):
            text = ladder.text_of(generic)
            if text in group.variants:
                continue
            try:
                compiled = compiler.compile_for(target, generic, dict(options))
            except (TritonError, RuntimeError):
                compiled = None  # the kernel needs the facts, such as for `tl.static_assert(stride == 1)`
            if _key(kernel, options, target) != key or _C.profiler.instrumentation():
                group.prepared.discard(ladder.text_of(src))  # the settings have changed meanwhile
                return
            group.add(generic, compiled)

    if is_warmup:
        compile_all()
    else:
        _submit(compile_all)


_direct = weakref.WeakSet()  # the stand-ins that the launcher launches itself


def forget_direct():
    """After a freeze: launches of their classes have them stand in until their own variant is there."""
    for each in list(_direct):
        each._kernel._forget_variant(each)
    _direct.clear()


class GenericKernel:
    """Stands in for the CompiledKernel of one class. All but launches is that of the generic variant. Where the class's
    own variant may not be made, the launcher takes the generic one's ``_handle``, and passes it a 1 for ``_ones``."""

    _handle = None  # The launcher calls `_launch`.
    _ones = ()  # names of arguments

    def __init__(self, kernel, src, options, key, target, generic, safest, may_compile):
        self._may_compile = may_compile
        self._kernel, self._src, self._options, self._target = kernel, src, options, target
        self._generic, self._safest = generic, safest  # the latter also runs for arrays that overlap
        self._key = key  # of the class's own variant
        self._own = None  # the Future of the class's own variant
        self._process = None  # the one whose thread makes it
        if not may_compile():
            self._handle, self._ones = generic._handle, ladder.names_of_ones(generic.src, src)
            _direct.add(self)

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
        try:
            compiled._handle.launch(grid, tuple(bound.values()), None)
        except _C.StorageOverlap:
            (self._safest if compiled is self._generic else compiled)[grid](*bound.values())
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
