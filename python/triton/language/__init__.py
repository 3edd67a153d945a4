# ruff: noqa: F401, F403, F405
"""The kernel language. Its functions work inside functions decorated with ``@triton.jit``."""

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
    # Another name of `triton.constexpr_function`, whose module imports this one.
    if name == "constexpr_function":
        return importlib.import_module("..runtime.jit", __name__).constexpr_function
    raise AttributeError(f"module `triton.language` has no attribute `{name}`")
