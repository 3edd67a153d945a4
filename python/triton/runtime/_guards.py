"""What launches ask that would compile or tune where nothing may wait: after a freeze, and in captures of graphs."""

import warnings

from .. import _counts
from ._variants import differences_text, place_of_launch
from .errors import FrozenError, GraphCaptureError


class FreezeGuard:
    """Refuses what would compile."""

    _when, _moment = "after `triton.freeze()`", "`triton.freeze()`"
    _error = FrozenError

    def __init__(self, action="raise"):
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
            f"this launch of `{name}` needs a variant that is not compiled, {self._when}: the {what}",
            f"launch or `warmup` this variant before {self._moment}{_advice(differences) if differences else ''}",
        )

    def check_tuning(self, name, key):
        self._refuse(
            f"this launch of `{name}` needs a tuning run for the key {key}, {self._when}",
            f"launch it with these sizes before {self._moment}",
        )

    def _refuse(self, text, remedy):
        _counts.add(frozen_launches=1)
        file, line = place_of_launch()
        text = f"{file}:{line}: {text}\nhelp: {remedy}"
        if self._action == "raise":
            raise self._error(text)
        if self._action == "warn":
            warnings.warn_explicit(text, UserWarning, file, line)
            return
        import logging

        logging.getLogger("triton.freeze").warning(text)


class CaptureGuard(FreezeGuard):
    """Refuses what would compile while a graph is captured: the kernel's load, which follows, would spoil the graph."""

    _when, _moment = "while its stream captures a graph", "the capture"
    _error = GraphCaptureError


def _advice(differences):
    """What else helps, when only facts about numbers and pointers differ."""
    loose = [name for name, pair in differences.items() if any("divisible" in text or text == "1" for text in pair)]
    return f", or name {loose} in `do_not_specialize`" if loose and len(loose) == len(differences) else ""
