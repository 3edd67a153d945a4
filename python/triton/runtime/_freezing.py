"""`triton.freeze`: after a program has started, no launch waits for the compiler."""

import contextlib

from .. import _C, _counts
from ..backends.active import driver
from ..compiler.compiler import prepare_for_launches
from ..errors import TritonError
from . import _fallback, _misses
from ._guards import FreezeGuard
from ._rehearsal import rehearse
from ._variants import with_variants

_ACTIONS = ("raise", "warn", "log")


def freeze(action="raise", *, load=True):
    """From now on a launch that needs a variant of its kernel which this process does not have in memory, or a tuning
    run, raises a `FrozenError`; with ``action="warn"`` it warns and compiles, with "log" the logger ``triton.freeze``
    says it as a warning. `unfreeze` ends it, or the end of a block ``with triton.freeze():``.

    ``warmup``, `load_classes` and `triton.compile` still compile. With ``load``, what is compiled so far is loaded on
    the current GPU first, so that no later launch there loads it, nor what launches import. ValueError for another
    action.
    """
    if action not in _ACTIONS:
        known = ", ".join(f'"{each}"' for each in _ACTIONS)
        raise ValueError(f"`action` of `triton.freeze` is {action!r}; it must be one of {known}")
    if load:
        _prepare()
        _load_variants()
    frozen = _Frozen(_misses.freeze_guard)
    _misses.freeze_guard = FreezeGuard(action)
    return frozen


def unfreeze():
    """Ends what `freeze` began."""
    _set_guard(None)


def _set_guard(guard):
    _misses.freeze_guard = guard
    if guard is None:
        _counts.finish()
        _fallback.forget_direct()


class _Frozen:
    """At the end of its block, what was before `freeze` is again."""

    def __init__(self, before):
        self._before = before

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _set_guard(self._before)


def _prepare():
    """So that the first launches that take a variant or a choice from a bundle do not import what that needs."""
    from . import _choices  # noqa: F401

    with contextlib.suppress(RuntimeError):  # without a device, which a launch reports
        target = driver.active.launch_target()
        prepare_for_launches(target)
        driver.active.get_current_stream(driver.active.get_current_device())
        kernels = set(with_variants)
        if _C.has_bundles():
            from ._bundles import imported_kernels

            kernels.update(imported_kernels())
        is_on = _fallback.is_on()
        for kernel in kernels:
            kernel.device_caches[0]  # noqa: B018  makes what each kernel has for the target
            bundled = _misses.bundled_sources(kernel, target) if is_on else ()
            if is_on:
                _fallback.read_ahead(kernel, target, bundled)
            rehearse(kernel, bundled)
            if is_on:  # with what this has made of some
                _fallback.read_ahead(kernel, target, bundled)


def _load_variants():
    """Loads the variants that this process has on the current device. One that does not fit there says so when it is
    launched."""
    for function in list(with_variants):
        entry = dict.get(function.device_caches, 0)
        kernels = [*entry[0].values()] if entry else []
        generic = [compiled for group in function._generic.values() for _, compiled in group.variants.values()]
        for kernel in kernels + [*function._preloaded.values()] + generic:
            try:
                if getattr(kernel, "_handle", None) is not None:
                    kernel._init_handles()
            except (TritonError, RuntimeError):
                pass
