"""A launch or a warm-up that does not find its variant in memory: where it gets the variant, and what it reports."""

import contextvars
import functools
import sys
import time

from .. import _C, _counts, knobs
from .._utils import cached_property
from ..backends.active import driver
from ..compiler import compiler
from . import _fallback
from ._async_compile import active_mode
from ._variants import (
    differences_text,
    has_same_constants,
    identity_key,
    nearest,
    place_of_launch,
    reason_of,
    settings_key,
    tells_constants_apart,
    with_variants,
)

_MOST_COMPARED = 64  # Reports name the nearest of so many variants, the latest ones.

#: After `triton.freeze`: what is reported of launches that would wait for the compiler.
freeze_guard = None


#: Whether warm-ups find what was preloaded, and nothing else, without an event.
is_rehearsal = contextvars.ContextVar("is_rehearsal", default=False)


def _is_not_frozen():
    return freeze_guard is None


def _takes_from_bundles(kernel):
    return _C.has_bundles() and kernel.__dict__.get("compile", compiler.compile) is compiler.compile


def bundled_sources(kernel, target):
    if not _takes_from_bundles(kernel):
        return ()
    from ._bundles import sources_for

    return sources_for(kernel, target)


def _guards():
    """What a launch that would compile or tune has to ask."""
    if _C.is_capturing():
        from ._guards import CaptureGuard

        yield CaptureGuard()
    if freeze_guard is not None:
        yield freeze_guard


def check_tuning(name, key):
    """For a launch of a tuned kernel that would measure."""
    for guard in _guards():
        guard.check_tuning(name, key)


def take_choice(tuner, key, kwargs):
    """Whether a tuned kernel takes a choice for the key that was recorded, or that lies between such ones."""
    is_frozen = next(_guards(), None) is not None
    if not (_C.has_bundles() or tuner._loaded or is_frozen):
        return False
    from ._choices import take

    return take(tuner, key, kwargs, is_frozen)


def compile_variant(kernel, arguments, options, is_warmup, values):
    """What `JITFunction._compile` returns. ``values`` are the arguments by name."""
    for name in ("device_type", "device", "stream"):
        if name in options:
            raise AssertionError(f"`{name}` is not an option: kernels run on the current device")
    miss = _Miss(kernel, compiler.ASTSource._of_arguments(kernel, arguments), options, values, is_warmup)
    if is_rehearsal.get():
        return miss.find_preloaded()
    compiled = None
    try:
        compiled = miss.find_or_compile()
    finally:
        miss.tell(compiled)
    return compiled


def compile_with_hooks(kernel, key, src, options, is_warmup, keep):
    """What is compiled, after it was given to `keep`; None where the hook that is called before says so."""

    def call(hook):
        return hook and kernel._call_hook(hook, key, src, options, is_warmup)

    if call(knobs.runtime.jit_cache_hook):
        return None
    # What a program has put in place of the compiler, for this kernel.
    own = kernel.__dict__.get("compile") or compiler.compile
    compiled = own(src, target=driver.active.launch_target(), options=options)
    keep(compiled)
    call(knobs.runtime.jit_post_compile_hook)
    return compiled


class _Miss:
    def __init__(self, kernel, src, options, values, is_warmup):
        self._start = time.perf_counter()
        self._kernel, self._src, self._options, self._values = kernel, src, options, values
        self._is_warmup, self._origin = is_warmup, None
        self._settings = settings_key(options)
        self._key = src._text() + self._settings  # its `variant_key`
        self._reason, self._differences = "", {}
        self._others = None  # the variants to compare this one with when somebody asks

    def find_or_compile(self):
        kernel, key, mode = self._kernel, self._key, active_mode.get()
        pending = kernel._pending.get(self._pending_key) if kernel._pending else None
        if pending is not None:
            if self._is_warmup and mode is not None:
                return pending
            if not pending.future.done():
                self._compare_and_ask()
            kernel._pending.pop(self._pending_key, None)
            self._origin = "elsewhere"
            return pending.result()
        self._kernels, _, self._target, self._backend, _ = kernel.device_caches[0]
        known = self._known()
        if known is not None:
            self._origin = "preloaded"
            self._keep(known)
            return known
        # After a freeze it is known what bundles have.
        ways = (self._from_bundle, self._stand_in) if freeze_guard is None else (self._stand_in, self._from_bundle)
        for way in ways:
            if (found := way()) is not None:
                return found
        if _C.has_bundles():
            from ._bundles import tell_of_other_texts

            tell_of_other_texts(kernel)
        self._compare_and_ask()
        if mode is None:
            compiled = compile_with_hooks(kernel, key, self._src, self._options, self._is_warmup, self._keep)
            if compiled is not None and _fallback.is_on():
                target = driver.active.launch_target()
                _fallback.prepare(kernel, self._src, self._options, target, self._is_warmup)
            return compiled
        if knobs.runtime.jit_cache_hook and self._call_hook(knobs.runtime.jit_cache_hook):
            return None
        return self._compile_later(mode)

    def find_preloaded(self):
        self._kernels, _, target, _, _ = self._kernel.device_caches[0]
        known = self._known() or _fallback.made(
            self._kernel, self._src, self._settings, target, bundled_sources(self._kernel, target)
        )
        if known is not None:
            self._keep(known)
        return known

    @cached_property
    def _pending_key(self):
        return identity_key(self._key, self._src)

    def _known(self):
        """The variant if it was preloaded or belongs to another call that differs in nothing that code depends on: an
        integer with an annotated type, such as ``n: tl.int32``, may be 1 or not."""
        preloaded = self._kernel._preloaded.get(self._key)
        if preloaded is not None and has_same_constants(preloaded, self._src):
            self._kernel._preloaded.pop(self._key, None)
            return preloaded
        if self._key not in self._kernel._classes:
            return None
        return self._kernels.get(self._key) if tells_constants_apart(self._src) else None

    def _from_bundle(self):
        """The variant of a bundle, which no launch waits for; None where a program has its own compiler."""
        if not _takes_from_bundles(self._kernel):
            return None
        bundled = compiler.find_bundled(self._target, self._src, self._options, self._backend)
        if bundled is not None:
            self._compare_later()
            self._origin = "bundle"
            self._keep(bundled)
        return bundled

    def _stand_in(self):
        """The variant that the launch runs on until its own one is there; None where the settings ask for none."""
        if self._is_warmup or not _fallback.is_on():
            return None
        found = _fallback.find(
            self._kernel, self._src, self._options, self._settings, self._target, _is_not_frozen, bundled_sources
        )
        if found is None:
            return None
        self._compare_later()
        if isinstance(found, compiler.CompiledKernel):
            self._origin = "bundle" if found._origin == "bundle" else "preloaded"
            self._keep(found)
        else:
            self._origin = "generic"
        return found

    def _compare(self):
        """Finds what is new about the variant."""
        differences = nearest((self._src, self._options), self._latest())
        self._reason, self._differences = reason_of(differences, self._src.signature), differences or {}
        return differences

    def _latest(self):
        return list(self._kernel._classes.values())[-_MOST_COMPARED:]  # another thread may add one meanwhile

    def _compare_later(self):
        """After a freeze no launch waits for it."""
        if freeze_guard is None or _listener():
            self._compare()
        else:
            self._others = self._latest()

    def _compare_and_ask(self):
        """Finds what is new about the variant, and whether it may be made."""
        differences = self._compare()
        for guard in () if self._is_warmup else _guards():
            guard.check_variant(self._kernel.__name__, differences, self._values)

    def _keep(self, compiled):
        self._kernels[self._key] = compiled
        self._kernel._classes[self._key] = self._src, self._options
        with_variants.add(self._kernel)

    def _finalize(self, compiled):
        self._keep(compiled)
        if knobs.runtime.jit_post_compile_hook:
            self._call_hook(knobs.runtime.jit_post_compile_hook)
        return compiled

    def _call_hook(self, hook):
        return self._kernel._call_hook(hook, self._key, self._src, self._options, self._is_warmup)

    def _compile_later(self, mode):
        """The FutureKernel of the variant, which `mode` compiles; for a launch its result."""
        from ._transport import CompileTask

        kernel, key = self._kernel, self._pending_key
        task = CompileTask(self._src, driver.active.launch_target(), self._options)
        future = mode.submit(
            (kernel.cache_key, key),
            task,
            lambda result: self._finalize(task.finish(result)),
            lambda failed: kernel._pending.pop(key, None),
        )
        kernel._pending[key] = future
        self._origin = "elsewhere"
        return future if self._is_warmup else future.result()

    def tell(self, compiled):
        """Counts what has happened; ``compiled`` is the kernel, or None if there is none."""
        if compiled is not None and knobs.runtime.record_classes:
            from ._recording import record

            record(self._kernel, self._src, self._options, self._values)
        is_ready = isinstance(compiled, compiler.CompiledKernel)
        origin = self._origin or (compiled._origin if is_ready else None) or "elsewhere"
        file, line = place_of_launch()
        event = _counts.Event(
            self._kernel.__name__,
            f"{file}:{line}",
            self._is_warmup,
            "failed" if compiled is None else origin,
            (time.perf_counter() - self._start) * 1e3,
            self._reason,
            self._differences,
            compiled.hash if is_ready else None,
        )
        if freeze_guard is None:
            _counts.note(event)
        else:
            _counts.note_later(functools.partial(_compared, event, self._src, self._options, self._others))
        if logger := _listener():
            logger.info("%s", _text_of(event, self._values))


def _compared(event, src, options, others):
    """The event, with what it lacks if others are given."""
    if others is None:
        return event
    differences = nearest((src, options), others)
    return event._replace(reason=reason_of(differences, src.signature), differences=differences or {})


def _listener():
    """The logger, if somebody listens; nobody does before `logging` is imported."""
    if "logging" not in sys.modules:
        return None
    logger = _logger()
    return logger if logger.isEnabledFor(sys.modules["logging"].INFO) else None


@functools.cache
def _logger():
    return sys.modules["logging"].getLogger("triton.monitor")


_ORIGINS = {
    "compiled": "compiled",
    "bundle": "taken from a bundle",
    "disk": "taken from the disk cache",
    "remote": "taken from the remote cache",
    "preloaded": "in memory already",
    "elsewhere": "compiled elsewhere",
    "generic": "run by the generic variant",
    "failed": "not compiled",
}


def _text_of(event, values):
    """The event as a line."""
    why = {"first": "; it is the kernel's first variant", "settings": "; settings of compilations have changed"}
    compared = f"; the nearest variant has other facts: {differences_text(event.differences, values)}"
    return (
        f"{event.place}: {'warm-up' if event.is_warmup else 'launch'} of `{event.kernel}`: {_ORIGINS[event.origin]} in "
        f"{event.milliseconds:.3g} ms{compared if event.differences else why.get(event.reason, '')}"
    )
