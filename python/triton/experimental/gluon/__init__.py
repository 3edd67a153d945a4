"""Gluon, Triton's language of layouts and shared memory, in part (docs/gluon.md).

What is missing can be named, so that libraries with kernels in both languages can be imported, and says so when it is
called. Modules for GPUs whose own functions are missing raise ``ModuleNotFoundError``.
"""

from ...language._aggregate import aggregate
from ...runtime.jit import constexpr_function
from ._jit import GluonJITFunction, jit
from ._missing import missing

__all__ = ["GluonASTSource", "GluonJITFunction", "aggregate", "constexpr_function", "jit", "must_use_result"]

GluonASTSource = missing("GluonASTSource")


def must_use_result(function):
    return function
