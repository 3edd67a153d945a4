"""The functions of the language that are written in the kernel language itself: the text that the compiler has, run as
Python."""

import functools
import math
import pathlib
import types

from ... import language
from ..._utils import warn_once
from .registry import IMPLEMENTATIONS
from .shapes import index_along

_FOLDER = pathlib.Path(__file__).parents[2] / "_prelude"


class _Language:
    """What the text calls ``tl``: the language and the compiler's own helpers."""

    def __init__(self):
        self.core = types.SimpleNamespace(
            get_int_dtype=language.core.get_int_dtype,
            _index_along=index_along,
            _elements_per_thread=lambda x: 0,  # as on processors: NumPy computes whole blocks
            _warn=warn_once,
        )

    def __getattr__(self, name):
        return IMPLEMENTATIONS.get(name) or getattr(language, name)


@functools.cache
def _functions():
    from .rewriting import rewritten_module

    functions = {}
    for name in ("standard", "random"):
        # A library function ends at its caller's line in messages, so the text needs a name but no more.
        namespace = {"tl": _Language(), "math": math, "__name__": f"triton.language.{name}"}
        path = _FOLDER / f"{name}.py"
        rewritten_module(path.read_text(), str(path), namespace)
        functions.update({key: value for key, value in namespace.items() if isinstance(value, types.FunctionType)})
    return functions


def prelude_function(name):
    return _functions().get(name)
