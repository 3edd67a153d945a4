# ruff: noqa: F401, F403
"""The kernel language. Its functions work inside functions decorated with ``@triton.jit``."""

from . import core, math, random, standard
from ._aggregate import aggregate_replace
from .core import *
from .random import *
from .standard import *


def __getattr__(name):
    # Few programs need the device library.
    if name == "extra":
        import importlib

        return importlib.import_module(".extra", __name__)
    raise AttributeError(f"module `triton.language` has no attribute `{name}`")
