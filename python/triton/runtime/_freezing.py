"""`triton.freeze`: after a program has started, no launch waits for the compiler."""

import os
import sys
import warnings

from . import jit
from .errors import FrozenError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_ABSENT = "not given"


def freeze(action="raise"):
    """From now on a launch that needs a variant of its kernel which this process does not have, or a tuning run, raises
    a `FrozenError`; with ``action="warn"`` it warns and compiles. ``warmup`` still compiles. `unfreeze` ends it."""
    if action not in ("raise", "warn"):
        raise ValueError(f'`action` of `triton.freeze` is {action!r}; it must be "raise" or "warn"')
    jit.freeze_guard = FreezeGuard(action)


def unfreeze():
    """Ends what `freeze` began."""
    jit.freeze_guard = None


class FreezeGuard:
    """Refuses what would compile."""

    def __init__(self, action):
        self._action = action

    def check_variant(self, name, wanted, known):
        """``wanted`` is a source with its options, as are those in ``known``, the variants that the kernel has."""
        facts = _facts(*wanted)
        differences = [_differences(facts, _facts(*each)) for each in list(known)]
        if differences:
            nearest = min(differences, key=len)
            what = "nearest variant has other facts: " + "; ".join(
                f"`{name}` is {here}, there {there}" for name, (here, there) in nearest.items()
            )
        else:
            what = "kernel has no variant yet"
        self._refuse(
            f"this launch of `{name}` needs a variant that is not compiled, after `triton.freeze()`: the {what}",
            f"launch or `warmup` this variant before `triton.freeze()`{_advice(nearest) if differences else ''}",
        )

    def check_tuning(self, name, key):
        self._refuse(
            f"this launch of `{name}` needs a tuning run for the key {key}, after `triton.freeze()`",
            "launch it with these sizes before `triton.freeze()`",
        )

    def _refuse(self, text, remedy):
        file, line = _place_of_launch()
        text = f"{file}:{line}: {text}\nhelp: {remedy}"
        if self._action == "raise":
            raise FrozenError(text)
        warnings.warn_explicit(text, UserWarning, file, line)


def _place_of_launch():
    """(file, line) of the innermost call outside this package."""
    frame = sys._getframe(1)
    while frame.f_back and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _facts(src, options):
    """{parameter or option: what the code of the variant knows of it}."""
    names = list(src.signature)
    facts = {name: [str(type_)] for name, type_ in src.signature.items() if str(type_) != "constexpr"}
    for path, value in src.constants.items():
        facts.setdefault(_name_of(names, path), []).append(f"{value!r}")
    for path, attributes in src.attrs.items():
        facts.setdefault(_name_of(names, path), []).extend(
            f"divisible by {value}" if key == "tt.divisibility" else f"{key} {value}" for key, value in attributes
        )
    facts.update({name: [repr(value)] for name, value in options.items()})
    return {name: ", ".join(texts) for name, texts in facts.items()}


def _name_of(names, path):
    return names[path[0]] + "".join(f"[{index}]" for index in path[1:])


def _differences(facts, others):
    """{name: (what it is here, what it is there)} where two variants differ."""
    names = [*facts, *(name for name in others if name not in facts)]
    pairs = {name: (facts.get(name, _ABSENT), others.get(name, _ABSENT)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _advice(differences):
    """What else helps, when only facts about numbers and pointers differ."""
    loose = [name for name, pair in differences.items() if any("divisible" in text or text == "1" for text in pair)]
    return f", or name {loose} in `do_not_specialize`" if loose and len(loose) == len(differences) else ""
