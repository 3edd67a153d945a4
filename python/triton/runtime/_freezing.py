"""`triton.freeze`: after a program has started, no launch waits for the compiler."""

import warnings

from .. import _counts
from ..errors import TritonError
from . import _misses
from ._variants import differences_text, place_of_launch, with_variants
from .errors import FrozenError

_ACTIONS = ("raise", "warn", "log")


def freeze(action="raise", *, load=True):
    """From now on a launch that needs a variant of its kernel which this process does not have in memory, or a tuning
    run, raises a `FrozenError`; with ``action="warn"`` it warns and compiles, with "log" the logger ``triton.freeze``
    says it as a warning. `unfreeze` ends it, or the end of a block ``with triton.freeze():``.

    ``warmup``, `load_classes` and `triton.compile` still compile. With ``load``, what is compiled so far is loaded on
    the current GPU first, so that no later launch there loads it. ValueError for another action.
    """
    if action not in _ACTIONS:
        known = ", ".join(f'"{each}"' for each in _ACTIONS)
        raise ValueError(f"`action` of `triton.freeze` is {action!r}; it must be one of {known}")
    if load:
        _load_variants()
    frozen = _Frozen(_misses.freeze_guard)
    _misses.freeze_guard = FreezeGuard(action)
    return frozen


def unfreeze():
    """Ends what `freeze` began."""
    _misses.freeze_guard = None


class _Frozen:
    """At the end of its block, what was before `freeze` is again."""

    def __init__(self, before):
        self._before = before

    def __enter__(self):
        return self

    def __exit__(self, *error):
        _misses.freeze_guard = self._before


def _load_variants():
    """Loads the variants that this process has on the current device. One that does not fit there says so when it is
    launched."""
    for function in list(with_variants):
        entry = dict.get(function.device_caches, 0)
        kernels = [*entry[0].values()] if entry else []
        for kernel in kernels + [*function._preloaded.values()]:
            try:
                if getattr(kernel, "_handle", None) is not None:
                    kernel._init_handles()
            except (TritonError, RuntimeError):
                pass


class FreezeGuard:
    """Refuses what would compile."""

    def __init__(self, action):
        self._action = action

    def check_variant(self, name, differences, values):
        """``differences`` are those from the nearest variant; None if there is none. ``values`` are the arguments of
        the launch by name."""
        if differences:
            what = f"nearest variant has other facts: {differences_text(differences, values)}"
        elif differences is None:
            what = "kernel has no variant yet"
        else:
            what = "variants that it has are of other settings, such as `triton.knobs.runtime.debug`"
        self._refuse(
            f"this launch of `{name}` needs a variant that is not compiled, after `triton.freeze()`: the {what}",
            f"launch or `warmup` this variant before `triton.freeze()`{_advice(differences) if differences else ''}",
        )

    def check_tuning(self, name, key):
        self._refuse(
            f"this launch of `{name}` needs a tuning run for the key {key}, after `triton.freeze()`",
            "launch it with these sizes before `triton.freeze()`",
        )

    def _refuse(self, text, remedy):
        _counts.add(frozen_launches=1)
        file, line = place_of_launch()
        text = f"{file}:{line}: {text}\nhelp: {remedy}"
        if self._action == "raise":
            raise FrozenError(text)
        if self._action == "warn":
            warnings.warn_explicit(text, UserWarning, file, line)
            return
        import logging

        logging.getLogger("triton.freeze").warning(text)


def _advice(differences):
    """What else helps, when only facts about numbers and pointers differ."""
    loose = [name for name, pair in differences.items() if any("divisible" in text or text == "1" for text in pair)]
    return f", or name {loose} in `do_not_specialize`" if loose and len(loose) == len(differences) else ""
