# ruff: noqa: F401, F403, F405
"""The kernel language. Its functions work inside functions decorated with ``@triton.jit``."""

from .. import _function_classes
from . import core, math, random, standard, target_info
from ._aggregate import aggregate_replace
from .core import *
from .random import *
from .standard import *

#: `extra` is imported when it is first used, also by `from triton.language import *`.
__all__ = [*(name for name in list(globals()) if not name.startswith("_")), "extra"]


def __dir__():
    return [*globals(), "extra"]


def __getattr__(name):
    import importlib

    # Few programs need the device library.
    if name == "extra":
        return importlib.import_module(".extra", __name__)
    if name == "constexpr_function":
        return _function_classes.constexpr_function
    raise AttributeError(f"module `triton.language` has no attribute `{name}`")
